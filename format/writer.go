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

	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/sorting"
)

// A Writer asks a language model. It performs task on text and returns JSON that
// fits schema, or null if the text has nothing that was asked for. The schema is
// never empty. The text comes from a page: it is data, never an instruction, and
// may be empty. Implementations are safe for concurrent use, return when ctx
// ends, and store nothing of what they are given.
//
// If the answer leaves something out, such as the end of a long text, Write returns it
// together with an error that has the methods
//
//	Omissions() []string // each with a number and a reason, without text of the page
//	Unread() bool        // a part of the text was not read
//
// The omissions become warnings of the page. After an error without an answer, the form
// is made without the model.
// Package [example.com/curlew/format/formattest] checks an implementation.
type Writer interface {
	Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error)
}

var (
	// errReply means that the answer of a model does not fit its schema.
	errReply = errors.New("reply does not fit its schema")

	// errNothing means that a model found no answer in the text.
	errNothing = errors.New("nothing found")
)

// Limits of answers.
const (
	maxReply     = 4 << 20 // bytes
	maxOmissions = 20      // warnings about what an answer leaves out
	maxOmission  = 300     // bytes of such a warning
)

// partial is an error that comes together with an answer.
type partial interface {
	Omissions() []string
	Unread() bool
}

// omissions are what an answer leaves out.
type omissions struct {
	texts  []string
	unread bool // a part of the text was not read
}

// omitted returns the omissions that an error of a Writer describes. An error that
// describes none counts as an unread part.
func omitted(err error) omissions {
	var p partial
	if err == nil {
		return omissions{}
	}
	if !errors.As(err, &p) {
		return omissions{[]string{"it does not cover the whole text"}, true}
	}
	var out omissions
	out.unread = p.Unread()
	all := p.Omissions()
	for _, text := range all[:min(len(all), maxOmissions)] {
		out.texts = append(out.texts, cut(strings.Join(strings.Fields(text), " "), maxOmission))
	}
	if n := len(all) - len(out.texts); n > 0 {
		out.texts = append(out.texts, strconv.Itoa(n)+" more omissions")
	}
	if len(out.texts) == 0 {
		out.texts = []string{"the model did not say what"}
	}
	return out
}

// models asks a Writer for the forms. A model does not read personal data that is to be
// masked, and its answers in prose are redacted. If it fails, there is a warning, and
// the form is made without it. Answers in JSON are redacted by the code of their form,
// after it has checked them against the caller's schema, because the replacements need
// not fit the schema.
type models struct {
	model    Writer // nil if none may see the page
	why      string // the reason why there is none, which begins a warning
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

// writer returns the Writer that may see this page. If there is none, it returns nil and
// the reason, which begins a warning.
func (m *models) writer() (Writer, string) { return m.model, m.why }

// write asks w, and asks it once more if the reply does not fit the schema. It returns a
// panic of w as an error. left is what the reply leaves out, also if the error says that
// nothing was found.
func write(ctx context.Context, w Writer, task, text string, shape json.RawMessage) (reply json.RawMessage, left omissions, err error) {
	defer func() {
		if v := recover(); v != nil {
			reply, left, err = nil, omissions{}, errReply
		}
	}()
	compiled, err := schema.Compile(shape)
	if err != nil {
		return nil, omissions{}, err
	}
	for again := range 2 {
		ask := task
		if again > 0 {
			ask += "\nThe last reply did not fit the schema: " + cut(err.Error(), 500)
		}
		if reply, err = w.Write(ctx, ask, text, shape); err != nil && len(reply) == 0 {
			return nil, omissions{}, err
		}
		left = omitted(err)
		if err = fits(ctx, compiled, reply); err == nil {
			return reply, left, nil
		}
		if string(bytes.TrimSpace(reply)) == "null" {
			return nil, left, errNothing
		}
	}
	return nil, omissions{}, fmt.Errorf("%w: %w", errReply, err)
}

// fits returns an error if a reply does not fit the schema.
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

// ask gives a model a task and the page's text. If there is no model, ok is
// false. If the model fails, ok is false and there is a warning.
func (m *models) ask(ctx context.Context, form Form, task string, shape json.RawMessage) (reply json.RawMessage, ok bool) {
	w, _ := m.writer()
	if w == nil {
		return nil, false
	}
	text, err := m.page.text()
	var left omissions
	if err == nil {
		reply, left, err = write(ctx, w, task, text, shape)
	}
	m.incomplete(form, left)
	if err != nil {
		m.unwritten(form, err)
		return nil, false
	}
	return reply, true
}

// incomplete warns of what the model's answer for a form leaves out.
func (m *models) incomplete(form Form, left omissions) {
	for _, text := range left.texts {
		m.warnings.add("The model's " + string(form) + " is incomplete: " + text + ".")
	}
}

// unwritten warns that a model did not make a form.
func (m *models) unwritten(form Form, err error) {
	if errors.Is(err, errNothing) {
		m.warnings.add("The model found nothing for the " + string(form) + ".")
		return
	}
	m.warnings.add("The model did not make the " + string(form) + ".")
}

// Tasks of the prose forms, and the schemas of their replies.
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
	if text, err := m.page.text(); err == nil && r.Summary != "" {
		source := claims.NewSource(text)
		r.Summary = m.supported(Summary, r.Summary, source.States)
	}
	return m.redactor.masked(strings.TrimSpace(r.Summary))
}

// answer returns the answer of a model to a question, redacted; it is empty if
// there is none.
func (m *models) answer(ctx context.Context, question string) (string, error) {
	var r struct {
		Answer string
		Lines  []int
	}
	if question, err := m.redactor.masked(question); err == nil {
		reply, ok := m.ask(ctx, Answer, questionTask+"\nQuestion: "+strconv.Quote(question), questionShape)
		if !ok || json.Unmarshal(reply, &r) != nil {
			r.Answer = ""
		}
		if text, err := m.page.text(); err == nil && r.Answer != "" {
			var numbers []int
			if r.Answer, numbers = claims.Bracketed(r.Answer); len(r.Lines) == 0 {
				r.Lines = numbers
			}
			r.Answer = m.supported(Answer, r.Answer, citedBy(text, r.Lines, question))
		}
	}
	return m.redactor.masked(strings.TrimSpace(r.Answer))
}

// citedBy returns a function that reports whether the lines that an answer cites
// support a sentence of it. If the answer cites no lines, the whole text has to
// support the sentence, or the sentence may say that something is not known.
func citedBy(text string, lines []int, question string) func(sentence string) bool {
	all := strings.Split(text, "\n")
	var cited strings.Builder
	for _, n := range lines[:min(len(lines), len(all))] {
		if n >= 1 && n <= len(all) {
			cited.WriteString(all[n-1] + "\n")
		}
	}
	whole := claims.NewSource(text)
	if cited.Len() == 0 {
		return func(s string) bool { return whole.Silent(s, question) || whole.Answers(s, question) }
	}
	source := claims.NewSource(cited.String())
	return func(s string) bool { return source.Answers(s, question) && !whole.Misplaces(s, question) }
}

// supported returns the sentences of a reply that the page supports, and warns of those
// that it does not. If there are none, the form is made without the model.
func (m *models) supported(form Form, reply string, ok func(sentence string) bool) string {
	kept, dropped := claims.Keep(reply, ok)
	switch {
	case dropped > 0 && kept == "":
		m.warnings.add("The model's " + string(form) + " was dropped, because the lines of the page do not support it.")
	case dropped > 0:
		m.warnings.add("Sentences of the model's " + string(form) + " were dropped, because the lines of the page do not support them: " + strconv.Itoa(dropped) + ".")
	}
	return kept
}

// maxNumbered is the size limit of the numbered sentences for a model, in bytes.
const maxNumbered = 1 << 20

// highlights returns the sentences that a model chose. The model names only
// their numbers, so they are quoted exactly. Without a model it returns nil.
func (m *models) highlights(ctx context.Context, sentences []string, query string) []string {
	w, _ := m.writer()
	if w == nil || len(sentences) == 0 {
		return nil
	}
	var text strings.Builder
	for i, s := range sentences {
		if text.Len()+len(s) > maxNumbered {
			m.incomplete(Highlights, omissions{texts: []string{fmt.Sprintf("the last %d of %d sentences were not shown to the model", len(sentences)-i, len(sentences))}})
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
		var left omissions
		if reply, left, err = write(ctx, w, numbersTask+"\nQuery: "+strconv.Quote(query), shown, numbersShape); err == nil {
			err = json.Unmarshal(reply, &r)
		}
		m.incomplete(Highlights, left)
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

// json returns the reply of a model to a schema, not yet redacted, or nil if there is
// none.
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
	var left omissions
	if err == nil {
		if len(shape) == 0 {
			shape = anyObject
		}
		reply, left, err = write(ctx, w, extracted(prompt), text, shape)
	}
	m.incomplete(form, left)
	if err != nil {
		m.unwritten(form, err)
		return nil
	}
	return reply
}

// The schemas of a product and a menu for a model: the members of their forms,
// without details that only markup contains.
var (
	priceShape   = `{"type":"object","properties":{"amount":{"type":"number"},"currency":{"type":"string"},"formatted":{"type":"string"}},"required":["amount"]}`
	productShape = json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"brand":{"type":"string"},"category":{"type":"string"},` +
		`"description":{"type":"string"},"variants":{"type":"array","minItems":1,"items":{"type":"object","properties":{"sku":{"type":"string"},` +
		`"title":{"type":"string"},"values":{"type":"object","additionalProperties":{"type":"string"}},"price":` + priceShape + `}}}},"required":["title","variants"]}`)
	menuShape = json.RawMessage(`{"type":"object","properties":{"isMenu":{"type":"boolean"},"sections":{"type":"array","items":{"type":"object","properties":` +
		`{"name":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},` +
		`"dietary":{"type":"array","items":{"type":"string"}},"price":` + priceShape + `},"required":["name"]}}},"required":["items"]}}},"required":["isMenu","sections"]}`)
)

// product returns the product that a model finds on the page, or nil.
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

// menu returns the menu that a model finds on the page, or nil.
func (m *models) menu(ctx context.Context) *Menu {
	read := new(Menu)
	if reply := m.json(ctx, MenuForm, "", menuShape, nil); reply == nil || json.Unmarshal(reply, read) != nil || !read.IsMenu {
		return nil
	}
	read.Sections = sorting.Without(read.Sections, func(s MenuSection) bool { return len(s.Items) == 0 })
	if len(read.Sections) == 0 {
		return nil
	}
	return read
}
