// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"math"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of validation. One step is the application of a schema to a value, or
// a visit of a member, and takes at most a microsecond.
const (
	maxExpansion = 100_000 // schemas that one schema applies to the same value, including references
	baseSteps    = 200_000 // steps for any value
	valueSteps   = 200     // additional steps for each value within the value
	equalSteps   = 16      // values of an enum that cost one step
	matchSteps   = 256     // instructions of a pattern per byte of text that cost one step
)

// errSteps and errEnded end a validation by a panic within the validator.
var (
	errSteps = errors.New("validation takes too many steps")
	errEnded = errors.New("the context has ended")
)

// betweenLooks is the number of schemas between two checks of the context.
const betweenLooks = 256

// meter counts the steps of one validation at a time. The validator has no
// limit of its own, so each schema gets a format that counts steps before it
// checks the schema's own format.
type meter struct {
	left  int
	done  <-chan struct{}            // of the caller's context; may be nil
	spent int                        // schemas since done was checked
	own   map[*jsonschema.Schema]int // cost of a schema without its subschemas, because its enum is compared before its format is checked
	most  int                        // maximum of own
}

// spend subtracts steps from the remaining ones.
func (m *meter) spend(n int) {
	if m.left -= n; m.left < 0 {
		panic(errSteps)
	}
	if m.spent++; m.spent < betweenLooks {
		return
	}
	m.spent = 0
	select {
	case <-m.done:
		panic(errEnded)
	default:
	}
}

// attach makes the validator count the steps of all schemas that can be reached
// from the roots. It returns false if one of them expands to too many schemas.
func (m *meter) attach(roots []*jsonschema.Schema) bool {
	m.own = map[*jsonschema.Schema]int{}
	for todo := roots; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || m.own[s] > 0 {
			continue
		}
		m.own[s] = ownCost(s)
		m.most = max(m.most, m.own[s])
		same, below := parts(s)
		todo = append(append(todo, same...), below...)
	}
	e := expander{sizes: map[*jsonschema.Schema]int{}}
	for s := range m.own {
		if e.size(s) > maxExpansion {
			return false
		}
	}
	for s := range m.own {
		m.count(s)
	}
	return true
}

// count gives a schema a format that counts the steps of its validation.
func (m *meter) count(s *jsonschema.Schema) {
	same, below := parts(s)
	onSame := 1
	for _, c := range same {
		onSame += m.own[c]
	}
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		onSame += m.most
	}
	// A property applies to members with its name, but other keywords apply to
	// all members.
	named := map[*jsonschema.Schema]bool{}
	for _, c := range s.Properties {
		named[c] = true
	}
	onMember, onItem := onSame, onSame
	for _, c := range below {
		onItem = max(onItem, onSame+4*m.own[c]) // at its index, and among all items
		if !named[c] {
			onMember += m.own[c]
		}
	}
	format := jsonschema.Format{Validate: func(any) error { return nil }}
	if s.Format != nil {
		format = *s.Format
	}
	check := format.Validate
	format.Validate = func(v any) error {
		steps := onSame
		switch v := v.(type) {
		case map[string]any:
			steps += len(v) * onMember
			for name := range v {
				steps += m.own[s.Properties[name]]
			}
		case []any:
			steps += len(v) * onItem
			if s.UniqueItems {
				steps += min(len(v), 20) * size(v)
			}
		case string:
			steps += len(v) / 64
		}
		m.spend(steps)
		return check(v)
	}
	s.Format = &format
}

// ownCost is the cost of a schema without the schemas that it applies.
func ownCost(s *jsonschema.Schema) int {
	cost := 0
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			cost += size(v)
		}
	}
	if s.Const != nil {
		cost += size(*s.Const)
	}
	return 1 + cost/equalSteps
}

// parts returns the schemas that s applies to the same value, and those that it
// applies to values within it.
func parts(s *jsonschema.Schema) (same, below []*jsonschema.Schema) {
	add := func(list *[]*jsonschema.Schema, some ...*jsonschema.Schema) {
		for _, c := range some {
			if c != nil {
				*list = append(*list, c)
			}
		}
	}
	add(&same, s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		add(&same, s.DynamicRef.Ref)
	}
	add(&same, s.AllOf...)
	add(&same, s.AnyOf...)
	add(&same, s.OneOf...)
	for _, c := range s.DependentSchemas {
		add(&same, c)
	}
	for _, d := range s.Dependencies {
		if c, ok := d.(*jsonschema.Schema); ok {
			add(&same, c)
		}
	}
	add(&below, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema)
	add(&below, s.PrefixItems...)
	for _, c := range s.Properties {
		add(&below, c)
	}
	for _, c := range s.PatternProperties {
		add(&below, c)
	}
	for _, some := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch some := some.(type) {
		case *jsonschema.Schema:
			add(&below, some)
		case []*jsonschema.Schema:
			add(&below, some...)
		}
	}
	return same, below
}

// expander counts how many schemas one schema applies to the same value, in all
// branches, each as often as it is referenced. Shared schemas are counted
// without visiting them again. A schema that refers to itself counts once,
// because the validator stops there.
type expander struct {
	sizes map[*jsonschema.Schema]int // 0 while it is being counted
}

func (e *expander) size(s *jsonschema.Schema) int {
	if n, ok := e.sizes[s]; ok {
		return max(n, 1)
	}
	e.sizes[s] = 0
	n := 1
	same, _ := parts(s)
	for _, c := range same {
		n = min(n+e.size(c), math.MaxInt32)
	}
	e.sizes[s] = n
	return n
}

// size counts the values within a value, including itself.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, m := range v {
			n += size(m)
		}
	case []any:
		for _, m := range v {
			n += size(m)
		}
	case string:
		n += len(v) / 64
	}
	return n
}

// counted is a pattern that counts its steps.
type counted struct {
	jsonschema.Regexp

	m     *meter
	steps int // number of instructions
}

// MatchString implements [jsonschema.Regexp]. Its time is proportional to the
// size of the pattern times that of the text.
func (c counted) MatchString(text string) bool {
	c.m.spend(1 + c.steps*len(text)/matchSteps)
	return c.Regexp.MatchString(text)
}
