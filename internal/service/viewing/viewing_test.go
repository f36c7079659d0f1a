// SPDX-License-Identifier: Apache-2.0

package viewing_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/job"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestFile opens stored files with right and wrong keys, and damaged ones.
func TestFile(t *testing.T) {
	f := viewing.File{Type: "image/png", Data: []byte("picture")}
	it, key := f.Item()
	if got, ok := viewing.OpenFile(it.Data, key); !ok || got.Type != f.Type || string(got.Data) != "picture" || it.Kind != job.File {
		t.Errorf("got %+v, %v", got, ok)
	}
	_, other := f.Item()
	for _, wrong := range []string{"", other, key + "A", key[:10], "\x00"} {
		if _, ok := viewing.OpenFile(it.Data, wrong); ok {
			t.Errorf("the key %q opens the file", wrong)
		}
	}
	for n := range len(it.Data) {
		if got, ok := viewing.OpenFile(it.Data[:n], key); ok && (n < 42 || len(got.Data) > 7) {
			t.Errorf("%d bytes of the file: %+v", n, got)
		}
	}
}

// TestAttach adds results of a browser, some of which do not belong to a step.
func TestAttach(t *testing.T) {
	asked := &render.Request{Steps: []render.Step{{Kind: render.Script}, {Kind: render.Screenshot}, {Kind: render.Click}}, Screenshot: new(render.Shot)}
	page := &render.Page{
		Results: []render.Result{
			{Step: 0, Type: "undefined"},
			{Step: 1, Type: "image/png", Data: []byte("a")},
			{Step: 1, Type: "image/png", Data: []byte("b")},
			{Step: 2},
			{Step: -1},
			{Step: 99},
			{Step: 0, Type: "object", Value: []byte("{broken")},
		},
		Screenshot: &render.Picture{Type: "image/jpeg", Data: []byte("c")},
		Warnings:   []string{"3 frames are missing", ""},
		Ready:      render.ReadyCap,
	}
	doc := &format.Document{Warning: "First."}
	if err := new(viewing.Attachment).Attach(t.Context(), doc, page, asked); err != nil {
		t.Fatal(err)
	}
	if a := doc.Actions; len(a.Screenshots) != 2 || a.Screenshots[1] != "data:image/png;base64,Yg==" || len(a.JavascriptReturns) != 2 || string(a.JavascriptReturns[1].Value) != "null" || len(a.PDFs) != 0 {
		t.Errorf("got %+v", a)
	}
	if *doc.Screenshot != "data:image/jpeg;base64,Yw==" || strings.Join(strings.Fields(doc.Warning), " ") != "First. 3 frames are missing. The page was still busy when it was read." {
		t.Errorf("got %q, %q", *doc.Screenshot, doc.Warning)
	}
	full := errors.New("full")
	keep := func(context.Context, []viewing.File) ([]string, error) { return nil, full }
	if err := (&viewing.Attachment{Keep: keep}).Attach(t.Context(), new(format.Document), page, asked); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// plain is a Renderer that says nothing about itself.
type plain struct{}

func (plain) Render(context.Context, *render.Request) (*render.Page, error) {
	return nil, render.ErrClosed
}

// TestOpen uses only browsers that are guarded or trusted.
func TestOpen(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		r    render.Renderer
		want bool
	}{{nil, false}, {plain{}, false}, {render.Trusted(plain{}), true}} {
		b := viewing.Open(test.r, logger)
		if no := b.Check(&render.Request{Wait: 1}); (no == nil) != test.want {
			t.Errorf("%T: %+v", test.r, no)
		}
		if no := b.Check(&render.Request{Steps: []render.Step{{Kind: render.Script}}}); no == nil || no.Wish != "the action executeJavascript" {
			t.Errorf("%T: %+v", test.r, no)
		}
	}
}
