// SPDX-License-Identifier: Apache-2.0

// Server is the handler as a program: the v2 contract on one address.
//
//	go run ./examples/server -api-key fc-secret -data ./data
//
// With -data, jobs and what they yield survive the process, and so do webhooks
// and credits spent: one that is started again, after whatever end, goes on with
// those that ran. Jobs with zero data retention are in memory all the same.
//
// Keys come from -api-key, from CURLEW_API_KEY (with commas between), from the
// teams of -config FILE, best as "sha256:" with the hash of the key without its
// "fc-" (printf %s KEY | sha256sum), and from -keys FILE, which holds only hashes:
//
//	go run ./examples/server -config teams.json -keys keys.json -new-key TEAM
//
// makes one, prints it for the only time, and ends. A server that runs knows of it
// within a second, and of those that -revoke-key ends. Where there is none at all,
// one is made for the run.
//
// With -model-url there is an agent, and a model for the forms that one makes
// better: any that speaks the chat completions API. Its key, if it needs one,
// stands in CURLEW_MODEL_KEY.
//
// With -isolate each document is read in a process of its own. One that takes too
// much memory or time, or crashes its reader, then fails alone.
//
// GET /livez and /readyz answer probes, without a key. Metrics and spans come from
// the nested modules observe/promcurlew and observe/otelcurlew, which this program does
// not link: a host of its own mounts Metrics.Handler beside these two.
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

// stopIn is how long running requests and jobs get to end.
const stopIn = 8 * time.Second

func main() {
	subprocess.Main() // does not return where -isolate has started this program to read a document
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints one line with its URL when it is ready.
func run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) (err error) {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(logs)
	var keys []string
	addr := flags.String("addr", "127.0.0.1:3002", "`address` to serve on")
	configFile := flags.String("config", "", "JSON `file` with teams, their keys and limits")
	private := flags.Bool("allow-private", false, "let requests reach loopback and private addresses")
	flags.Func("api-key", "a `key` of the team \"default\", which has no limits; may be repeated", func(key string) error {
		keys = append(keys, key)
		return nil
	})
	ads := flags.String("ads", "", "filter lists for blockAds: `files` in EasyList syntax, parted by commas")
	proxy := flags.String("proxy", "", "`URL` of a proxy for all pages, such as http://user:password@proxy:3128 or socks5://proxy; names are looked up and addresses checked here all the same")
	keysFile := flags.String("keys", "", "`file` of hashed keys of the teams of -config")
	newKey := flags.String("new-key", "", "make a key for this `team` in the file of -keys, print it, and end")
	revoke := flags.String("revoke-key", "", "revoke the key with this `id` in the file of -keys, and end")
	ocr := flags.Bool("ocr", false, "read scans and images with the program tesseract; pdftoppm draws pages, where it is installed")
	isolate := flags.Bool("isolate", false, "read each document in a process of its own, with bounds of memory and CPU time (Linux, macOS)")
	endless := flags.Int("endless-pages", 0, "most pages of endless spaces, such as calendars and session ids, that a crawl delivers after all others; 0: 1,000, or as many as others; -1: no bound")
	userAgent := flags.String("user-agent", "", "`name` that is sent with each request and looked up in robots.txt, such as \"wader/1.0 (+https://example.com/wader)\"; empty: curlew's")
	front := frontFlags(flags)
	store := storageFlags(flags)
	models := modelFlags(flags)
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
	closeGuards := guards.set(ctx, service, getenv, logger)
	defer func() { err = errors.Join(err, closeGuards()) }() // behind serve
	closeStore, err := store.set(ctx, service, client, access.credits, logger)
	defer func() { err = errors.Join(err, closeStore()) }() // behind serve, which stops the jobs
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
		if service.Ads, err = readAds(strings.Split(*ads, ",")); err != nil {
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
	defer func() { err = errors.Join(err, closeLog()) }() // behind serve
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	if err := service.Resume(ctx); err != nil {
		logger.ErrorContext(ctx, "not all jobs go on", "err", err) // they can be asked for
	}
	if access.made != "" {
		fmt.Fprintf(out, "key %s\n", access.made)
	}
	fmt.Fprintf(out, "curlew listens on http://%s\n", listener.Addr())
	return serve(ctx, listener, routed(handler, httpapi.Health(service)), service)
}

// routed sends probes to health and all else to the contract. It is no ServeMux,
// which answers a path such as /../x itself, by a redirect in HTML.
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

// serve answers until ctx ends, and then lets what runs end.
func serve(ctx context.Context, l net.Listener, h http.Handler, s *curlew.Service) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	httpapi.Protect(server, s) // also what the mux serves by itself
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
	defer cancel()
	// Jobs first: a watcher's connection ends with its job.
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
