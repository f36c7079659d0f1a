// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/format/formattest"
)

func TestMemorySnapshots(t *testing.T) {
	formattest.CheckSnapshots(t, func(*testing.T) format.Snapshots { return new(format.MemorySnapshots) })
	m := format.MemorySnapshots{MaxBytes: 3000}
	for _, key := range []string{"0", "1", "0", "2"} {
		if err := m.Save(t.Context(), key, &format.Snapshot{Markdown: strings.Repeat("x", 1200)}); err != nil {
			t.Fatal(err)
		}
	}
	for key, kept := range map[string]bool{"0": true, "1": false, "2": true} {
		if _, err := m.Last(t.Context(), key); (err == nil) != kept || err != nil && !errors.Is(err, format.ErrNoSnapshot) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := m.Save(t.Context(), "3", &format.Snapshot{Markdown: strings.Repeat("x", 5000)}); err != nil {
		t.Errorf("over the bound: %v", err)
	}
}

// TestUnboundSnapshots checks that a negative bound means no bound.
func TestUnboundSnapshots(t *testing.T) {
	m := format.MemorySnapshots{MaxBytes: -1}
	if err := m.Save(t.Context(), "ab", &format.Snapshot{Markdown: "x"}); err != nil {
		t.Fatal(err)
	}
	if s, err := m.Last(t.Context(), "ab"); err != nil || s.Markdown != "x" {
		t.Errorf("Last = %v, %v", s, err)
	}
}

func TestFileSnapshots(t *testing.T) {
	open := func(t *testing.T, dir string) *format.FileSnapshots {
		t.Helper()
		f, err := format.OpenFileSnapshots(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	formattest.CheckSnapshots(t, func(t *testing.T) format.Snapshots { return open(t, filepath.Join(t.TempDir(), "new")) })
	dir := t.TempDir()
	if err := open(t, dir).Save(t.Context(), "ab", &format.Snapshot{Markdown: "x"}); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if s, err := again.Last(t.Context(), "ab"); err != nil || s.Markdown != "x" {
		t.Errorf("opened again: %v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ab.json"), []byte(`{"time`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Last(t.Context(), "ab"); !errors.Is(err, format.ErrNoSnapshot) {
		t.Errorf("damaged: %v", err)
	}
	for _, key := range []string{"", "../x", "A", strings.Repeat("a", 200)} {
		if err := again.Save(t.Context(), key, &format.Snapshot{}); err == nil {
			t.Errorf("the key %q was taken", key)
		}
	}
}

// broken is a snapshot store that always fails.
type broken struct{}

func (broken) Last(context.Context, string) (*format.Snapshot, error) { return nil, errors.New("down") }
func (broken) Save(context.Context, string, *format.Snapshot) error   { return errors.New("down") }

// visits builds one page after another, an hour apart.
type visits struct {
	engine format.Engine
	o      format.Options
	hours  int
}

func newVisits(c format.Changes) *visits {
	v := &visits{o: format.Options{Forms: []format.Form{format.Markdown, format.ChangesForm}, WholePage: true, Changes: c}}
	v.engine = format.Engine{Snapshots: new(format.MemorySnapshots), Now: func() time.Time {
		return time.Date(2026, 1, 1, v.hours, 0, 0, 0, time.UTC)
	}}
	return v
}

func (v *visits) visit(t *testing.T, src string, status int) *format.Document {
	t.Helper()
	d, err := v.engine.Build(t.Context(), &format.Input{Root: tree(t, src), URL: pageURL, StatusCode: status}, &v.o)
	if err != nil {
		t.Fatal(err)
	}
	v.hours++
	return d
}

func TestChanges(t *testing.T) {
	v := newVisits(format.Changes{GitDiff: true})
	for _, step := range []struct {
		name, src string
		status    int
		want      string
	}{
		{"new", "<p>a<p>b", 200, `{"previousScrapeAt":null,"changeStatus":"new","visibility":"visible"}`},
		{"same, with other white space and image", "<p>a<p>b <img src=1.png>", 200, `{"previousScrapeAt":"2026-01-01T00:00:00.000Z","changeStatus":"same","visibility":"visible"}`},
		{"an anagram is not the same", "<p>b<p>a", 200, `{"previousScrapeAt":"2026-01-01T01:00:00.000Z","changeStatus":"changed","visibility":"visible","diff":{"text":"--- previous\n+++ current\n@@ -1,3 +1,3 @@\n-a\n+b\n \n-b ![](https://birds.example/a/1.png)\n+a\n","json":{"files":[{"from":"previous","to":"current","chunks":[{"content":"@@ -1,3 +1,3 @@","changes":[{"type":"del","ln":1,"content":"-a"},{"type":"add","ln":1,"content":"+b"},{"type":"normal","ln1":2,"ln2":2,"content":" "},{"type":"del","ln":3,"content":"-b ![](https://birds.example/a/1.png)"},{"type":"add","ln":3,"content":"+a"}]}]}]}}}`},
		{"removed", "<p>Not found", 404, `{"previousScrapeAt":"2026-01-01T02:00:00.000Z","changeStatus":"removed","visibility":"visible"}`},
		{"back", "<p>b<p>a", 200, `{"previousScrapeAt":"2026-01-01T02:00:00.000Z","changeStatus":"same","visibility":"visible"}`},
	} {
		d := v.visit(t, step.src, step.status)
		if got := strings.TrimSpace(encode(t, d.ChangeTracking)); got != step.want || d.Warning != "" {
			t.Errorf("%s: %q\ngot  %s\nwant %s", step.name, d.Warning, got, step.want)
		}
	}
	for _, c := range []format.Changes{{Tag: "t"}, {Owner: "o"}} {
		v.o.Changes = c
		if d := v.visit(t, "<p>a", 200); d.ChangeTracking.ChangeStatus != "new" {
			t.Errorf("%+v: %s", c, d.ChangeTracking.ChangeStatus)
		}
	}
}

func TestChangedFields(t *testing.T) {
	v := newVisits(format.Changes{JSON: true})
	page := func(title, price string) string {
		return `<title>` + title + `</title><p>x<script type="application/ld+json">{"@type":"Product","name":"A","offers":{"price":` + price + `}}</script>`
	}
	v.visit(t, page("T", "1"), 200)
	d := v.visit(t, page("T", "1"), 200)
	if got := strings.TrimSpace(encode(t, d.ChangeTracking.JSON)); got != "{}" {
		t.Errorf("the same: %s", got)
	}
	d = v.visit(t, page("U", "2"), 200)
	const want = `{"product.variants[0].price.amount":{"previous":1,"current":2},"product.variants[0].price.formatted":{"previous":"1.00","current":"2.00"},"title":{"previous":"T","current":"U"}}`
	if got := strings.TrimSpace(encode(t, d.ChangeTracking.JSON)); got != want || d.Product != nil {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d = v.visit(t, "<p>y", 200)
	if c := d.ChangeTracking.JSON["title"]; string(c.Previous) != `"U"` || c.Current != nil || d.Warning != "" {
		t.Errorf("gone: %s, %q", encode(t, c), d.Warning)
	}
}

// TestFieldsNotKept distinguishes fields that were not stored, which are
// unknown, from a stored record without fields.
func TestFieldsNotKept(t *testing.T) {
	v := newVisits(format.Changes{})
	v.visit(t, "<p>x", 200)
	v.o.Changes.JSON = true
	d := v.visit(t, "<p>x", 200)
	if d.ChangeTracking.JSON != nil || !strings.Contains(d.Warning, "not kept the last time") {
		t.Errorf("never kept: %s, %q", encode(t, d.ChangeTracking), d.Warning)
	}
	d = v.visit(t, "<title>T</title><p>x", 200)
	if got := strings.TrimSpace(encode(t, d.ChangeTracking.JSON)); got != `{"title":{"previous":null,"current":"T"}}` || d.Warning != "" {
		t.Errorf("there were none: %s, %q", got, d.Warning)
	}
}

func TestUntracked(t *testing.T) {
	for want, change := range map[string]func(*visits) int{
		"the request allows nothing to be retained.": func(v *visits) int { v.o.NoRetain = true; return 200 },
		"no store for snapshots is configured.":      func(v *visits) int { v.engine.Snapshots = nil; return 200 },
		"that needs the markdown form.":              func(v *visits) int { v.o.Forms = v.o.Forms[1:]; return 200 },
		"the page answered with status 500.":         func(*visits) int { return 500 },
		"the snapshots cannot be reached.":           func(v *visits) int { v.engine.Snapshots = broken{}; return 200 },
	} {
		v := newVisits(format.Changes{})
		status := change(v)
		d := v.visit(t, "<p>x", status)
		if d.ChangeTracking != nil || d.Warning != "Changes are not tracked: "+want {
			t.Errorf("%s: got %q", want, d.Warning)
		}
	}
}
