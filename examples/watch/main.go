// SPDX-License-Identifier: Apache-2.0

// Watch crawls a site every day through a server, and prints what has changed:
//
//	go run ./cmd/curlew serve -api-key fc-secret -data ./data
//	CURLEW_API_KEY=fc-secret go run ./examples/watch https://example.com/docs/
//
// Each crawl refers to the previous one (since). The site does not send
// unmodified pages again, and such pages cost half a credit. The file of -state
// contains the id of the last crawl, so that a restarted run continues.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv("CURLEW_API_KEY"), os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

// run crawls until ctx ends, or once.
func run(ctx context.Context, args []string, key string, out, status io.Writer) error {
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	flags.SetOutput(status)
	w := watcher{key: key, out: out}
	flags.StringVar(&w.server, "server", "http://127.0.0.1:3002", "`URL` of the server")
	flags.StringVar(&w.state, "state", "watch.id", "`file` with the id of the last crawl")
	flags.DurationVar(&w.poll, "poll", 2*time.Second, "`interval` at which the state of a crawl is requested")
	every := flags.Duration("every", 24*time.Hour, "`interval` between crawls; 0 means a single crawl")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one URL is needed")
	}
	url := flags.Arg(0)
	if !strings.Contains(url, "://") {
		url = "https://" + url
	}
	// The previous crawl must still exist when the next one has ended.
	w.keep = min(max(48, 3*int(every.Hours())), 720)
	for {
		if err := w.round(ctx, url); err != nil {
			return err
		}
		if *every == 0 {
			return nil
		}
		select {
		case <-time.After(*every):
		case <-ctx.Done():
			return nil
		}
	}
}

// watcher is a client of the server.
type watcher struct {
	server, key, state string
	poll               time.Duration
	keep               int // in hours
	out                io.Writer
}

// crawlStatus contains the fields of a crawl's status that are used here.
type crawlStatus struct {
	Status      string
	Completed   int
	CreditsUsed int
	Changes     struct{ New, Changed, Same, Gone int }
	Next        string
	Warning     string
	Data        []struct {
		Metadata struct{ SourceURL, Change string }
	}
}

// round crawls once and prints what has changed.
func (w *watcher) round(ctx context.Context, url string) error {
	body := map[string]any{"url": url, "retainHours": w.keep, "origin": "watch"}
	last, err := os.ReadFile(w.state)
	if err == nil && len(last) > 0 {
		body["since"] = strings.TrimSpace(string(last))
	}
	var started struct{ ID string }
	code, err := w.ask(ctx, http.MethodPost, w.server+"/v2/crawl", body, &started)
	if code == http.StatusNotFound && body["since"] != nil {
		fmt.Fprintln(w.out, "The last crawl has expired: all pages are new.")
		delete(body, "since")
		_, err = w.ask(ctx, http.MethodPost, w.server+"/v2/crawl", body, &started)
	}
	if err != nil {
		return err
	}
	at := w.server + "/v2/crawl/" + started.ID
	st := crawlStatus{Status: "scraping"}
	for st.Status == "scraping" {
		select {
		case <-time.After(w.poll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if _, err := w.ask(ctx, http.MethodGet, at+"?limit=1", nil, &st); err != nil {
			return err
		}
	}
	if st.Status != "completed" {
		return fmt.Errorf("the crawl %s is %s", started.ID, st.Status)
	}
	if err := w.tell(ctx, at, &st); err != nil {
		return err
	}
	return os.WriteFile(w.state, []byte(started.ID+"\n"), 0o600)
}

// tell prints new, changed and deleted pages.
func (w *watcher) tell(ctx context.Context, at string, st *crawlStatus) error {
	c := st.Changes
	fmt.Fprintf(w.out, "%d pages for %d credits: %d new, %d changed, %d unchanged, %d deleted\n", st.Completed, st.CreditsUsed, c.New, c.Changed, c.Same, c.Gone)
	if st.Warning != "" {
		fmt.Fprintln(w.out, st.Warning)
	}
	for next := at + "?limit=100"; next != ""; {
		var page crawlStatus
		if _, err := w.ask(ctx, http.MethodGet, next, nil, &page); err != nil {
			return err
		}
		for _, d := range page.Data {
			if change := d.Metadata.Change; change == "new" || change == "changed" {
				fmt.Fprintf(w.out, "%-8s %s\n", change, d.Metadata.SourceURL)
			}
		}
		next = page.Next
	}
	var faults struct{ Gone []string }
	if _, err := w.ask(ctx, http.MethodGet, at+"/errors", nil, &faults); err != nil {
		return err
	}
	for _, url := range faults.Gone {
		fmt.Fprintf(w.out, "%-8s %s\n", "gone", url)
	}
	return nil
}

// maxAnswer limits the bytes that are read of a response.
const maxAnswer = 64 << 20

// ask sends a request and decodes the response into v.
func (w *watcher) ask(ctx context.Context, method, url string, body, v any) (status int, err error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, sent)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return resp.StatusCode, err
	}
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, fmt.Errorf("%s: %d %s", url, resp.StatusCode, bytes.TrimSpace(answer))
	}
	return resp.StatusCode, json.Unmarshal(answer, v)
}
