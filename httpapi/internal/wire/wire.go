// SPDX-License-Identifier: Apache-2.0

// Package wire holds the JSON shapes of the contract: bytes <-> requests and
// answers.
//
// Decoding is strict where encoding/json is not: names are matched in their own
// case and once, nothing may follow the value, nesting and the number of values
// are bounded, unknown names are faults, and every fault of a body is reported
// with its path. Members that were not sent are nil. What a decoder returns
// without an error encodes to bytes that decode to the same value again.
//
// A stored page stays a [json.RawMessage]: wire knows no document.
package wire

import (
	"errors"
	"slices"
	"strings"
)

// Bounds of every JSON body.
const (
	MaxDepth  = 64      // nested objects and arrays
	MaxValues = 100_000 // members, items and scalars together
	MaxFaults = 1000    // reported for one body
)

// ErrSyntax means that a body is no JSON of ours: malformed, cut, followed by
// something, nested or long beyond the bounds, or naming a member twice.
var ErrSyntax = errors.New("malformed JSON")

// Options say how strictly a request is read.
type Options struct {
	// Lenient ignores unknown names, but for threatProtection and auditMetadata.
	Lenient bool
	// Models are names of agent models beside spark-1-mini and spark-1-pro.
	Models []string
}

// Codes of a [Fault].
const (
	InvalidType      = "invalid_type"
	TooSmall         = "too_small"
	TooBig           = "too_big"
	InvalidFormat    = "invalid_format"
	InvalidValue     = "invalid_value"
	UnrecognizedKeys = "unrecognized_keys"
	InvalidUnion     = "invalid_union"
	Custom           = "custom"
)

// Fault is one thing that is wrong with a body.
type Fault struct {
	Code     string   `json:"code"`
	Path     []any    `json:"path"` // names and indexes from the top; empty: the body itself
	Message  string   `json:"message"`
	Expected string   `json:"expected,omitempty"` // of invalid_type
	Values   []string `json:"values,omitempty"`   // of invalid_value
	Keys     []string `json:"keys,omitempty"`     // of unrecognized_keys, in their order
	Minimum  *float64 `json:"minimum,omitempty"`  // of too_small
	Maximum  *float64 `json:"maximum,omitempty"`  // of too_big
}

// Error is all that is wrong with a body, in the order of the schema.
type Error struct {
	Faults []Fault // never empty
}

// Error returns the text of the answer's error member (contract.md 2.4).
func (e *Error) Error() string {
	f := e.Faults
	for i := range f {
		if f[i].Code == UnrecognizedKeys && !inList(f[i].Path) {
			keys := f[i].Keys
			return "Unrecognized key in body: " + shorten(quoted(keys[:min(len(keys), 5)], ", "))
		}
	}
	if len(f) > 0 && f[0].Code == Custom {
		return f[0].Message
	}
	return "Bad Request"
}

// shorten cuts a text that foreign names could make long.
func shorten(s string) string {
	if len(s) <= 256 {
		return s
	}
	return strings.ToValidUTF8(s[:256], "") + "..."
}

// inList reports whether path leads through an item of a list: the options of
// a format, parser or action.
func inList(path []any) bool {
	return slices.ContainsFunc(path, func(step any) bool { _, ok := step.(int); return ok })
}

// quoted returns the names in quotes, joined by sep.
func quoted(names []string, sep string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteByte('"')
		b.WriteString(name)
		b.WriteByte('"')
	}
	return b.String()
}
