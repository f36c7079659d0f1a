// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/internal/test/webtest"
)

// played is a job that a server plays: what its WebSockets send, one after the other, and its
// state over HTTP.
type played struct {
	t       *testing.T
	sockets []func(ctx context.Context, conn *websocket.Conn) // the last one is used again; none refuses all
	total   int                                               // documents
	status  string
	http    int // requests for the state
	opened  int // WebSockets
	mu      sync.Mutex
}

func doc(i int) string {
	return fmt.Sprintf(`{"markdown":"document %d","metadata":{"sourceURL":"http://a.test/%d"}}`, i, i)
}

func docs(from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, doc(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// state is the state of a job with a number of documents, of which it has those from and below to.
func state(status string, total, from, to int) string {
	return fmt.Sprintf(`{"success":true,"status":%q,"completed":%d,"total":%d,"data":%s}`, status, total, total, docs(from, to))
}

func (p *played) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Header.Get("Upgrade") == "" {
		p.http++
		skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
		if p.status == "gone" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"success":false,"error":"Job not found"}`)
			return
		}
		fmt.Fprint(w, state(p.status, p.total, min(skip, p.total), p.total))
		return
	}
	p.opened++
	if r.Header.Get("Authorization") != "Bearer k" {
		p.t.Errorf("key %q", r.Header.Get("Authorization"))
	}
	if len(p.sockets) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	script := p.sockets[min(p.opened, len(p.sockets))-1]
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		p.t.Error(err)
		return
	}
	defer conn.CloseNow()
	p.mu.Unlock() // the script may wait
	script(r.Context(), conn)
	p.mu.Lock()
}

// send returns a script that sends messages. The message "close" closes the connection in the
// way of the contract, "ping" pings, and "drop" breaks the connection.
func (p *played) send(messages ...string) func(context.Context, *websocket.Conn) {
	return func(ctx context.Context, conn *websocket.Conn) {
		for _, m := range messages {
			switch m {
			case "close":
				_ = conn.Close(websocket.StatusNormalClosure, `{"type":"done"}`)
				return
			case "drop":
				_ = conn.CloseNow()
				return
			case "ping":
				reading := conn.CloseRead(ctx)
				if err := conn.Ping(reading); err != nil {
					p.t.Errorf("ping: %v", err)
				}
			default:
				if err := conn.Write(ctx, websocket.MessageText, []byte(m)); err != nil && ctx.Err() == nil {
					p.t.Errorf("send: %v", err)
				}
			}
		}
	}
}

func catchup(status string) string { return `{"type":"catchup","data":` + status + `}` }
func document(i int) string        { return `{"type":"document","data":` + doc(i) + `}` }
func final(status string) string   { return `{"type":"status","data":` + status + `}` }

// TestWatch plays the courses that a WebSocket can take. Each document must come once.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		total, from int
		status      string // over HTTP; completed if empty
		sockets     func(p *played) []func(context.Context, *websocket.Conn)
		polls       int    // requests over HTTP
		opened      int    // WebSockets
		says        string // the error
	}{
		"to the end": {total: 4, opened: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 4, 0, 2)), document(2), "ping", document(3), final(state("completed", 4, 0, 4)), "close")}
		}},
		"ended before": {total: 3, opened: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("completed", 3, 0, 3)), final(state("completed", 3, 0, 3)), "close")}
		}},
		"cut at 10 MiB": {total: 3, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 3, 0, 1)), document(1), document(2), "close")}
		}},
		"from a document on": {total: 4, from: 3, opened: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 4, 0, 2)), document(2), document(3), final(state("completed", 4, 0, 4)), "close")}
		}},
		"lost and opened again": {total: 4, status: "scraping", opened: 2, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			lost := p.send(catchup(state("scraping", 4, 0, 1)), document(1), "drop")
			return []func(context.Context, *websocket.Conn){lost, p.send(catchup(state("scraping", 4, 0, 4)), final(state("completed", 4, 0, 4)), "close")}
		}},
		"lost at the end": {total: 4, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 4, 0, 1)), document(1), "drop")}
		}},
		"lost in a message": {total: 2, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){func(ctx context.Context, conn *websocket.Conn) {
				if err := conn.Write(ctx, websocket.MessageText, []byte(catchup(state("scraping", 2, 0, 1)))); err != nil {
					p.t.Error(err)
				}
				w, err := conn.Writer(ctx, websocket.MessageText)
				if err != nil {
					p.t.Error(err)
					return
				}
				_, _ = w.Write([]byte(document(1)[:20]))
				_ = conn.CloseNow()
			}}
		}},
		"refused": {total: 2, opened: 1, polls: 1},
		"other text": {total: 2, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send("hello", "close")}
		}},
		"other messages": {total: 1, opened: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(`{"type":"later"}`, catchup(state("scraping", 1, 0, 1)), final(state("completed", 1, 0, 1)), "close")}
		}},
		"done as a message": {total: 2, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 2, 0, 1)), `{"type":"done"}`, "close")}
		}},
		"a final status that lacks documents": {total: 2, opened: 1, polls: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 2, 0, 1)), final(state("completed", 2, 0, 1)), "close")}
		}},
		"a final status with more documents": {total: 2, opened: 1, sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 2, 0, 1)), final(state("completed", 2, 0, 2)), "close")}
		}},
		"cancelled": {total: 1, opened: 1, says: "the job was not completed: cancelled", sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(catchup(state("scraping", 1, 0, 1)), final(state("cancelled", 1, 0, 1)), "close")}
		}},
		"unknown job": {status: "gone", opened: 1, polls: 1, says: "404: Job not found", sockets: func(p *played) []func(context.Context, *websocket.Conn) {
			return []func(context.Context, *websocket.Conn){p.send(`{"type":"error","error":"Job not found"}`, final(`{"success":false,"status":"failed","completed":0,"total":0,"data":[],"error":"Job not found"}`), "close")}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{t: t, total: tt.total, status: tt.status}
			if p.status == "" {
				p.status = "completed"
			}
			if tt.status == "scraping" {
				p.total = 2 // over HTTP there is not more than came before the loss
			}
			if tt.sockets != nil {
				p.sockets = tt.sockets(p)
			}
			server := httptest.NewServer(p)
			defer server.Close()
			c := &client.Client{BaseURL: server.URL, Key: "k", Poll: time.Millisecond, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}}
			next := tt.from
			var last error
			for d, err := range c.Watch(t.Context(), client.CrawlJob, "x", tt.from) {
				if last = err; err != nil {
					continue
				}
				if want := fmt.Sprintf("document %d", next); d.Markdown != want {
					t.Errorf("%s, want %s", d.Markdown, want)
				}
				next++
			}
			if tt.says == "" && (last != nil || next != tt.total) || tt.says != "" && (last == nil || !strings.Contains(last.Error(), tt.says)) {
				t.Errorf("%d documents, error %v, want %q", next, last, tt.says)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.http != tt.polls || p.opened != tt.opened {
				t.Errorf("%d requests over HTTP and %d WebSockets, want %d and %d", p.http, p.opened, tt.polls, tt.opened)
			}
		})
	}
}

// upgrades counts the WebSockets that are opened, and the other requests of jobs.
type upgrades struct {
	http.RoundTripper
	opened, asked int
}

func (u *upgrades) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Header.Get("Upgrade") != "":
		u.opened++
	case r.Method == http.MethodGet:
		u.asked++
	}
	return u.RoundTripper.RoundTrip(r)
}

// TestWatchServer watches a crawl of the real handler, whose documents come over one WebSocket.
func TestWatchServer(t *testing.T) {
	c := served(t, &curlew.Service{Fetcher: site{}})
	count := &upgrades{RoundTripper: c.HTTP.Transport}
	c.HTTP.Transport = count
	seen := map[string]bool{}
	for d, err := range c.Crawl(t.Context(), &client.Crawl{URL: "https://site.test/", Limit: new(120)}) {
		if err != nil {
			t.Fatal(err)
		}
		seen[d.Metadata.SourceURL] = true
	}
	if len(seen) != 120 || count.opened != 1 || count.asked != 0 {
		t.Errorf("%d pages, %d WebSockets, %d requests", len(seen), count.opened, count.asked)
	}
	c.Key = "other"
	var last error
	for _, err := range c.Watch(t.Context(), client.CrawlJob, "0198a7c2-0000-7000-8000-000000000000", 0) {
		last = err
	}
	if refused, ok := errors.AsType[*client.Error](last); !ok || refused.Status != http.StatusUnauthorized {
		t.Errorf("with a wrong key: %v", last)
	}
}

// TestWatchLeave stops to watch, by the loop and by the context.
func TestWatchLeave(t *testing.T) {
	p := &played{t: t, status: "scraping", total: 1}
	waiting := func(ctx context.Context, conn *websocket.Conn) {
		p.send(catchup(state("scraping", 1, 0, 1)))(ctx, conn)
		<-conn.CloseRead(ctx).Done() // until the client has left
	}
	p.sockets = append(p.sockets, waiting)
	server := httptest.NewServer(p)
	defer server.Close()
	c := &client.Client{BaseURL: server.URL, Key: "k", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	for range c.Watch(t.Context(), client.CrawlJob, "x", 0) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	var last error
	for _, err := range c.Watch(ctx, client.CrawlJob, "x", 0) {
		last = err
		cancel()
	}
	cancel()
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}

// TestWatchIdle opens another WebSocket if nothing comes from the first one, not even pings,
// and survives a server that cannot be reached for a while. It runs in fake time.
func TestWatchIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{t: t, status: "scraping", total: 1}
		silent := func(ctx context.Context, conn *websocket.Conn) {
			p.send(catchup(state("scraping", 1, 0, 1)))(ctx, conn)
			<-conn.CloseRead(ctx).Done()
		}
		p.sockets = append(p.sockets, silent, p.send(catchup(state("scraping", 2, 0, 2)), final(state("completed", 2, 0, 2)), "close"))
		network := webtest.Serve(p)
		defer network.Close()
		down := time.Time{}
		transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, kind, addr string) (net.Conn, error) {
			if time.Now().Before(down) {
				return nil, errors.New("no route to host")
			}
			return network.Dial(ctx, kind, addr)
		}}
		c := &client.Client{BaseURL: "http://api.test", Key: "k", HTTP: &http.Client{Transport: transport}}
		begun, n := time.Now(), 0
		for _, err := range c.Watch(t.Context(), client.CrawlJob, "x", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 {
				down = time.Now().Add(100 * time.Second) // from before the idle time ends until after it
			}
		}
		if took := time.Since(begun); n != 2 || took < 100*time.Second || took > 3*time.Minute {
			t.Errorf("%d documents in %v", n, took)
		}
		down = time.Now().Add(time.Hour)
		var last error
		for _, err := range c.Watch(t.Context(), client.CrawlJob, "x", 0) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "no route to host") {
			t.Errorf("a server that was never reached: %v", last)
		}
	})
}

// TestWatchKnown stops to read a WebSocket that sends more than 10 MiB of known documents.
func TestWatchKnown(t *testing.T) {
	p := &played{t: t, total: 2, status: "completed"}
	big, err := json.Marshal(map[string]any{"type": "document", "data": map[string]string{"markdown": strings.Repeat("x", 11<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	p.sockets = append(p.sockets, p.send(catchup(state("scraping", 2, 0, 0)), string(big), "close"))
	server := httptest.NewServer(p)
	defer server.Close()
	c := &client.Client{BaseURL: server.URL, Key: "k", Poll: time.Millisecond, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	n := 0
	for _, err := range c.Watch(t.Context(), client.CrawlJob, "x", 1) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 || p.opened != 1 {
		t.Errorf("%d documents, %d WebSockets", n, p.opened)
	}
}

func ExampleClient_Watch() {
	c := &client.Client{BaseURL: "http://127.0.0.1:3002", Key: "fc-secret"}
	ctx := context.Background()
	job, err := c.StartCrawl(ctx, &client.Crawl{URL: "https://example.com/docs/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0 // store it, to continue after a restart of the program
	for doc, err := range c.Watch(ctx, client.CrawlJob, job.ID, n) {
		if err != nil {
			fmt.Println(err)
			return
		}
		n++
		fmt.Println(n, doc.Metadata.SourceURL)
	}
}
