// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Schema is a JSON Schema of draft 2020-12.
//
// Schemas of bodies come from the decoders: a decoder that is called with a Schema
// instead of a value writes into it what it would accept. So a bound stands in one
// place and the description cannot differ from it. What a Schema cannot express,
// as rules about two members, is missing from it.
type Schema struct {
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // string or []string
	Const       any                `json:"const,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	Format      string             `json:"format,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	Above       *float64           `json:"exclusiveMinimum,omitempty"`
	MinLength   *int               `json:"minLength,omitempty"`
	MaxLength   *int               `json:"maxLength,omitempty"`
	MinItems    *int               `json:"minItems,omitempty"`
	MaxItems    *int               `json:"maxItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Patterns    map[string]*Schema `json:"patternProperties,omitempty"`
	Values      any                `json:"additionalProperties,omitempty"` // bool or *Schema
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
}

// Schemas of the bodies of requests, by the name of the type that they are
// decoded to.
func Schemas() map[string]*Schema {
	return map[string]*Schema{
		"Crawl":        describe(new(Crawl).read),
		"Preview":      describe(new(Preview).read),
		"Batch":        describe(new(Batch).read),
		"Scrape":       describe(new(Page).read),
		"Map":          describe(new(Map).read),
		"Agent":        describe(func(o *object) { new(Agent).read(o) }),
		"Parse":        describe(new(Parse).read),
		"Reference":    describe(func(o *object) { new(Parse).readReference(o) }),
		"Upload":       describe(new(Upload).read),
		"Search":       describe(new(Search).read),
		"Extract":      describe(new(Extract).read),
		"ThreatPolicy": describe(func(o *object) { new(Threat).readWhole(o) }),
	}
}

// describe returns the schema of the object that fill reads.
func describe(fill func(*object)) *Schema {
	d := new(decoder)
	s := new(Schema)
	d.describe(s, nil, fill)
	return s
}

// describe writes what fill reads into s.
func (d *decoder) describe(s *Schema, path []any, fill func(*object)) {
	o := &object{d: d, path: path, into: s, asked: map[string]bool{}}
	s.Type, s.Properties = "object", map[string]*Schema{}
	fill(o)
	slices.Sort(s.Required)
	if !o.closed { // null means that the member is absent
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				p.nullable()
			}
		}
	}
	if o.open {
		return
	}
	s.Values = false
	if !o.closed {
		names := slices.Clone(tolerated)
		for i, n := range names {
			names[i] = regexp.QuoteMeta(n)
		}
		s.Patterns = map[string]*Schema{"^(__.*|" + strings.Join(names, "|") + ")$": {}}
	}
}

// property returns the schema of a member.
func (s *Schema) property(name string) *Schema {
	p, ok := s.Properties[name]
	if !ok {
		p = new(Schema)
		s.Properties[name] = p
	}
	return p
}

// need makes a member required.
func (s *Schema) need(name string) {
	if !slices.Contains(s.Required, name) {
		s.Required = append(s.Required, name)
	}
}

// nullable lets s accept null.
func (s *Schema) nullable() {
	switch {
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, &Schema{Type: "null"})
	case s.Type != nil:
		s.Type = []string{s.Type.(string), "null"} //nolint:forcetypeassert // nothing else has been stored yet
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
}

// choices are the decisions between forms of one value. Every run of the code that
// reads the value takes other ones, until all have been taken.
type choices struct {
	taken      []choice
	next       int
	impossible bool // no value makes the decisions that were taken
}

type choice struct{ now, of int }

// choose returns a number below n. While a body is described, every number is
// returned once.
func (d *decoder) choose(n int) int {
	c := d.choices
	if c.next == len(c.taken) {
		c.taken = append(c.taken, choice{of: n})
	}
	c.next++
	return c.taken[c.next-1].now
}

// impossible says that no valid value leads here.
func (d *decoder) impossible() {
	if d.choices != nil {
		d.choices.impossible = true
	}
}

// advance takes the next decisions, and reports whether there are any.
func (c *choices) advance() bool {
	c.next, c.impossible = 0, false
	for i := len(c.taken) - 1; i >= 0; i-- {
		if c.taken[i].now++; c.taken[i].now < c.taken[i].of {
			return true
		}
		c.taken = c.taken[:i]
	}
	return false
}

// alternatives returns the schema of a value in all the forms that run reads.
func (d *decoder) alternatives(run func(v value)) *Schema {
	outer := d.choices
	defer func() { d.choices = outer }()
	c := new(choices)
	d.choices = c
	var forms []*Schema
	words := &Schema{Type: "string"}
	for more := true; more; more = c.advance() {
		s := new(Schema)
		run(value{v: s})
		switch {
		case c.impossible:
		case s.Const != nil:
			if words.Enum == nil {
				forms = append(forms, words)
			}
			words.Enum = append(words.Enum, s.Const)
		default:
			forms = append(forms, s)
		}
	}
	if forms = sameMembers(forms); len(forms) == 1 {
		return forms[0]
	}
	return &Schema{AnyOf: forms}
}

// sameMembers joins objects that differ only in the word of their type.
func sameMembers(forms []*Schema) []*Schema {
	var out []*Schema
	for _, s := range forms {
		word, ok := s.Properties["type"]
		if !ok || word.Const == nil {
			out = append(out, s)
			continue
		}
		rest := maps.Clone(s.Properties)
		delete(rest, "type")
		i := slices.IndexFunc(out, func(o *Schema) bool {
			others := maps.Clone(o.Properties)
			delete(others, "type")
			return o.Type == "object" && slices.Equal(o.Required, s.Required) && reflect.DeepEqual(others, rest)
		})
		if i < 0 {
			*word = Schema{Type: "string", Enum: []any{word.Const}}
			out = append(out, s)
			continue
		}
		first := out[i].Properties["type"]
		first.Enum = append(first.Enum, word.Const)
	}
	return out
}

// bounds returns the lengths that a schema has to name.
func bounds(low, high int) (least, most *int) {
	if low > 0 {
		least = &low
	}
	if high >= 0 {
		most = &high
	}
	return least, most
}

func texts(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// All returns s and the schemas in it, each before those that it contains.
func (s *Schema) All(yield func(*Schema) bool) { s.all(yield) }

func (s *Schema) all(yield func(*Schema) bool) bool {
	if s == nil {
		return true
	}
	if !yield(s) || !s.Items.all(yield) {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !s.Properties[name].all(yield) {
			return false
		}
	}
	for _, form := range s.AnyOf {
		if !form.all(yield) {
			return false
		}
	}
	values, _ := s.Values.(*Schema)
	return values.all(yield)
}
