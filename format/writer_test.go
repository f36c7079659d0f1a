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

// asked builds forms of a page with a model. answers maps the beginning of a
// task to the model's answer.
func asked(t *testing.T, src string, o format.Options, answers map[string]string) (*format.Document, []string) {
	t.Helper()
	var tasks []string
	engine := format.Engine{Snapshots: new(format.MemorySnapshots), Writer: writerFunc(func(_ context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error) {
		tasks = append(tasks, task+"\n"+text)
		if !json.Valid(schema) {
			t.Errorf("no schema: %q", schema)
		}
		for start, reply := range answers {
			if strings.HasPrefix(task, start) {
				return json.RawMessage(reply), nil
			}
		}
		return nil, errors.New("busy")
	})}
	d, err := engine.Build(t.Context(), &format.Input{Root: tree(t, src), Raw: src, URL: pageURL}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return d, tasks
}

const herons = `<title>Herons</title><main><p>Herons eat fish. They stand in water. Gulls eat what they find.</p><p>A heron can wait for an hour.</p></main>`

func TestWriter(t *testing.T) {
	d, tasks := asked(t, herons, format.Options{
		Forms: []format.Form{format.Summary, format.Highlights, format.Answer, format.JSONForm}, Query: "food", Question: "What do herons eat?", WholePage: true,
		JSON: format.Extraction{Prompt: "the food", Schema: []byte(`{"type":"object","properties":{"food":{"type":"string"}},"required":["food"]}`)},
	}, map[string]string{
		"Sum up":          `{"summary":"Herons wait."}`,
		"Give the number": `{"numbers":[3,1,99,1]}`,
		"Answer":          `{"answer":"Fish.","lines":[1]}`,
		"Fill in":         `{"food":"fish"}`,
	})
	if *d.Summary != "Herons wait." || *d.Highlights != "Herons eat fish.\nGulls eat what they find." || *d.Answer != "Fish." || string(d.JSON) != `{"food":"fish"}` {
		t.Errorf("got %q, %q, %q, %s; %s", *d.Summary, *d.Highlights, *d.Answer, d.JSON, d.Warning)
	}
	if d.Warning != "" || d.Markdown != nil {
		t.Errorf("warning %q, markdown %v", d.Warning, d.Markdown)
	}
	if len(tasks) != 4 {
		t.Errorf("%d tasks", len(tasks))
	}
}

// TestWriterUnsupported checks that prose of a model which the cited lines do not support is
// dropped with a warning. If nothing is left, the form is made from the page.
func TestWriterUnsupported(t *testing.T) {
	for _, c := range []struct{ summary, answer, wantSummary, wantAnswer, warning string }{
		{`Herons eat fish. The museum opened in 1871.`, `{"answer":"Fish.","lines":[1]}`, "Herons eat fish.", "Fish.", "Sentences of the model's summary"},
		{`Herons can wait an hour.`, `{"answer":"Herons eat frogs.","lines":[1]}`, "Herons can wait an hour.", "Herons eat fish.", "The model's answer was dropped"},
		{`Herons eat fish.`, `{"answer":"Herons do not eat fish. They eat fish.","lines":[1]}`, "Herons eat fish.", "They eat fish.", "Sentences of the model's answer"},
		{`Herons eat fish.`, `{"answer":"Herons do not eat fish.","lines":[]}`, "Herons eat fish.", "Herons eat fish.", "The model's answer was dropped"},
		{`The shop sells 40 bicycles.`, `{"answer":"The page does not state it.","lines":[]}`, "Gulls eat what they find.", "The page does not state it.", "The model's summary was dropped"},
	} {
		d, _ := asked(t, herons, format.Options{Forms: []format.Form{format.Summary, format.Answer}, Question: "What do herons eat?", WholePage: true},
			map[string]string{"Sum up": `{"summary":"` + c.summary + `"}`, "Answer": c.answer})
		if !strings.Contains(*d.Summary, c.wantSummary) || *d.Answer != c.wantAnswer || !strings.Contains(d.Warning, c.warning) {
			t.Errorf("%q, %q, warning %q", *d.Summary, *d.Answer, d.Warning)
		}
		if strings.Contains(*d.Summary+*d.Answer, "1871") || strings.Contains(*d.Summary, "40") {
			t.Errorf("unsupported: %q, %q", *d.Summary, *d.Answer)
		}
	}
}

// TestWriterFails checks that the forms are made without the model if it fails or its
// replies do not fit the schema.
func TestWriterFails(t *testing.T) {
	for name, answers := range map[string]map[string]string{
		"busy":  nil,
		"wrong": {"Sum up": `{"text":1}`, "Give": `[]`, "Answer": `nonsense`, "Fill in": `{"title":5}`},
	} {
		d, tasks := asked(t, herons, format.Options{
			Forms: []format.Form{format.Summary, format.Highlights, format.Answer, format.JSONForm}, Query: "fish", Question: "What eats fish?", WholePage: true,
			JSON: format.Extraction{Schema: []byte(`{"type":"object","properties":{"title":{"type":"string"}}}`)},
		}, answers)
		if !strings.Contains(*d.Summary, "Gulls eat what they find.") || *d.Highlights != "Herons eat fish." || *d.Answer != "Herons eat fish." || string(d.JSON) != `{"title":"Herons"}` {
			t.Errorf("%s: %q, %q, %q, %s", name, *d.Summary, *d.Highlights, *d.Answer, d.JSON)
		}
		if d.Warning == "" || name == "wrong" && len(tasks) != 8 {
			t.Errorf("%s: %d tasks, warning %q", name, len(tasks), d.Warning)
		}
	}
}

// TestWriterFindsNothing checks that a model that finds nothing causes one
// warning.
func TestWriterFindsNothing(t *testing.T) {
	d, tasks := asked(t, herons, format.Options{
		Forms: []format.Form{format.JSONForm}, WholePage: true,
		JSON: format.Extraction{Schema: []byte(`{"type":"object","properties":{"price":{"type":"number"}}}`)},
	}, map[string]string{"Fill in": " null\n"})
	if len(tasks) != 1 || string(d.JSON) != "null" || !strings.Contains(d.Warning, "The model found nothing for the json.") {
		t.Errorf("%d tasks, %s, %q", len(tasks), d.JSON, d.Warning)
	}
}

// TestWriterNoRetain checks that no model is asked under zero data retention.
func TestWriterNoRetain(t *testing.T) {
	d, tasks := asked(t, herons, format.Options{Forms: []format.Form{format.Summary, format.JSONForm}, NoRetain: true, Clean: true}, nil)
	if len(tasks) != 0 || !strings.Contains(d.Warning, "Nothing may be retained, so no model is asked") {
		t.Errorf("%d tasks, %q", len(tasks), d.Warning)
	}
}

func TestClean(t *testing.T) {
	page := `<title>A</title><main><h1>A</h1><p>` + strings.Repeat("This is what the page is about. ", 20) + `</p>
	<div class="share-bar">Share on X</div><p>` + strings.Repeat("And this as well. ", 20) + `</p>
	<h2>Related articles</h2><ul><li><a href="/b">Another</a><li><a href="/c">A third</a></ul><h2>Results</h2><p>` + strings.Repeat("All of it holds. ", 20) + `</p>
	<p>Photos by nobody in particular.</p></main>`
	o := format.Options{Forms: []format.Form{format.Markdown}, Clean: true}
	d, _ := asked(t, page, o, map[string]string{"The numbered lines": `{"numbers":[6]}`})
	for _, gone := range []string{"Share on", "Related", "Another", "Photos by"} {
		if strings.Contains(*d.Markdown, gone) {
			t.Errorf("%q is left in\n%s", gone, *d.Markdown)
		}
	}
	for _, kept := range []string{"# A", "page is about", "this as well", "## Results", "All of it"} {
		if !strings.Contains(*d.Markdown, kept) {
			t.Errorf("%q is gone from\n%s", kept, *d.Markdown)
		}
	}
	// An answer that would drop most of the page is ignored.
	d, _ = asked(t, page, o, map[string]string{"The numbered lines": `{"numbers":[1,2,3,4,5]}`})
	if !strings.Contains(*d.Markdown, "page is about") || !strings.Contains(d.Warning, "would have dropped most") {
		t.Errorf("got %s; %s", *d.Markdown, d.Warning)
	}
}

func TestExtract(t *testing.T) {
	const page = `<html lang="en"><head><title>Lamp</title><script type="application/ld+json">
	{"@graph":[{"@type":"Product","name":"Lamp","sku":"L1","brand":{"@type":"Brand","name":"Heron"},"offers":{"price":"1299.50","priceCurrency":"EUR","availability":"https://schema.org/InStock"},
	"aggregateRating":{"@type":"AggregateRating","ratingValue":"4.5","reviewCount":"12"},"review":[{"@type":"Review","author":{"@type":"Person","name":"Jo"},"reviewBody":"Good"},{"@type":"Review","author":"Al","reviewBody":"Fine"}]},
	{"@type":"ItemList","itemListElement":[{"@type":"ListItem","position":1,"item":{"@type":"Thing","name":"One","url":"/1"}},{"@type":"ListItem","position":2,"item":{"@type":"Thing","name":"Two"}}]}]}</script></head>
	<body><h1>Lamp</h1><dl><dt>Weight:</dt><dd>1,5 kg</dd></dl><table><tr><th>Material</th><td>Ash</td></tr></table></body></html>`
	for _, test := range []struct{ name, schema, want string }{
		{
			"names and synonyms", `{"type":"object","properties":{"productName":{"type":"string"},"cost":{"type":"number"},"price_currency":{"type":"string"},"manufacturer":{"type":"string"},"in_stock":{"type":"boolean"}}}`,
			`{"cost":1299.5,"in_stock":true,"manufacturer":"Heron","price_currency":"EUR","productName":"Lamp"}`,
		},
		{"tables and lists of terms", `{"type":"object","properties":{"material":{"type":"string"},"weight":{"type":"string"}}}`, `{"material":"Ash","weight":"1,5 kg"}`},
		{
			"things", `{"type":"object","properties":{"aggregateRating":{"type":"object","properties":{"rating":{"type":"number"},"reviewCount":{"type":"integer"}}}}}`,
			`{"aggregateRating":{"rating":4.5,"reviewCount":12}}`,
		},
		{
			"lists of things", `{"type":"object","properties":{"reviews":{"type":"array","items":{"type":"object","properties":{"author":{"type":"string"},"text":{"type":"string"}}}}}}`,
			`{"reviews":[{"author":"Jo"},{"author":"Al"}]}`,
		},
		{
			"a list", `{"type":"object","properties":{"items":{"type":"array","maxItems":1,"items":{"$ref":"#/$defs/item"}}},"$defs":{"item":{"type":"object","properties":{"title":{"type":"string"},"url":{"type":"string"}}}}}`,
			`{"items":[{"title":"One","url":"https://birds.example/1"}]}`,
		},
		{"choice", `{"type":"object","properties":{"stock":{"enum":["InStock","OutOfStock"]},"colour":{"type":["string","null"]}},"required":["stock","colour"]}`, `{"colour":null,"stock":"InStock"}`},
		{"nothing", `{"type":"object","properties":{"colour":{"type":"string"}}}`, `null`},
		{"something is missing", `{"type":"object","properties":{"title":{"type":"string"},"colour":{"type":"string"}},"required":["title","colour"]}`, `null`},
		{"a circular reference", `{"$ref":"#"}`, `null`},
	} {
		o := format.Options{Forms: []format.Form{format.JSONForm}, JSON: format.Extraction{Schema: []byte(test.schema), Deterministic: true}}
		d := build(t, page, o)
		if string(d.JSON) != test.want {
			t.Errorf("%s:\n got %s\nwant %s\n%s", test.name, d.JSON, test.want, d.Warning)
		}
		if (test.want == "null") != (d.Warning != "") {
			t.Errorf("%s: warning %q", test.name, d.Warning)
		}
	}
	d := build(t, page, format.Options{Forms: []format.Form{format.JSONForm}, JSON: format.Extraction{Deterministic: true}})
	if !strings.Contains(string(d.JSON), `"price":"1299.5"`) || !strings.Contains(string(d.JSON), `"Material":"Ash"`) {
		t.Errorf("without a schema: %s", d.JSON)
	}
	if err := format.CheckSchema([]byte(`{"type":"objekt"}`)); !errors.Is(err, format.ErrSchema) {
		t.Errorf("CheckSchema: %v", err)
	}
}

func TestAdRules(t *testing.T) {
	rules, err := format.ReadAdRules(strings.NewReader("##.house-ad\n||sofas.example^\nbirds.example##div[id^=\"bin-\"] > p\n"))
	if err != nil || rules.Rules() != 3 {
		t.Fatalf("%v, %v", rules, err)
	}
	blocks := rules.Requests(pageURL)
	for url, want := range map[string]bool{"https://www.sofas.example/": true, "http://sofas.example/ad.js": true, "https://sofas.test/": false, "not a URL": false} {
		if blocks(url) != want {
			t.Errorf("the request for %s is blocked: %v", url, !want)
		}
	}
	page := `<p>` + strings.Repeat("Content. ", 30) + `</p><div class="house-ad">Buy</div><a href="https://www.sofas.example/x">Sofas</a><div id="bin-7"><p>Hidden</p></div>`
	in := &format.Input{Root: tree(t, page), URL: pageURL}
	for _, test := range []struct {
		keep, shown bool
	}{{false, false}, {true, true}} {
		d, err := (&format.Engine{Ads: rules}).Build(t.Context(), in, &format.Options{WholePage: true, KeepAds: test.keep})
		if err != nil {
			t.Fatal(err)
		}
		for _, ad := range []string{"Buy", "Sofas", "Hidden"} {
			if strings.Contains(*d.Markdown, ad) != test.shown {
				t.Errorf("keep %v: %q in %s", test.keep, ad, *d.Markdown)
			}
		}
	}
}

func TestHidden(t *testing.T) {
	engine := format.Engine{Snapshots: new(format.MemorySnapshots)}
	d, err := engine.Build(t.Context(), &format.Input{Root: tree(t, herons), URL: pageURL, Hidden: true}, &format.Options{Forms: []format.Form{format.Markdown, format.ChangesForm}})
	if err != nil || d.ChangeTracking.Visibility != "hidden" {
		t.Errorf("%v, %v", d, err)
	}
}
