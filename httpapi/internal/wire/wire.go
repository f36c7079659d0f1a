// SPDX-License-Identifier: Apache-2.0

// Package wire defines the JSON types of the contract and decodes requests.
//
// Decoding is stricter than in encoding/json. Names are case-sensitive and may
// occur once. Nothing may follow the value. The nesting and the number of
// values are limited. Unknown names are faults, and every fault of a body is
// reported with its path. Members that were not sent are nil. A decoded value
// encodes to JSON that decodes to the same value.
//
// A stored page remains a [json.RawMessage], because wire does not know
// documents.
package wire

import (
	"errors"
	"slices"
	"strings"
)

// Limits for every JSON body.
const (
	MaxDepth  = 64      // nested objects and arrays
	MaxValues = 100_000 // members, items and scalars together
	MaxFaults = 1000    // reported for one body
)

// ErrSyntax means that a body is not acceptable JSON. It is malformed,
// truncated, followed by other data or too deeply nested, or contains a member twice.
var ErrSyntax = errors.New("malformed JSON")

// ErrValues means that a body has more than MaxValues values.
var ErrValues = errors.New("more values than a JSON body may have")

// Options say how strictly a request is decoded.
type Options struct {
	// Lenient ignores unknown names, except in threatProtection and
	// auditMetadata.
	Lenient bool
	// Models are additional names of agent models besides spark-1-mini and
	// spark-1-pro.
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

// Fault is one error in a body.
type Fault struct {
	Code     string   `json:"code"`
	Path     []any    `json:"path"` // names and indexes from the top; empty for the body itself
	Message  string   `json:"message"`
	Expected string   `json:"expected,omitempty"` // for invalid_type
	Values   []string `json:"values,omitempty"`   // for invalid_value
	Keys     []string `json:"keys,omitempty"`     // for unrecognized_keys, in order
	Minimum  *float64 `json:"minimum,omitempty"`  // for too_small
	Maximum  *float64 `json:"maximum,omitempty"`  // for too_big
}

// Error contains the faults of a body in the order of the schema.
type Error struct {
	Faults []Fault // never empty
}

// Error returns the text of the answer's error member.
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

// shorten truncates a text that contains names from the request.
func shorten(s string) string {
	if len(s) <= 256 {
		return s
	}
	return strings.ToValidUTF8(s[:256], "") + "..."
}

// inList reports whether path leads through an item of a list: the options of a
// format, parser or action.
func inList(path []any) bool {
	return slices.ContainsFunc(path, func(step any) bool { _, ok := step.(int); return ok })
}

// quoted returns the names in quotes, separated by sep.
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
