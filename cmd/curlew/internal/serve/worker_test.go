// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/job/postgres/pgtest"
)

// working starts a worker in this process. stop ends it as a signal does.
func working(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Work(ctx, args, func(string) string { return "" }, in, io.Discard)
		in.CloseWithError(err)
		ended <- err
	}()
	if lines := bufio.NewScanner(out); !lines.Scan() {
		t.Fatalf("no line of a worker: %v", lines.Err())
	}
	return sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the worker ended with %v", err)
			}
		case <-time.After(2 * time.Minute):
			t.Error("the worker did not end")
		}
	})
}

// TestWorkers lets two workers help a server with a crawl and a batch. One of them leaves
// in between. Every page is delivered once and paid for once, and every event is sent
// once, in order.
func TestWorkers(t *testing.T) {
	const pages = 120
	database := pgtest.Start(t, false).URL(t)
	release := make(chan struct{})
	var mu sync.Mutex
	asked := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil && r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[r.URL.Path]++
		many := len(asked) > 40
		mu.Unlock()
		if many { // so that the first worker leaves during the crawl
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><p>Text of page %d.</p>", n, n)
		for next := 4*n + 1; next <= 4*n+4 && next < pages; next++ {
			fmt.Fprintf(w, `<a href="/%d">%d</a> `, next, next)
		}
	}))
	defer site.Close()
	type event struct {
		Type string
		Data []struct{ Metadata struct{ SourceURL string } }
	}
	var events []event
	ids := map[string]bool{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			event
			WebhookID string
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e.event)
		if ids[e.WebhookID] {
			t.Errorf("event %s was sent twice", e.WebhookID)
		}
		ids[e.WebhookID] = true
	}))
	defer hook.Close()

	shared := []string{"-store", database, "-allow-private"}
	first := working(t, append(shared, "-concurrency", "4")...)
	defer first()
	second := working(t, append(shared, "-concurrency", "4")...)
	defer second()
	url, _, stop := launched(t, nil, append(shared, "-api-key", "k")...)
	defer func() { stop() }()
	start := func(path, body string) (id string) {
		t.Helper()
		code, answer := ask(t, http.MethodPost, url+path, "k", body)
		var begun struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &begun); err != nil || code != http.StatusOK {
			t.Fatalf("%d %s", code, answer)
		}
		return begun.ID
	}
	crawl := start("/v2/crawl", fmt.Sprintf(`{"url":%q,"maxConcurrency":12,"sitemap":"skip","webhook":{"url":%q}}`, site.URL, hook.URL))
	deadline := time.Now().Add(3 * time.Minute)
	check := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			if time.Now().After(deadline) {
				t.Fatalf("%s: nothing happens", what)
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	check("many pages", func() bool { mu.Lock(); defer mu.Unlock(); return len(asked) > 40 })
	go func() {
		first()
		close(release)
	}()
	type progress struct {
		Status      string
		CreditsUsed int
		Next        string
		Data        []struct {
			Markdown string
			Metadata struct{ SourceURL, Title string }
		}
	}
	read := func(path string) (all progress) {
		t.Helper()
		for next := url + path; next != ""; {
			code, answer := ask(t, http.MethodGet, next, "k", "")
			var st progress
			if err := json.Unmarshal([]byte(answer), &st); err != nil || code != http.StatusOK {
				t.Fatalf("%d %s", code, answer)
			}
			data := append(all.Data, st.Data...)
			all = st
			all.Data, next = data, st.Next
		}
		return all
	}
	verify := func(what, path string, want int) {
		t.Helper()
		var st progress
		check(what, func() bool { st = read(path); return st.Status != "scraping" })
		seen := map[string]bool{}
		for _, d := range st.Data {
			seen[d.Metadata.SourceURL] = true
			if d.Metadata.Title == "" || d.Markdown == "" {
				t.Errorf("%s: %+v", what, d)
			}
		}
		if st.Status != "completed" || len(st.Data) != want || len(seen) != want || st.CreditsUsed != want {
			t.Errorf("%s is %s with %d pages, %d different, for %d credits; want %d", what, st.Status, len(st.Data), len(seen), st.CreditsUsed, want)
		}
	}
	verify("the crawl", "/v2/crawl/"+crawl, pages)
	check("the last event", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(events) > 0 && events[len(events)-1].Type == "crawl.completed"
	})
	st := read("/v2/crawl/" + crawl)
	mu.Lock()
	if len(events) != pages+2 || events[0].Type != "crawl.started" {
		t.Errorf("%d events, the first is %s; want %d", len(events), events[0].Type, pages+2)
	}
	for i, e := range events[1:min(len(events)-1, len(st.Data)+1)] {
		if e.Type != "crawl.page" || len(e.Data) != 1 || e.Data[0].Metadata.SourceURL != st.Data[i].Metadata.SourceURL {
			t.Fatalf("event %d is %+v, want the page %s", i+1, e, st.Data[i].Metadata.SourceURL)
		}
	}
	mu.Unlock()

	var urls []string
	for i := range 60 {
		urls = append(urls, fmt.Sprintf("%s/%d", site.URL, i))
	}
	body, err := json.Marshal(map[string]any{"urls": urls, "maxConcurrency": 12})
	if err != nil {
		t.Fatal(err)
	}
	verify("the batch", "/v2/batch/scrape/"+start("/v2/batch/scrape", string(body)), len(urls))
	second()
	stop()
	stop = func() {}
	// The connections have ended, so the server has counted everything.
	pgtest.Exec(t, database, `do $$ begin
		if (select n_tup_upd from pg_stat_user_tables where relname = 'task') < 8 then raise exception 'the workers have done too little: %', (select row_to_json(s) from pg_stat_user_tables s where relname = 'task'); end if;
		if (select count(*) from curlew.task) > 0 then raise exception 'tasks are left'; end if;
	end $$`)
}

// TestWorkerUsage checks the command line of a worker.
func TestWorkerUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"-store", "x:y", "z"}, {"-store", "postgres://x/y", "-concurrency", "0"}, {"-store", "sqlite:x"}} {
		if err := Work(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// processArgs is the environment variable that makes the test binary a server or a
// worker. It has the arguments, one on each line.
const processArgs = "CURLEW_TEST_PROCESS"

// process is a server or a worker that is killed in the end.
func process(args []string) {
	run := Run
	if args[0] == "worker" {
		run = Work
	}
	if err := run(context.Background(), args[1:], func(string) string { return "" }, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// spawn starts a process, and returns its first line and a function that kills it.
func spawn(t *testing.T, args ...string) (line string, kill func()) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
	cmd.Env = append(os.Environ(), processArgs+"="+strings.Join(args, "\n"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("no line of %s: %v", args[0], lines.Err())
	}
	return lines.Text(), kill
}

// TestWorkersKilled kills the server that holds a crawl, and a worker, with pages in
// progress. The other worker takes over the crawl and its webhook. Every page is
// delivered once. Events may be sent again with the same id, and are in order.
func TestWorkersKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const pages = 100
	database := pgtest.Start(t, false).URL(t)
	var mu sync.Mutex
	asked := 0
	hold := make(chan struct{}) // closed when the processes have been killed
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil && r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked++
		late := asked > 40
		mu.Unlock()
		if late {
			select {
			case <-hold:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><p>Text.</p>", n)
		for next := 4*n + 1; next <= 4*n+4 && next < pages; next++ {
			fmt.Fprintf(w, `<a href="/%d">%d</a> `, next, next)
		}
	}))
	defer site.Close()
	type event struct {
		Type      string
		WebhookID string
		Data      []struct{ Metadata struct{ SourceURL string } }
	}
	var events []event // the first of each id
	ids := map[string]string{}
	again := 0
	ended := make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var e event
		if err = errors.Join(err, json.Unmarshal(body, &e)); err != nil {
			return // its sender was killed
		}
		mu.Lock()
		defer mu.Unlock()
		url := e.Type
		if len(e.Data) > 0 {
			url += e.Data[0].Metadata.SourceURL
		}
		if first, sent := ids[e.WebhookID]; sent {
			again++
			if first != url {
				t.Errorf("two events have the id %s: %s and %s", e.WebhookID, first, url)
			}
			return
		}
		ids[e.WebhookID] = url
		events = append(events, e)
		if e.Type == "crawl.completed" {
			close(ended)
		}
	}))
	defer hook.Close()

	shared := []string{"-store", database, "-allow-private"}
	spawn(t, append([]string{"worker"}, shared...)...)
	_, killWorker := spawn(t, append([]string{"worker"}, shared...)...)
	server := append([]string{"serve", "-addr", "127.0.0.1:0", "-api-key", "k"}, shared...)
	line, killServer := spawn(t, server...)
	url := line[strings.Index(line, "http://"):]
	code, answer := ask(t, http.MethodPost, url+"/v2/crawl", "k",
		fmt.Sprintf(`{"url":%q,"maxConcurrency":12,"sitemap":"skip","webhook":{"url":%q}}`, site.URL, hook.URL))
	var begun struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &begun); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	deadline := time.Now().Add(4 * time.Minute)
	for late := false; !late; {
		mu.Lock()
		late = asked > 44
		mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not go on")
		}
		<-time.After(10 * time.Millisecond)
	}
	killServer()
	killWorker()
	close(hold)
	line, _ = spawn(t, server...)
	url = line[strings.Index(line, "http://"):]
	select {
	case <-ended:
	case <-time.After(time.Until(deadline)):
		t.Fatal("the last event is missing")
	}
	var urls []string
	for next := url + "/v2/crawl/" + begun.ID; next != ""; {
		code, answer := ask(t, http.MethodGet, next, "k", "")
		var st struct {
			Status      string
			CreditsUsed int
			Next        string
			Data        []struct{ Metadata struct{ SourceURL string } }
		}
		if err := json.Unmarshal([]byte(answer), &st); err != nil || code != http.StatusOK || st.Status != "completed" || st.CreditsUsed != pages {
			t.Fatalf("%d %.300s", code, answer)
		}
		for _, d := range st.Data {
			urls = append(urls, d.Metadata.SourceURL)
		}
		next = st.Next
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(urls)))); len(urls) != pages || n != pages {
		t.Errorf("%d pages, %d different, want %d", len(urls), n, pages)
	}
	mu.Lock()
	defer mu.Unlock()
	t.Logf("%d events were sent again with the same id", again)
	if len(events) != pages+2 || events[0].Type != "crawl.started" {
		t.Fatalf("%d events, want %d", len(events), pages+2)
	}
	for i, e := range events[1 : pages+1] {
		if e.Type != "crawl.page" || len(e.Data) != 1 || e.Data[0].Metadata.SourceURL != urls[i] {
			t.Fatalf("event %d is %+v, want the page %s", i+1, e, urls[i])
		}
	}
}
