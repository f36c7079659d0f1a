// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/format"
)

// modelFunc is a model made from a function.
type modelFunc func(c llm.Call) (llm.Reply, error)

func (f modelFunc) Complete(_ context.Context, c llm.Call) (llm.Reply, error) { return f(c) }

// TestPartialReply checks that a form says which parts of a long page the model did not
// read, and that accurate redaction then shows nothing.
func TestPartialReply(t *testing.T) {
	long := "<h1>Herons</h1><p>Herons eat fish.</p>" + strings.Repeat("<h2>Part</h2><p>Many words that say little, line after line.</p>", 900)
	replies := map[string]string{
		"summary": `{"summary":"Herons eat fish."}`,
		"answer":  `{"answer":"Herons eat fish.","lines":[3]}`,
		"fields":  `{"kind":"detail","rows":[{"v":{"food":"fish"},"ln":{"food":[3,3]}}]}`,
		"numbers": `{"numbers":[1]}`,
	}
	writer := &agent.Writer{Model: modelFunc(func(c llm.Call) (llm.Reply, error) {
		if !strings.Contains(c.User, "Herons eat fish") {
			return llm.Reply{Finish: llm.FinishRefusal}, nil
		}
		for name, reply := range replies {
			if strings.Contains(string(c.Schema), `"`+name+`"`) || name == "fields" && strings.Contains(c.User, "\nfields:\n") {
				return llm.Reply{JSON: json.RawMessage(reply)}, nil
			}
		}
		return llm.Reply{}, fmt.Errorf("unexpected schema %s", c.Schema)
	})}
	for _, test := range []struct {
		form    format.Form
		options format.Options
		want    string
	}{
		{format.Summary, format.Options{}, "The model's summary is incomplete: 2 of 3 parts of the text got no usable reply."},
		{format.Answer, format.Options{Question: "What do herons eat?"}, "The model's answer is incomplete: 2 of 3 parts of the text got no usable reply."},
		{
			format.JSONForm,
			format.Options{JSON: format.Extraction{Schema: json.RawMessage(`{"type":"object","properties":{"food":{"type":"string"}}}`)}},
			"The model's json is incomplete: 2 of 3 parts of the text got no usable reply.",
		},
	} {
		test.options.Forms, test.options.WholePage = []format.Form{test.form}, true
		d, err := (&format.Engine{Writer: writer}).Build(t.Context(), &format.Input{Root: tree(t, long), Raw: long, URL: pageURL}, &test.options)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Warning, test.want) {
			t.Errorf("%s: %q, want %q; %s", test.form, d.Warning, test.want, encoded(t, d))
		}
	}
	d := redacted(t, &format.Engine{Writer: partialWriter{}}, "<p>Jane Doe eats fish.", &format.Redact{})
	if *d.Markdown != "" || !strings.Contains(d.Warning, "nothing of the page is shown") {
		t.Errorf("names of a text that was not read are shown: %s", encoded(t, d))
	}
}

// partialWriter gives an answer that does not cover the whole text.
type partialWriter struct{}

func (partialWriter) Write(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"persons":[],"locations":[]}`), errors.New("the end is missing")
}
