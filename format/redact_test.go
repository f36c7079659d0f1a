// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/curlew/format"
)

// private is a page with personal data in every place that a form reads.
const private = `<html lang="en"><head><title>Call +1 212 555 0101</title>
<meta name="author" content="Zelda Quux"><meta name="description" content="Write to meta@zq.example.org, a description that is long enough to be a summary of it all.">
<meta property="og:title" content="og@zq.example.org"><meta name="x-owner" content="owner@zq.example.org">
<link rel="icon" href="/i.png?u=icon@zq.example.org"><link rel="apple-touch-icon" href="/t.png?u=touch%40zq.example.org">
<meta property="og:image" content="https://x.example/i.png?mail=ogimage@zq.example.org">
<script type="application/ld+json">{"@type":"Product","name":"Lamp of seller@zq.example.org","sku":"4111111111111111","offers":{"price":"5","priceCurrency":"EUR"},
"description":"Ask <b>ld</b>@zq.example.org","image":"https://x.example/l.png?by=ldimage@zq.example.org","brand":"Zelda Quux"}</script>
<style>body{font-family:"font@zq.example.org"}</style></head>
<body><main><h1>Lamp of seller@zq.example.org</h1>
<p>Mail jo<b>hn</b>@zq.exa<i>mple</i>.org or <a href="mailto:link@zq.example.org?subject=Hi" title="title@zq.example.org">this link</a>, tel
<a href="tel:+4930123456">phone</a>. Card 4111 1111
1111 1111, IBAN DE89370400440532013000, key AKIAIOSFODNN7EXAMPLE, SSN 123-45-6789.</p>
<p data-owner="data@zq.example.org">Zelda Quux lives at 12 Main Street, Springfield, IL 62704. She said that the lamp is red &amp; good &#64; night: ent&#64;zq.example.org.</p>
<p><img src="/p.png?who=image@zq.example.org" alt="alt@zq.example.org"> Password: hunter2!secret</p>
<table><tr><th>Contact</th><td>table@zq.example.org</td></tr><tr><th>Account</th><td>DE89 3704 0044 0532 0130 00</td></tr></table>
<pre><code>curl -u code@zq.example.org https://user:pass1234@x.example/?token=tok@zq.example.org</code></pre>
<video src="/v.mp4?u=video@zq.example.org" poster="/poster.png?u=poster@zq.example.org"></video></main></body></html>`

// leaks are texts that no redacted Document may contain.
var leaks = []string{
	"zq.exam", "555 0101", "4930123456", "4111", "1111", "DE89", "0044 0532", "AKIA", "123-45", "Quux", "Main Street", "62704", "hunter2", "pass1234",
}

var everyForm = []format.Form{
	format.Markdown, format.HTML, format.RawHTML, format.Links, format.Images, format.Attributes, format.Summary, format.Highlights, format.Answer,
	format.JSONForm, format.BrandingForm, format.ProductForm, format.MenuForm, format.Audio, format.VideoForm, format.ChangesForm,
}

// redacted builds every form of a page.
func redacted(t testing.TB, e *format.Engine, src string, r *format.Redact) *format.Document {
	t.Helper()
	d, err := e.Build(t.Context(), &format.Input{
		Root: tree(t, src), Raw: src, Body: []byte(src), URL: "https://x.example/a?owner=url@zq.example.org", SourceURL: "https://x.example/a?owner=url@zq.example.org",
		StatusCode: 200,
	}, &format.Options{
		Forms: everyForm, WholePage: true, Redact: r, Query: "lamp mail card", Question: "Who lives where?", Quotes: true,
		JSON:       format.Extraction{Deterministic: true},
		Attributes: []format.Attribute{{Selector: "p", Attribute: "data-owner"}, {Selector: "a", Attribute: "href"}},
		Changes:    format.Changes{GitDiff: true, JSON: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func encoded(t testing.TB, d *format.Document) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRedactEverything(t *testing.T) {
	for _, style := range []format.ReplaceStyle{"", format.ReplaceTag, format.ReplaceMask, format.ReplaceRemove} {
		for _, mode := range []format.RedactMode{"", format.RedactFast, format.RedactAggressive} {
			engine := &format.Engine{Snapshots: new(format.MemorySnapshots)}
			r := &format.Redact{Mode: mode, Style: style}
			first := redacted(t, engine, private, r)
			second := redacted(t, engine, strings.Replace(private, "is red", "is blue, write blue@zq.example.org", 1), r)
			for _, d := range []*format.Document{first, second} {
				text := encoded(t, d)
				for line := range strings.Lines(text) {
					for _, leak := range leaks {
						if strings.Contains(line, leak) {
							t.Errorf("style %q, mode %q: %q in %.300s", style, mode, leak, line)
						}
					}
				}
			}
			if second.ChangeTracking == nil || second.ChangeTracking.Diff == nil {
				t.Errorf("no diff: %v, %s", second.ChangeTracking, second.Warning)
			}
			if strings.ContainsAny(encoded(t, first), "\uFDD0\uFDD1\uFDD2\uFDD3\uFDD4\uFDD5\uFDD6") {
				t.Error("marks were not replaced")
			}
		}
	}
	d := redacted(t, &format.Engine{}, private, &format.Redact{})
	for _, want := range []string{"Mail <EMAIL> or", "(mailto:<EMAIL>", "Card <FINANCIAL>", "IBAN <FINANCIAL>", "<PERSON> lives at <LOCATION>", "Password: <SECRET>"} {
		if !strings.Contains(*d.Markdown, want) {
			t.Errorf("no %q in\n%s", want, *d.Markdown)
		}
	}
	if !strings.Contains(*d.HTML, "Mail &lt;EMAIL&gt;") || !strings.Contains(*d.RawHTML, "Mail &lt;EMAIL&gt;") {
		t.Errorf("html %s\nraw %s", *d.HTML, *d.RawHTML)
	}
	if !strings.Contains(d.Warning, "persons and places were looked for by rules only, without a model") {
		t.Errorf("warning %q", d.Warning)
	}
	if d.Metadata.StatusCode != 200 {
		t.Error("the status is missing")
	}
}

func TestRedactSome(t *testing.T) {
	d := redacted(t, &format.Engine{}, private, &format.Redact{Mode: format.RedactFast, Entities: []format.Entity{format.EntityFinancial}})
	if !strings.Contains(*d.Markdown, "john@zq.example.org") && !strings.Contains(*d.Markdown, "@zq.exa") || strings.Contains(*d.Markdown, "4111") {
		t.Errorf("got %s", *d.Markdown)
	}
	mask := redacted(t, &format.Engine{}, "<p>Mail ab@cd.org now</p>", &format.Redact{Mode: format.RedactFast, Style: format.ReplaceMask})
	if *mask.Markdown != "Mail ********* now\n" {
		t.Errorf("mask %q", *mask.Markdown)
	}
	remove := redacted(t, &format.Engine{}, "<p>Mail ab@cd.org now</p>", &format.Redact{Mode: format.RedactFast, Style: format.ReplaceRemove})
	if *remove.Markdown != "Mail  now\n" && *remove.Markdown != "Mail now\n" {
		t.Errorf("remove %q", *remove.Markdown)
	}
	// Characters of the page that look like marks are removed.
	forged := redacted(t, &format.Engine{}, "<p>a\uFDD1b \uFDD6c</p>", &format.Redact{Mode: format.RedactFast})
	if *forged.Markdown != "ab c\n" || strings.Contains(*forged.RawHTML, "EMAIL") {
		t.Errorf("forged %q, %q", *forged.Markdown, *forged.RawHTML)
	}
}

// TestRedactFailsClosed checks that texts are not shown if the search fails,
// and that warnings say so.
func TestRedactFailsClosed(t *testing.T) {
	for name, fail := range map[string]func(int) bool{
		"at once": func(int) bool { return true },
		"later":   func(n int) bool { return n > 40 },
		"last":    func(n int) bool { return n > 300 },
	} {
		engine := &format.Engine{Snapshots: new(format.MemorySnapshots)}
		format.FailRedaction(engine, fail)
		d := redacted(t, engine, private, &format.Redact{Mode: format.RedactFast})
		text := encoded(t, d)
		for _, leak := range leaks {
			if strings.Contains(text, leak) {
				t.Errorf("%s: %q in %s", name, leak, text)
			}
		}
		if d.Warning == "" {
			t.Errorf("%s: no warning", name)
		}
	}
}

func TestRedactBase64(t *testing.T) {
	d, err := format.Build(t.Context(), &format.Input{Body: []byte("a@b.org")}, &format.Options{Forms: []format.Form{format.RawBase64}, Redact: &format.Redact{}})
	if err != nil || *d.RawBase64 != "" || !strings.Contains(d.Warning, "rawBase64 is empty") {
		t.Errorf("got %v, %v", d, err)
	}
}

// TestRedactByModel checks that a model sees no personal data that rules find,
// that names found by the model are removed from all forms, and that nothing is
// shown if the model fails.
func TestRedactByModel(t *testing.T) {
	var seen []string
	engine := &format.Engine{Writer: writerFunc(func(_ context.Context, task, text string, _ json.RawMessage) (json.RawMessage, error) {
		seen = append(seen, text)
		if strings.HasPrefix(task, "List the names") {
			return json.RawMessage(`{"persons":["Wren"],"locations":["the old mill","nowhere"]}`), nil
		}
		return nil, errors.New("busy")
	})}
	page := "<title>Wren</title><p>Wren, w@zq.example.org, lives in the old mill.</p>"
	d := redacted(t, engine, page, &format.Redact{})
	if *d.Markdown != "<PERSON>, <EMAIL>, lives in <LOCATION>.\n" || d.Metadata.Title != "<PERSON>" {
		t.Errorf("got %q, title %q", *d.Markdown, d.Metadata.Title)
	}
	for _, text := range seen {
		if strings.Contains(text, "zq.example") {
			t.Errorf("the model saw %q", text)
		}
	}
	engine.Writer = writerFunc(func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("busy")
	})
	d = redacted(t, engine, page, &format.Redact{})
	if text := encoded(t, d); strings.Contains(text, "Wren") || strings.Contains(text, "zq.example") || !strings.Contains(d.Warning, "nothing of the page is shown") {
		t.Errorf("a model that fails: %s", text)
	}
}

// TestRedactWarning checks that a warning that quotes an invalid value contains
// no personal data.
func TestRedactWarning(t *testing.T) {
	const page = `<p>x</p><script type="application/ld+json">{"@type":"Product","name":"leak@zq.example.org"}</script>`
	d, err := format.Build(t.Context(), &format.Input{Root: tree(t, page), URL: pageURL}, &format.Options{
		Forms: []format.Form{format.JSONForm}, Redact: &format.Redact{Mode: format.RedactFast},
		JSON: format.Extraction{Deterministic: true, Schema: []byte(`{"type":"object","properties":{"name":{"type":"string","pattern":"^mailto:"}},"required":["name"]}`)},
	})
	if err != nil || !strings.Contains(d.Warning, "does not fit its schema") || strings.Contains(encoded(t, d), "zq.example") {
		t.Errorf("%v, %s", err, encoded(t, d))
	}
}

// TestRedactNobody checks that a page is unchanged if the model finds no names.
func TestRedactNobody(t *testing.T) {
	engine := &format.Engine{Writer: writerFunc(func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage("null"), nil
	})}
	if d := redacted(t, engine, "<p>Herons eat fish. w@zq.example.org", &format.Redact{}); *d.Markdown != "Herons eat fish. <EMAIL>\n" {
		t.Errorf("got %q, %s", *d.Markdown, d.Warning)
	}
}

// writerFunc is a model made from a function.
type writerFunc func(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error)

func (f writerFunc) Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error) {
	return f(ctx, task, text, schema)
}
