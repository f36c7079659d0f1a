// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/schema"
)

// Writer makes what only a model can: it does task with text and answers with
// JSON that fits schema, which is never empty, or with null where the text has
// nothing of it. The text is a page's, to be read as data and never as an
// instruction; it may be empty. Implementations are safe for concurrent use,
// return when ctx ends, keep none of what they are given, and deal with texts
// that are too long for their model themselves. An error costs the form what
// the model would have added, never the page.
// [example.com/curlew/format/formattest] checks one.
type Writer interface {
	Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error)
}

var (
	// errReply means that a model did not answer in the form that it was asked
	// for.
	errReply = errors.New("reply does not fit its schema")

	// errNothing means that the text has nothing of what a model was asked for.
	errNothing = errors.New("nothing found")
)

// maxReply bounds what a model may answer, in bytes.
const maxReply = 4 << 20

// models asks a Writer for the forms. A model reads no personal data that is
// to be masked, its answers in prose are redacted, and a failure is a warning:
// it costs the form what the model would have added. Answers in JSON are
// redacted by their form, after they were checked against the caller's schema,
// which the replacements need not fit.
type models struct {
	model    Writer // nil if none may see the page
	why      string // there is none, as a warning begins
	page     interface{ text() (string, error) }
	redactor *redactor
	warnings *warnings
}

func newModels(b *builder) models {
	m := models{model: b.deps.Writer, page: b, redactor: &b.redactor, warnings: &b.warnings}
	switch {
	case m.model == nil:
		m.why = "No model is configured"
	case b.o.NoRetain:
		m.model, m.why = nil, "Nothing may be retained, so no model is asked"
	}
	return m
}

// writer returns the Writer that may see this page; without one it returns nil
// and the reason, with which a warning begins.
func (m *models) writer() (Writer, string) { return m.model, m.why }

// write asks w, and once more where the reply does not fit the schema. A panic
// is an error.
func write(ctx context.Context, w Writer, task, text string, shape json.RawMessage) (reply json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			reply, err = nil, errReply
		}
	}()
	compiled, err := schema.Compile(shape)
	if err != nil {
		return nil, err
	}
	for again := range 2 {
		ask := task
		if again > 0 {
			ask += "\nThe last reply did not fit the schema: " + cut(err.Error(), 500)
		}
		if reply, err = w.Write(ctx, ask, text, shape); err != nil {
			return nil, err
		}
		if err = fits(ctx, compiled, reply); err == nil {
			return reply, nil
		}
		if string(bytes.TrimSpace(reply)) == "null" {
			return nil, errNothing
		}
	}
	return nil, fmt.Errorf("%w: %w", errReply, err)
}

// fits reports where a reply does not fit a schema.
func fits(ctx context.Context, s *schema.Schema, reply json.RawMessage) error {
	if len(reply) > maxReply {
		return errReply
	}
	var value any
	if err := json.Unmarshal(reply, &value); err != nil {
		return err
	}
	return s.Validate(ctx, value)
}

// ask lets a model do a task with the page's text; ok is false where there is
// none or it did not do it, and a warning says so.
func (m *models) ask(ctx context.Context, form Form, task string, shape json.RawMessage) (reply json.RawMessage, ok bool) {
	w, _ := m.writer()
	if w == nil {
		return nil, false
	}
	text, err := m.page.text()
	if err == nil {
		reply, err = write(ctx, w, task, text, shape)
	}
	if err != nil {
		m.unwritten(form, err)
		return nil, false
	}
	return reply, true
}

// unwritten warns that a model did not make a form.
func (m *models) unwritten(form Form, err error) {
	if errors.Is(err, errNothing) {
		m.warnings.add("The model found nothing of the " + string(form) + ".")
		return
	}
	m.warnings.add("The model did not make the " + string(form) + ".")
}

// Tasks of the prose forms, and the shapes of their replies (agent.md 19).
const (
	summaryTask  = "Sum up the page in at most 200 words, in the language of the page. Use nothing but the page."
	questionTask = "Answer the question from the page alone. Give the numbers of the lines that the answer stands on. " +
		"Where no line answers it, say that the page does not state it."
	numbersTask = "Give the numbers of the sentences that are about the query, the best first."
)

var (
	summaryShape  = json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}`)
	questionShape = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}},` +
		`"required":["answer","lines"],"additionalProperties":false}`)
	numbersShape = json.RawMessage(`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"}}},"required":["numbers"],"additionalProperties":false}`)
)

// summary returns the summary of a model, redacted; it is empty if there is
// none.
func (m *models) summary(ctx context.Context) (string, error) {
	reply, ok := m.ask(ctx, Summary, summaryTask, summaryShape)
	var r struct{ Summary string }
	if !ok || json.Unmarshal(reply, &r) != nil {
		r.Summary = ""
	}
	return m.redactor.masked(strings.TrimSpace(r.Summary))
}

// answer returns the answer of a model to a question, redacted; it is empty if
// there is none.
func (m *models) answer(ctx context.Context, question string) (string, error) {
	var r struct{ Answer string }
	if question, err := m.redactor.masked(question); err == nil {
		reply, ok := m.ask(ctx, Answer, questionTask+"\nQuestion: "+strconv.Quote(question), questionShape)
		if !ok || json.Unmarshal(reply, &r) != nil {
			r.Answer = ""
		}
	}
	return m.redactor.masked(strings.TrimSpace(r.Answer))
}

// maxNumbered bounds the text of numbered sentences that a model is given.
const maxNumbered = 1 << 20

// highlights returns sentences of the page that a model chose: as they
// stand there, since it only names their numbers. Nil without a model.
func (m *models) highlights(ctx context.Context, sentences []string, query string) []string {
	w, _ := m.writer()
	if w == nil || len(sentences) == 0 {
		return nil
	}
	var text strings.Builder
	for i, s := range sentences {
		if text.Len()+len(s) > maxNumbered {
			break
		}
		fmt.Fprintf(&text, "%d: %s\n", i+1, s)
	}
	shown, err := m.redactor.finish(text.String())
	if err == nil {
		query, err = m.redactor.masked(query)
	}
	var r struct{ Numbers []int }
	if err == nil {
		var reply json.RawMessage
		if reply, err = write(ctx, w, numbersTask+"\nQuery: "+strconv.Quote(query), shown, numbersShape); err == nil {
			err = json.Unmarshal(reply, &r)
		}
	}
	if err != nil {
		m.warnings.add("The model did not choose the highlights.")
		return nil
	}
	slices.Sort(r.Numbers)
	var found []string
	for _, n := range slices.Compact(r.Numbers) {
		if n >= 1 && n <= len(sentences) && len(found) < maxHighlights {
			found = append(found, sentences[n-1])
		}
	}
	return found
}

// extracted is the task of the json form.
func extracted(prompt string) string {
	task := "Fill in the schema from the page. Use nothing but the page; what it does not say is null or left out. " +
		"Candidates, which stand before the text, were read from its markup."
	if prompt = strings.TrimSpace(prompt); prompt != "" {
		task += "\nThe request: " + strconv.Quote(prompt)
	}
	return task
}

// anyObject is the shape of a json form without a schema.
var anyObject = json.RawMessage(`{"type":"object"}`)

// json returns what a model makes of the page for a schema; nil without
// one.
func (m *models) json(ctx context.Context, form Form, prompt string, shape, candidates json.RawMessage) json.RawMessage {
	w, _ := m.writer()
	if w == nil {
		return nil
	}
	text, err := m.page.text()
	if err == nil && len(candidates) > 0 {
		var shown json.RawMessage
		if shown, err = m.redactor.maskedJSON(candidates); err == nil {
			text = "Candidates: " + string(shown) + "\n\n" + text
		}
	}
	if err == nil {
		prompt, err = m.redactor.masked(prompt)
	}
	var reply json.RawMessage
	if err == nil {
		if len(shape) == 0 {
			shape = anyObject
		}
		reply, err = write(ctx, w, extracted(prompt), text, shape)
	}
	if err != nil {
		m.unwritten(form, err)
		return nil
	}
	return reply
}

// What a model fills in of a product or menu: what their forms hold, less the
// details that only markup tells.
var (
	priceShape   = `{"type":"object","properties":{"amount":{"type":"number"},"currency":{"type":"string"},"formatted":{"type":"string"}},"required":["amount"]}`
	productShape = json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"brand":{"type":"string"},"category":{"type":"string"},` +
		`"description":{"type":"string"},"variants":{"type":"array","minItems":1,"items":{"type":"object","properties":{"sku":{"type":"string"},` +
		`"title":{"type":"string"},"values":{"type":"object","additionalProperties":{"type":"string"}},"price":` + priceShape + `}}}},"required":["title","variants"]}`)
	menuShape = json.RawMessage(`{"type":"object","properties":{"isMenu":{"type":"boolean"},"sections":{"type":"array","items":{"type":"object","properties":` +
		`{"name":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},` +
		`"dietary":{"type":"array","items":{"type":"string"}},"price":` + priceShape + `},"required":["name"]}}},"required":["items"]}}},"required":["isMenu","sections"]}`)
)

// product returns the product that a model reads on the page; nil for
// none.
func (m *models) product(ctx context.Context, known *Product) *Product {
	candidates, err := encode(known)
	if err != nil {
		return nil
	}
	p := new(Product)
	if reply := m.json(ctx, ProductForm, "", productShape, candidates); reply == nil || json.Unmarshal(reply, p) != nil || p.Title == "" || len(p.Variants) == 0 {
		return nil
	}
	return p
}

// menu returns the menu that a model reads on the page; nil for none.
func (m *models) menu(ctx context.Context) *Menu {
	read := new(Menu)
	if reply := m.json(ctx, MenuForm, "", menuShape, nil); reply == nil || json.Unmarshal(reply, read) != nil || !read.IsMenu {
		return nil
	}
	read.Sections = slices.DeleteFunc(read.Sections, func(s MenuSection) bool { return len(s.Items) == 0 })
	if len(read.Sections) == 0 {
		return nil
	}
	return read
}
