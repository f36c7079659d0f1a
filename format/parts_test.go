// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/pii"
)

// newTestBuilder returns a builder for a page in the state before any form is
// made.
func newTestBuilder(t *testing.T, src string, e *Engine, o *Options) *builder {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	doc := &Document{}
	b := &builder{page: page{ctx: t.Context(), in: &Input{Root: root, URL: "https://example.com/a"}, meta: &doc.Metadata, arena: new(arena)}, o: o, deps: e, doc: doc}
	b.models = newModels(b)
	b.page.read()
	b.prepare(t.Context())
	return b
}

// TestPageIsReadOnce checks that every value of a page is computed once, and
// that this does not change the tree.
func TestPageIsReadOnce(t *testing.T) {
	const src = `<html lang="en"><head><title>T</title><base href="/b/"><script type="application/ld+json">{"@type":"Person","name":"Ada King"}</script></head><body><p>One. Two.</p></body></html>`
	b := newTestBuilder(t, src, new(Engine), new(Options))
	pg := &b.page
	var before, after strings.Builder
	if err := html.Render(&before, pg.in.Root); err != nil {
		t.Fatal(err)
	}
	if err := b.project(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := pg.structured()
	if first == nil || pg.structured() != first {
		t.Error("the structured data was read twice")
	}
	prose := pg.sentences()
	pg.copy.root.FirstChild.Data = "changed"
	pg.copy.root = nil
	if got := pg.sentences(); len(got) != len(prose) || len(got) == 0 {
		t.Errorf("the sentences were read twice: %q, then %q", prose, got)
	}
	if pg.base.url.String() != "https://example.com/b/" || pg.meta.Title != "T" || len(people(pg)) != 1 {
		t.Errorf("base %s, title %q, people %q", pg.base.url, pg.meta.Title, people(pg))
	}
	if err := html.Render(&after, pg.in.Root); err != nil {
		t.Fatal(err)
	}
	if after.String() != before.String() {
		t.Errorf("the tree was changed to %s", &after)
	}
	pg.in.NotWeb, pg.graph = true, nil
	if n := len(pg.structured().Linked()); n != 0 {
		t.Errorf("a document that is no web page has %d nodes of structured data", n)
	}
}

// TestRedactorShowsNothingAfterAFailure checks that no method of a redactor
// returns text after a search has failed.
func TestRedactorShowsNothingAfterAFailure(t *testing.T) {
	const secret = "ada@example.com"
	ways := map[string]func(r *redactor) (string, error){
		"finish":    func(r *redactor) (string, error) { return r.finish(secret) },
		"masked":    func(r *redactor) (string, error) { return r.masked(secret) },
		"maskedRaw": func(r *redactor) (string, error) { return r.maskedRaw("<p>" + secret) },
		"maskedAll": func(r *redactor) (string, error) {
			s, err := r.maskedAll([]string{secret})
			return strings.Join(s, ""), err
		},
		"maskedJSON": func(r *redactor) (string, error) {
			s, err := r.maskedJSON(json.RawMessage(`["` + secret + `"]`))
			return string(s), err
		},
		"maskedValue": func(r *redactor) (string, error) { s := secret; err := maskedValue(r, &s); return s, err },
		"private": func(r *redactor) (string, error) {
			n := &html.Node{Type: html.TextNode, Data: secret}
			err := r.private(n)
			if err != nil {
				n.Data = "" // the caller drops the tree
			}
			return n.Data, err
		},
	}
	for name, way := range ways {
		if got, err := way(new(redactor)); err != nil || !strings.Contains(got, secret) {
			t.Errorf("%s, off: got %q, %v", name, got, err)
		}
		b := newTestBuilder(t, "", new(Engine), &Options{Redact: &Redact{Mode: RedactFast}})
		if got, err := way(&b.redactor); name != "finish" && (err != nil || strings.Contains(got, secret)) {
			t.Errorf("%s, on: got %q, %v", name, got, err)
		}
		b.redactor.failed = true
		if got, err := way(&b.redactor); !errors.Is(err, errRedact) || got != "" {
			t.Errorf("%s, failed: got %q, %v", name, got, err)
		}
	}
}

// askFunc is a Writer made from a function.
type askFunc func(task, text string) (string, error)

func (f askFunc) Write(_ context.Context, task, text string, _ json.RawMessage) (json.RawMessage, error) {
	reply, err := f(task, text)
	return json.RawMessage(reply), err
}

// TestModels checks that a model reads only redacted text, that its prose is
// redacted, and that its failures become warnings.
func TestModels(t *testing.T) {
	const src = `<p>Write to ada@example.com today.</p>`
	redact := &Redact{Mode: RedactFast}
	for _, c := range []struct {
		name    string
		model   Writer
		o       Options
		want    string
		warning string
	}{
		{"no model", nil, Options{}, "", ""},
		{"no retention", askFunc(func(string, string) (string, error) { return "", errors.New("asked") }), Options{NoRetain: true}, "", ""},
		{"fails", askFunc(func(string, string) (string, error) { return "", errors.New("down") }), Options{}, "", "The model did not make the answer."},
		{"panics", askFunc(func(string, string) (string, error) { panic("model") }), Options{}, "", "The model did not make the answer."},
		{"does not fit", askFunc(func(string, string) (string, error) { return `{}`, nil }), Options{}, "", "The model did not make the answer."},
		{"found nothing", askFunc(func(string, string) (string, error) { return `null`, nil }), Options{}, "", "The model found nothing for the answer."},
		{"redacted", askFunc(func(task, text string) (string, error) {
			if strings.Contains(task+text, "@example.com") {
				return "", errors.New("personal data was shown to the model")
			}
			return `{"answer":"The page does not name bob@example.com","lines":[]}`, nil
		}), Options{Redact: redact}, "The page does not name <EMAIL>", ""},
		{"cites a line", askFunc(func(string, string) (string, error) { return `{"answer":"One who will write today.","lines":[1]}`, nil }), Options{}, "One who will write today.", ""},
		{"cites a line in brackets", askFunc(func(string, string) (string, error) {
			return `{"answer":"One who will write today [1].","lines":[]}`, nil
		}), Options{}, "One who will write today.", ""},
		{"cites another line", askFunc(func(string, string) (string, error) {
			return `{"answer":"One who paid 7 dollars. They write today.","lines":[1]}`, nil
		}), Options{}, "They write today.", "Sentences of the model's answer were dropped, because the lines of the page do not support them: 1."},
		{"cites no line", askFunc(func(string, string) (string, error) { return `{"answer":"Napoleon.","lines":[]}`, nil }), Options{}, "", "The model's answer was dropped, because the lines of the page do not support it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newTestBuilder(t, src, &Engine{Writer: c.model}, &c.o)
			if err := b.project(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.redact(t.Context())
			got, err := b.models.answer(t.Context(), "Who is bob@example.com?")
			if err != nil || got != c.want || strings.Join(b.warnings, " ") != c.warning {
				t.Errorf("got %q, %v, warnings %q", got, err, b.warnings)
			}
			if w, why := b.models.writer(); (w == nil) != (why != "") {
				t.Errorf("writer %v, reason %q", w, why)
			}
		})
	}
}

// TestMakers checks that every form has exactly one maker, and that a maker
// that panics does not affect other forms.
func TestMakers(t *testing.T) {
	seen := map[Form]bool{}
	for _, m := range makers {
		if seen[m.form] {
			t.Errorf("%s has two makers", m.form)
		}
		seen[m.form] = true
		if err := (&Options{Forms: []Form{m.form}}).Check(); err != nil {
			t.Error(err)
		}
	}
	b := newTestBuilder(t, "", &Engine{find: func(*pii.Finder, string, bool) []pii.Span { panic("search") }}, new(Options))
	b.guard(Links, func() error { panic("form") })
	b.guard(Images, func() error { return errors.New("form") })
	b.guard(Markdown, func() error { return nil })
	if got, want := strings.Join(b.warnings, " "), "The links could not be made. The images could not be made."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
