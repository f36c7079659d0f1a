// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// fakePage is a page of a fakeWeb.
type fakePage struct {
	title, markdown, html string
	main                  string // empty: as markdown
	status                int
	to                    string // redirects there
	links                 []agent.Link
}

// fakeWeb is pages by URL. It asks the gate as a Fetcher must.
type fakeWeb struct {
	pages map[string]fakePage

	mu    sync.Mutex
	asked []string
	brake func(ctx context.Context, url string) error
}

func (w *fakeWeb) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	url, hops := r.URL, []string{}
	for {
		if err := r.Gate(ctx, url); err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		hops = append(hops, url)
		w.mu.Lock()
		w.asked = append(w.asked, url)
		w.mu.Unlock()
		if w.brake != nil {
			if err := w.brake(ctx, url); err != nil {
				return nil, err
			}
		}
		p, ok := w.pages[url]
		if !ok {
			p.status = 404
		}
		if p.to != "" {
			url = p.to
			continue
		}
		if p.status == 0 {
			p.status = 200
		}
		page := &agent.Page{URL: r.URL, Final: url, Hops: hops, Status: p.status, Title: p.title, Main: p.main, Full: p.markdown, Links: p.links, Rendered: r.Render}
		if p.html != "" {
			root, err := html.Parse(strings.NewReader(p.html))
			if err != nil {
				return nil, err
			}
			page.Root = root
		}
		return page, nil
	}
}

func (w *fakeWeb) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.asked...)
}

// fakeModel answers by role, and keeps the calls.
type fakeModel struct {
	answer func(ctx context.Context, c llm.Call) (llm.Reply, error)

	mu    sync.Mutex
	calls []llm.Call
}

func (m *fakeModel) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	m.mu.Lock()
	m.calls = append(m.calls, c)
	m.mu.Unlock()
	return m.answer(ctx, c)
}

func (m *fakeModel) count(role llm.Role) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.calls {
		if c.Role == role {
			n++
		}
	}
	return n
}

// reply makes a reply of a value.
func reply(v any) (llm.Reply, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{JSON: raw, Usage: llm.Usage{Input: 1000, Output: 100}}, nil
}

// asked is a user text as its model reads it.
type asked struct {
	values map[string]json.RawMessage
	lists  map[string][]json.RawMessage
	lines  map[int]string
}

func read(user string) asked {
	a := asked{values: map[string]json.RawMessage{}, lists: map[string][]json.RawMessage{}, lines: map[int]string{}}
	name, end := "", ""
	for line := range strings.Lines(user) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case end != "":
			if line == end {
				end = ""
				continue
			}
			number, text, _ := strings.Cut(line, "| ")
			if n, err := strconv.Atoi(number); err == nil {
				a.lines[n] = text
			}
		case strings.HasPrefix(line, "<<<"):
			end = ">>>" + line[3:]
		case strings.HasPrefix(line, "- "):
			a.lists[name] = append(a.lists[name], json.RawMessage(line[2:]))
		default:
			var value string
			name, value, _ = strings.Cut(line, ":")
			a.values[name] = json.RawMessage(strings.TrimSpace(value))
		}
	}
	return a
}

// truth is rows as pages print them; the first field is the key.
type truth struct {
	fields []string
	rows   [][]string
}

// extract answers an extract call: every row whose key stands in the lines, and
// of its values those that do.
func (t truth) extract(c llm.Call) (llm.Reply, error) {
	a := read(c.User)
	var out protocol.ExtractReply
	out.Total, out.Kind = -1, "list"
	most, after := 0, 0
	_ = json.Unmarshal(a.values["rows"], &most)
	_ = json.Unmarshal(a.values["after"], &after)
	last := 0
	for n := range a.lines {
		last = max(last, n)
	}
	for _, row := range t.rows {
		key := 0
		for n := 1; n <= last && key == 0; n++ {
			if hasToken(a.lines[n], row[0]) {
				key = n
			}
		}
		if key == 0 || key <= after {
			continue
		}
		if len(out.Rows) == most {
			out.More = true
			break
		}
		v, ln := map[string]any{}, map[string][]int{}
		for i, field := range t.fields {
			v[field], ln[field] = nil, []int{}
			for n := key; n <= last && n < key+7; n++ {
				if row[i] != "" && hasToken(a.lines[n], row[i]) {
					v[field], ln[field] = row[i], []int{n, n}
					break
				}
			}
		}
		out.Rows = append(out.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{v, ln})
	}
	switch len(out.Rows) {
	case 0:
		out.Kind = "none"
	case 1:
		out.Kind = "detail"
	}
	return reply(out)
}

func hasToken(line, token string) bool {
	i := strings.Index(line, token)
	if i < 0 {
		return false
	}
	end := i + len(token)
	return end == len(line) || !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyz", rune(line[end]))
}

// fakeJournal keeps events, and fails at one.
type fakeJournal struct {
	mu     sync.Mutex
	events []journal.Event
	fail   int // Seq at which it fails; zero: never
	then   func(e journal.Event)
}

var errDisk = errors.New("disk is full")

func (j *fakeJournal) Append(_ context.Context, e journal.Event) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var own journal.Event
	if err := json.Unmarshal(raw, &own); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail > 0 && len(j.events)+1 >= j.fail {
		return errDisk
	}
	j.events = append(j.events, own)
	if j.then != nil {
		j.then(own)
	}
	return nil
}

func (j *fakeJournal) all() []journal.Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]journal.Event(nil), j.events...)
}

func history(events []journal.Event) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// shop is a web with a list and details, and the truth about it.
func shop(n int) (*fakeWeb, truth) {
	w := &fakeWeb{pages: map[string]fakePage{}}
	t := truth{fields: []string{"name", "price", "stock"}}
	var list strings.Builder
	list.WriteString("# Shop\n\n")
	for i := 1; i <= n; i++ {
		name, price, stock := fmt.Sprintf("Widget %d", 1000+i), fmt.Sprintf("$%d.%02d", 10+i, i%100), strconv.Itoa(500+i)
		t.rows = append(t.rows, []string{name, price, stock})
		url := fmt.Sprintf("https://shop.test/p/%d", i)
		fmt.Fprintf(&list, "- [%s](%s)\n", name, url)
		w.pages[url] = fakePage{
			title: name, markdown: fmt.Sprintf("# %s\n\nA fine thing.\n\n- Price: %s\n- Stock: %s\n\n[Home](https://shop.test/)\n", name, price, stock),
			html: fmt.Sprintf(`<html lang="en"><body><main><h1>%s</h1><p>A fine thing.</p><ul><li class="price">Price: %s</li><li class="stock">Stock: %s</li></ul><a href="/">Home</a></main></body></html>`, name, price, stock),
		}
	}
	w.pages["https://shop.test/"] = fakePage{title: "Shop", markdown: list.String()}
	return w, t
}

const shopSchema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"stock":{"type":"integer"}},"required":["name","price"]}}},"required":["items"]}`

// run runs a task to its end.
func run(t testing.TB, e *agent.Engine, task agent.Task) *agent.Result {
	t.Helper()
	r, err := e.Run(t.Context(), task)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return r
}
