// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
	Hidden   bool // the question needs it, but the answer does not contain it

	wants sync.Once // guards the fields below, which Wants sets
	scale float64
	unit  value.Unit
	words []string
	clock string
	rate  string

	mu    sync.Mutex          // guards terms
	terms map[string]*float64 // by normal text; nil if no number is known for it
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
	maxTermSize = 60   // characters of a text
	maxTerm     = 1000 // the greatest number: a greater one is hardly written in words
)

// Ask reports whether the model shall be asked which number a text states for the field. It does so
// once for each text that has no figures.
func (f *Field) Ask(text string) bool {
	text = value.Normal(text)
	if f.Node.Type != schema.Number && f.Node.Type != schema.Integer || text == "" || utf8.RuneCountInString(text) > maxTermSize || strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, asked := f.terms[text]; asked || len(f.terms) == maxTerms {
		return false
	}
	if f.terms == nil {
		f.terms = map[string]*float64{}
	}
	f.terms[text] = nil
	return true
}

// Learn records which number a text states for the field, and reports whether it can be one.
func (f *Field) Learn(text string, v float64) bool {
	if !(math.Abs(v) <= maxTerm) || f.Node.Type == schema.Integer && v != math.Trunc(v) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.terms[value.Normal(text)] = &v
	return true
}

// Term returns the number that a text states for the field according to the model.
func (f *Field) Term(text string) (v float64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.terms) == 0 {
		return 0, false
	}
	if known := f.terms[value.Normal(text)]; known != nil {
		return *known, true
	}
	return 0, false
}

// Terms returns the texts that state numbers of the field according to the model, with the numbers.
func (f *Field) Terms() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range slices.Sorted(maps.Keys(f.terms)) {
		if v := f.terms[text]; v != nil {
			all = append(all, strconv.Quote(text)+" is "+value.ScalarText(*v))
		}
	}
	return all
}
