// SPDX-License-Identifier: Apache-2.0

// Server serves the v2 contract on one address.
//
//	go run ./examples/server -api-key fc-secret -data ./data
//
// With -data, jobs with their results, webhooks and spent credits are stored in
// files. After a restart, even after a crash, the server continues the jobs
// that were running. Jobs with zero data retention stay in memory.
//
// API keys come from -api-key, from CURLEW_API_KEY (separated by commas), from
// the teams in -config FILE, and from -keys FILE. In -config, write a key as
// "sha256:" and the hash of the key without its "fc-" (printf %s KEY |
// sha256sum). The file of -keys contains only hashes. This command creates a
// key, prints it once and ends:
//
//	go run ./examples/server -config teams.json -keys keys.json -new-key TEAM
//
// A running server accepts a new key within a second, and refuses a key that
// -revoke-key has revoked within a second. If there is no key at all, the
// server generates one for this run.
//
// -model-url enables the agent and formats that use a model. It accepts any
// server with the chat completions API. The key of the model, if it needs one,
// is read from CURLEW_MODEL_KEY.
//
// With -isolate each document is read in a process of its own. A document that
// takes too much memory or time, or crashes its reader, then fails alone.
//
// GET /livez and /readyz answer health probes without a key. This program does
// not provide metrics and traces. To add them, use the modules
// observe/promcurlew and observe/otelcurlew in a program of your own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/ocr/tesseract"
	"example.com/curlew/parse/subprocess"
)

// stopIn is the time that running requests and jobs have at shutdown.
const stopIn = 8 * time.Second

func main() {
	subprocess.Main() // does not return in a child process that -isolate has started to read a document
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints a line with its URL when it is ready.
func run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) (err error) {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(logs)
	var keys []string
	addr := flags.String("addr", "127.0.0.1:3002", "`address` to serve on")
	configFile := flags.String("config", "", "JSON `file` with teams, their keys and limits")
	private := flags.Bool("allow-private", false, "allow requests to loopback and private addresses")
	flags.Func("api-key", "a `key` of the team \"default\", which has no limits; may be repeated", func(key string) error {
		keys = append(keys, key)
		return nil
	})
	ads := flags.String("ads", "", "filter lists for blockAds: `files` in EasyList syntax, separated by commas")
	proxy := flags.String("proxy", "", "`URL` of a proxy for all pages, such as http://user:password@proxy:3128 or socks5://proxy; the server still resolves names and checks addresses itself")
	keysFile := flags.String("keys", "", "`file` of hashed keys of the teams of -config")
	newKey := flags.String("new-key", "", "create a key for this `team` in the file of -keys, print it and exit")
	revoke := flags.String("revoke-key", "", "revoke the key with this `id` in the file of -keys and exit")
	ocr := flags.Bool("ocr", false, "read scans and images with the program tesseract; pdftoppm renders pages if it is installed")
	isolate := flags.Bool("isolate", false, "read each document in a process of its own with limits of memory and CPU time (Linux, macOS)")
	endless := flags.Int("endless-pages", 0, "maximum `number` of pages from endless spaces, such as calendars, which a crawl delivers last; 0 means 1,000 or as many as other pages, -1 means no limit")
	userAgent := flags.String("user-agent", "", "`User-Agent` of requests, whose name is looked up in robots.txt, such as \"wader/1.0 (+https://example.com/wader)\"; if empty, curlew's")
	front := frontFlags(flags)
	store := storageFlags(flags)
	models, searchers := modelFlags(flags), searcherFlags(flags)
	guards := guardFlags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *endless < crawl.Unlimited {
		return fmt.Errorf("-endless-pages %d is below -1", *endless)
	}
	if strings.ContainsFunc(*userAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("-user-agent %q: only visible ASCII characters and spaces can be sent", *userAgent)
	}
	if from := getenv("CURLEW_API_KEY"); from != "" {
		keys = append(keys, strings.Split(from, ",")...)
	}
	conf, err := readConfig(*configFile)
	if err != nil {
		return err
	}
	access, err := conf.access(keys, *keysFile != "")
	if err != nil {
		return err
	}
	hashed := new(account.Keys)
	if *keysFile != "" {
		if hashed, err = account.OpenKeys(*keysFile); err != nil {
			return err
		}
	}
	if *newKey != "" || *revoke != "" {
		return access.manage(ctx, hashed, *keysFile, *newKey, *revoke, out)
	}

	logger := slog.New(slog.NewTextHandler(logs, nil))
	if access.plain > 0 {
		logger.WarnContext(ctx, "the config holds keys in plain text; whoever reads it can use them: store \"sha256:\" and their hash, or use -keys", "file", *configFile, "keys", access.plain)
	}
	client := &fetch.Client{Proxy: *proxy, UserAgent: *userAgent}
	service := &curlew.Service{Fetcher: client, UserAgent: *userAgent, Logger: logger, Traps: crawl.Traps{Suspects: *endless}}
	service.Webhooks.Secret = func(_ context.Context, team string) (string, error) { return access.secrets[team], nil }
	closeModel, err := models.set(service, getenv, logger)
	if err != nil {
		return err
	}
	defer closeModel()
	closeSearcher, err := searchers.set(service, getenv)
	if err != nil {
		return err
	}
	defer closeSearcher()
	closeGuards := guards.set(ctx, service, getenv, logger)
	defer func() { err = errors.Join(err, closeGuards()) }() // after serve has returned
	closeStore, err := store.set(ctx, service, client, access.credits, logger)
	defer func() { err = errors.Join(err, closeStore()) }() // after serve, which stops the jobs
	if err != nil {
		return err
	}
	if *ocr {
		service.Parser.OCR = new(tesseract.Engine)
		if _, err := exec.LookPath("pdftoppm"); err == nil {
			service.Parser.Render = new(poppler.Renderer)
		}
	}
	if *isolate {
		service.Parser.Isolate = new(subprocess.Runner)
	}
	if *ads != "" {
		if service.Format.Ads, err = readAds(strings.Split(*ads, ",")); err != nil {
			return fmt.Errorf("-ads: %w", err)
		}
	}
	if *private {
		client.Allow, client.Ports = everyPrivate(), []int{-1}
		service.Webhooks.Allow, service.Webhooks.Ports = client.Allow, client.Ports
		service.LocalNames = true
	}
	handler, closeLog, err := front.handler(service, access.authenticator(hashed), out, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }() // after serve has returned
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	if err := service.Resume(ctx); err != nil {
		logger.ErrorContext(ctx, "not all jobs go on", "err", err) // the other jobs continue
	}
	if access.made != "" {
		fmt.Fprintf(out, "key %s\n", access.made)
	}
	fmt.Fprintf(out, "curlew listens on http://%s\n", listener.Addr())
	return serve(ctx, listener, routed(handler, httpapi.Health(service)), service)
}

// routed sends health probes to health and all other requests to contract. It
// does not use ServeMux, which answers a path such as /../x by a redirect in
// HTML.
func routed(contract, health http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/livez", "/readyz":
			health.ServeHTTP(w, r)
		default:
			contract.ServeHTTP(w, r)
		}
	})
}

// serve serves until ctx ends, and then waits for running requests and jobs.
func serve(ctx context.Context, l net.Listener, h http.Handler, s *curlew.Service) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	httpapi.Protect(server, s) // also protects the routes of the mux
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
	defer cancel()
	// Stop the jobs first, because the connection of a watcher ends with its
	// job.
	err := errors.Join(s.Shutdown(ending), server.Shutdown(ending))
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-failed
	return err
}

// everyPrivate returns the loopback and private networks (RFC 1918, 4193, 6598).
func everyPrivate() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, n := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"} {
		prefixes = append(prefixes, netip.MustParsePrefix(n))
	}
	return prefixes
}
