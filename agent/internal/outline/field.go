// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Field is a column of a table: a member of a row, or of an object inside it.
type Field struct {
	Name     string   // Path, joined by points
	Path     []string // names of the members, starting at the row
	Node     *schema.Node
	Required bool
	Free     bool // the model writes its text itself, such as a summary or a verdict
	Prose    bool // Free, and a text about what pages state, which is never a class such as "positive"
	Hidden   bool // the question needs it, but the answer does not contain it

	wants sync.Once // guards the fields below, which Wants sets
	scale float64
	unit  value.Unit
	words []string
	clock string
	rate  string

	terms sync.Map // [term] by normal text
	asked atomic.Int32
}

// Wants returns the scale and the unit in which the field wants its numbers, by its name
// and its description. The scale is 1 and the unit is zero if they do not say so.
func (f *Field) Wants() (scale float64, unit value.Unit) {
	f.wants.Do(f.read)
	return f.scale, f.unit
}

// Words returns the words of the name and the description of the field in normal form.
func (f *Field) Words() []string {
	f.wants.Do(f.read)
	return f.words
}

// Clock returns the form in which the field wants times, such as HH:MM, if its description says so.
func (f *Field) Clock() string {
	f.wants.Do(f.read)
	return f.clock
}

// Rate returns the period to which the field wants its prices to refer, such as month, or "" if its name and
// its description name none.
func (f *Field) Rate() string {
	f.wants.Do(f.read)
	return f.rate
}

// IsMoney reports whether the field wants amounts of money.
func (f *Field) IsMoney() bool {
	return (f.Node.Type == schema.Number || f.Node.Type == schema.Integer) && value.OfMoney(f.Words())
}

func (f *Field) read() {
	f.rate = value.RateNamed(f.Name, f.Node.Description)
	f.clock = value.ClockForm.FindString(f.Node.Description)
	f.scale, f.unit = value.ScaleOf(f.Name, f.Node.Description), value.UnitOf(f.Name, f.Node.Description)
	f.words = value.Words(value.Normal(f.Name + " " + f.Node.Description))
}

// linkNames contains names of fields whose values are URLs, which pages show as links.
var linkNames = []string{"url", "link", "href", "website", "homepage", "permalink"}

// freeWords are words in the names of fields whose texts are not stated on pages.
var freeWords = []string{"summar", "verdict", "sentiment", "conclusion", "assessment", "classif", "recommend", "rationale", "analysis", "tone", "energy", "audience", "personality"}

func newField(n *schema.Node, path []string, required bool) *Field {
	f := &Field{Name: strings.Join(path, "."), Path: path, Node: n, Required: required}
	if name := value.BareName(path[len(path)-1]); n.Type == schema.String && n.Format == "" && n.Enum == nil && n.Choices == nil &&
		(slices.Contains(linkNames, name) || strings.HasSuffix(name, "url")) {
		link := *n
		link.Format = "uri"
		f.Node = &link
	}
	text := strings.ToLower(f.Name + " " + n.Description)
	f.Free = n.Type == schema.String && slices.ContainsFunc(freeWords, func(w string) bool { return strings.Contains(text, w) })
	f.Prose = f.Free && strings.Contains(text, freeWords[0])
	return f
}

// KindOf returns the name of a field's type in prompts.
func KindOf(n *schema.Node) string {
	switch {
	case n.Type == schema.List && n.Choices == nil:
		return KindOf(n.Items) + "[]"
	case n.Type != schema.String || n.IsLoose() || n.Choices != nil:
		return string(n.Type)
	case n.Format == "date" || n.Format == "date-time":
		return "date"
	case n.Format == "uri" || n.Format == "url" || n.Format == "uri-reference" || n.Format == "iri":
		return "url"
	}
	return "string"
}

// Limits of the terms of a field.
const (
	maxTerms    = 40   // texts
	maxTermSize = 60   // bytes of a text
	maxTerm     = 1000 // the greatest number: a greater one is hardly written in words
	leastSaid   = 2    // times that the model must have said the same, because a mistake would be repeated for all pages with the text
)

// term is the number that a text without figures states according to the model.
type term struct {
	v    float64
	said int
}

// Ask reports whether the model shall be asked which number a text states for the field: once for each
// text that has no figures. It must not be called at the same time as itself or Learn.
func (f *Field) Ask(text string) bool {
	if text = value.Normal(text); f.Node.Type != schema.Number && f.Node.Type != schema.Integer || text == "" || len(text) > maxTermSize || strings.ContainsAny(text, "0123456789") || f.asked.Load() == maxTerms {
		return false
	}
	_, before := f.terms.LoadOrStore(text, term{})
	if !before {
		f.asked.Add(1)
	}
	return !before
}

// Learn records that the model says which number a text states, and reports whether it is known now.
func (f *Field) Learn(text string, v float64) bool {
	text = value.Normal(text)
	said, _ := f.terms.Load(text)
	t, _ := said.(term)
	if math.Abs(v) > maxTerm || f.Node.Type == schema.Integer && v != math.Trunc(v) || t.said > 0 && t.v != v {
		return false
	}
	f.terms.Store(text, term{v, t.said + 1})
	return t.said+1 >= leastSaid
}

// Term returns the number that a text states for the field according to the model.
func (f *Field) Term(text string) (v float64, ok bool) {
	if f.asked.Load() == 0 {
		return 0, false
	}
	said, _ := f.terms.Load(value.Normal(text))
	t, _ := said.(term)
	return t.v, t.said >= leastSaid
}

// Mentions reports whether a normal text contains one that states a number of the field according to
// the model.
func (f *Field) Mentions(text string) (found bool) {
	f.terms.Range(func(known, said any) bool {
		t, _ := said.(term)
		s, _ := known.(string)
		found = t.said >= leastSaid && value.Holds(text, s) > 0
		return !found
	})
	return found
}

// Terms returns the texts that state numbers of the field according to the model, with the numbers.
func (f *Field) Terms() (all []string) {
	f.terms.Range(func(text, said any) bool {
		if t, _ := said.(term); t.said >= leastSaid {
			all = append(all, fmt.Sprintf("%q is %v", text, t.v))
		}
		return true
	})
	slices.Sort(all)
	return all
}
