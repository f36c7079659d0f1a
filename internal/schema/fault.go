// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fault is one place where a value does not fit.
type Fault struct {
	Pointer string   // JSON Pointer into the value; empty: the value
	Path    []string // its steps
	Text    string
}

// maxFaults bounds the places where a value does not fit.
const maxFaults = 1000

// Faults returns where value does not fit, innermost places only, at most 1,000.
// It returns nil if value fits. If that takes too many steps to tell, as
// Validate says, the one fault is the value itself.
func (s *Schema) Faults(value any) []Fault {
	err := s.validate(nil, value)
	if err == nil {
		return nil
	}
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // the validator's own, never wrapped
	if !ok {
		return []Fault{{Text: err.Error()}}
	}
	var all []Fault
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(all) >= maxFaults {
			return
		}
		if len(e.Causes) == 0 {
			f := Fault{Path: e.InstanceLocation}
			for _, step := range e.InstanceLocation {
				f.Pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
			}
			if e.ErrorKind != nil {
				f.Text = shorten(strings.Join(e.ErrorKind.KeywordPath(), "/"))
			}
			all = append(all, f)
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(e)
	return all
}
