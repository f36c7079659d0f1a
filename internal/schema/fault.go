// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fault is one place where a value is not valid.
type Fault struct {
	Pointer string   // JSON Pointer into the value; empty means the value itself
	Path    []string // steps of the pointer
	Text    string
}

// maxFaults is the maximum number of reported faults.
const maxFaults = 1000

// Faults returns the innermost places where value is not valid, at most 1,000.
// If value is valid, it returns nil. If the validation takes too many steps (see
// Validate), the only fault is the value itself.
func (s *Schema) Faults(value any) []Fault {
	err := s.validate(nil, value)
	if err == nil {
		return nil
	}
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // an error of the validator itself, which is never wrapped
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
