// SPDX-License-Identifier: Apache-2.0

// Console serves the console next to the API, and a demo site to crawl with it:
//
//	go run ./examples/console
//
// It prints the address of the console, a key, and the URL of the demo site. With
// -model-url and -model the agent answers questions, and with -searxng the page searches the
// web.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
	"example.com/curlew/agent/search"
	"example.com/curlew/console"
	"example.com/curlew/examples/internal/demo"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/parse/ocr/poppler"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "console:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, status io.Writer) error {
	flags := flag.NewFlagSet("console", flag.ContinueOnError)
	flags.SetOutput(status)
	addr := flags.String("addr", "127.0.0.1:3003", "`address` to serve on")
	many := flags.Int("pages", 0, "`number` of further pages of the demo site, to see a large crawl")
	url := flags.String("model-url", "", "base `URL` of a chat completions API for the agent")
	model := flags.String("model", "", "`name` of the model")
	searxng := flags.String("searxng", "", "base `URL` of a SearXNG instance for searches")
	if err := flags.Parse(args); err != nil {
		return err
	}

	// The engines. Loopback addresses are allowed for the demo site.
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}}
	trail := new(console.Trail)
	service := &curlew.Service{Fetcher: client, LocalNames: true, Audit: trail}
	if _, err := exec.LookPath("pdftoppm"); err == nil {
		service.Parser.Render = new(poppler.Renderer)
	}
	if *url != "" {
		service.Agent = &agent.Engine{Model: &openai.Model{URL: *url}, Profiles: map[string]llm.Profile{"spark-1-mini": {Plan: *model, Rate: 0.4}}}
	}
	if *searxng != "" {
		service.Searcher = &search.SearXNG{Base: *searxng, Get: func(ctx context.Context, url string) ([]byte, error) {
			answer, err := client.Fetch(ctx, &fetch.Request{URL: url, NoStore: true})
			if err != nil {
				return nil, err
			}
			if answer.Status != http.StatusOK {
				return nil, &search.StatusError{Status: answer.Status}
			}
			return answer.Body, nil
		}}
	}

	// One key, the API and the console.
	keys := new(account.Keys)
	key, _, err := keys.Create(ctx, "demo", "console", 0)
	if err != nil {
		return err
	}
	authenticate := httpapi.KeyAuthenticator(keys, func(id string) (account.Team, error) { return account.Team{ID: id}, nil })
	api, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: authenticate})
	if err != nil {
		return err
	}
	view, err := console.New(service, &console.Options{Authenticator: authenticate, Keys: keys, Trail: trail, Version: "example"})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/console/", view)
	mux.Handle("/", api)

	site, err := demo.Handler()
	if err != nil {
		return err
	}
	stopSite, siteURL, err := serve(ctx, "127.0.0.1:0", larger(site, *many), nil)
	if err != nil {
		return err
	}
	defer stopSite()
	stopAPI, apiURL, err := serve(ctx, *addr, mux, service)
	if err != nil {
		return err
	}
	defer stopAPI()
	fmt.Fprintf(out, "console %sconsole/\nkey %s\nsite %s\n", apiURL, key, siteURL)
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 8*time.Second)
	defer cancel()
	return service.Shutdown(ending)
}

// serve serves handler until the function is called. If service is not nil, its limits of
// connections and times apply.
func serve(ctx context.Context, addr string, handler http.Handler, service *curlew.Service) (stop func(), url string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	if service != nil {
		httpapi.Protect(server, service)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	return func() { _ = server.Close(); <-done }, "http://" + listener.Addr().String() + "/", nil
}

// larger adds n pages below /more/ to a site, in folders of 100. The first one links to all
// folders, and each folder to its pages.
func larger(site http.Handler, n int) http.Handler {
	if n <= 0 {
		return site
	}
	const folder = 100
	mux := http.NewServeMux()
	mux.Handle("/", site)
	mux.HandleFunc("GET /more/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>More pages</title><h1>More pages</h1><ul>")
		for i := range (n + folder - 1) / folder {
			fmt.Fprintf(w, `<li><a href="/more/%d/">Folder %d</a>`, i, i)
		}
	})
	mux.HandleFunc("GET /more/{folder}/{$}", func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.PathValue("folder"))
		fmt.Fprintf(w, "<!doctype html><title>Folder %d</title><h1>Folder %d</h1><p>One hundred notes about waders.<ul>", i, i)
		for k := i * folder; k < min(n, (i+1)*folder); k++ {
			fmt.Fprintf(w, `<li><a href="/more/%d/%d">Note %d</a>`, i, k, k)
		}
	})
	mux.HandleFunc("GET /more/{folder}/{page}", func(w http.ResponseWriter, r *http.Request) {
		k, _ := strconv.Atoi(r.PathValue("page"))
		fmt.Fprintf(w, "<!doctype html><title>Note %d</title><main><h1>Note %d</h1><p>On day %d of the count, %d curlews and %d godwits were seen on the flats.</p></main>", k, k, k, k%97+3, k%53)
	})
	return mux
}
