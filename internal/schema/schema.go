// SPDX-License-Identifier: Apache-2.0

// Package schema compiles JSON Schemas: JSON -> schema. It reads drafts 4 to
// 2020-12 and no reference that leads out of the document.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/curlew/internal/pattern"
)

// MaxBytes is the size of the largest schema.
const MaxBytes = 1 << 20

// maxSteps bounds what the patterns of a schema compile to, together, in
// instructions: counted repetitions make gigabytes of one megabyte.
const maxSteps = 100_000

// Why a schema is refused.
var (
	ErrTooLarge = errors.New("schema is over the limit")
	ErrRemote   = errors.New("references outside the schema are refused")
	ErrInvalid  = errors.New("schema or value is invalid")
)

// Error says why a schema cannot be used. Its text is one line, for the caller.
type Error struct {
	Detail string // where and what; may be empty
	Err    error  // wraps a sentinel of this package
}

// Error returns the cause and its detail.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
}

// location is the document's own name.
const location = "schema:///request.json"

// Compile reads a schema. Errors are of type [*Error].
func Compile(doc []byte) (s *Schema, err error) {
	if len(doc) > MaxBytes {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d bytes", MaxBytes)}
	}
	defer func() {
		if v := recover(); v != nil { // the compiler works on foreign input
			s, err = nil, &Error{Err: ErrInvalid}
		}
	}()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, &Error{Err: ErrInvalid, Detail: "malformed JSON"}
	}
	if !moderate(tree) {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("a number has an exponent beyond %d", maxExponent)}
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	var p patterns
	c.UseRegexpEngine(p.compile)
	if err := c.AddResource(location, tree); err != nil {
		return nil, invalid(err)
	}
	compiled, err := c.Compile(location)
	if p.steps > maxSteps {
		return nil, &Error{Err: ErrTooLarge, Detail: errPatterns.Error()}
	}
	if err != nil {
		return nil, invalid(err)
	}
	return &Schema{compiled: compiled}, nil
}

// Validate reports where value, as encoding/json decodes it into an any, does
// not fit; nil where it does. The error is of type [*Error].
func (s *Schema) Validate(value any) error {
	if err := s.compiled.Validate(value); err != nil {
		return invalid(err)
	}
	return nil
}

// noLoader refuses every reference outside the document.
type noLoader struct{}

// Load implements [jsonschema.URLLoader].
func (noLoader) Load(string) (any, error) { return nil, ErrRemote }

// maxExponent bounds the exponents of numbers, which the compiler keeps exactly:
// as many digits for each. Those of binary64 end at 308.
const maxExponent = 400

// moderate reports whether all numbers in v are within the bound.
func moderate(v any) bool {
	switch v := v.(type) {
	case json.Number:
		i := strings.IndexAny(string(v), "eE")
		if i < 0 {
			return true
		}
		exponent, err := strconv.Atoi(string(v[i+1:]))
		return err == nil && -maxExponent <= exponent && exponent <= maxExponent
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !moderate(item) })
	case map[string]any:
		for _, member := range v {
			if !moderate(member) {
				return false
			}
		}
	}
	return true
}

// patterns compiles the patterns of one schema, within the bound.
type patterns struct {
	known map[string]jsonschema.Regexp // by source: the compiler asks twice or more for each
	steps int
}

func (p *patterns) compile(source string) (jsonschema.Regexp, error) {
	if re := p.known[source]; re != nil {
		return re, nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if p.steps += pattern.Steps(tree); p.steps > maxSteps {
		return nil, errPatterns
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = map[string]jsonschema.Regexp{}
	}
	p.known[source] = re
	return re, nil
}

// errPatterns refuses a schema whose patterns would take too much memory.
var errPatterns = fmt.Errorf("its patterns have more than %d steps together", maxSteps)

// maxDetail bounds the text of an error, in bytes.
const maxDetail = 300

// invalid returns the compiler's error in one line, without our own location.
func invalid(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &Error{Err: ErrRemote, Detail: shorten(load.URL)}
	}
	text := strings.ReplaceAll(err.Error(), location, "")
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		text = rest // the first line only says which document
	}
	text = strings.Join(strings.Fields(text), " ")
	return &Error{Err: ErrInvalid, Detail: shorten(strings.TrimPrefix(text, "- "))}
}

// shorten cuts a text that the schema could make long.
func shorten(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + "..."
}
