// SPDX-License-Identifier: Apache-2.0

// Package schema compiles JSON Schemas: JSON -> schema. It reads drafts 4 to
// 2020-12 and no reference that leads out of the document.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	warnings []string
}

// Warnings returns what of the schema is not asserted, or read otherwise than
// it says; nil where nothing is.
func (s *Schema) Warnings() []string { return slices.Clone(s.warnings) }

// location is the document's own name.
const location = "schema:///request.json"

// Compile reads a schema. It asserts formats; a pattern with look-around, which
// RE2 has not, takes every text, and an unknown $schema means 2020-12: both with
// a warning. Errors are of type [*Error].
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
	var p patterns
	tree = p.plain(tree)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
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
	return &Schema{compiled: compiled, warnings: p.warnings}, nil
}

// drafts are the metaschemas that the compiler has, without their scheme.
var drafts = []string{
	"json-schema.org/schema", "json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema",
}

// plain returns a schema without a $schema that nobody knows here.
func (p *patterns) plain(tree any) any {
	root, ok := tree.(map[string]any)
	if !ok {
		return tree
	}
	name, ok := root["$schema"].(string)
	bare := strings.TrimSuffix(name, "#")
	bare = strings.TrimPrefix(strings.TrimPrefix(bare, "https://"), "http://")
	if !ok || slices.Contains(drafts, bare) {
		return tree
	}
	p.warnings = append(p.warnings, "$schema is none that is known, and was read as 2020-12: "+shorten(name))
	root = maps.Clone(root)
	delete(root, "$schema")
	return root
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
	known    map[string]jsonschema.Regexp // by source: the compiler asks twice or more for each
	steps    int
	warnings []string
}

// around makes of look-around a plain group.
var around = strings.NewReplacer("(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:")

// anyText is a pattern with look-around: it takes every text.
type anyText string

// MatchString implements [jsonschema.Regexp].
func (anyText) MatchString(string) bool { return true }

// String implements [jsonschema.Regexp].
func (a anyText) String() string { return string(a) }

func (p *patterns) compile(source string) (jsonschema.Regexp, error) {
	if re := p.known[source]; re != nil {
		return re, nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	looks := false
	if err != nil {
		var again error
		if tree, again = syntax.Parse(around.Replace(source), syntax.Perl); again != nil {
			return nil, err
		}
		looks = true
	}
	if p.steps += pattern.Steps(tree); p.steps > maxSteps {
		return nil, errPatterns
	}
	if p.known == nil {
		p.known = map[string]jsonschema.Regexp{}
	}
	if looks {
		p.warnings = append(p.warnings, "a pattern with look-around is not asserted: "+shorten(source))
		p.known[source] = anyText(source)
		return anyText(source), nil
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, err
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
