// SPDX-License-Identifier: Apache-2.0

// Package schema compiles JSON Schemas of the drafts 4 to 2020-12. It refuses
// references to other documents.
package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/curlew/internal/pattern"
)

// MaxBytes is the maximum size of a schema.
const MaxBytes = 1 << 20

// maxParts limits the objects and booleans of a schema, each of which may be a
// schema. The compiler's time is quadratic in their number.
const maxParts = 5000

// maxSteps limits the compiled size of all patterns of a schema together, in
// instructions. Counted repetitions can expand a megabyte to gigabytes.
const maxSteps = 100_000

// Reasons why a schema is refused.
var (
	ErrTooLarge = errors.New("schema exceeds the limit")
	ErrRemote   = errors.New("references outside the schema are refused")
	ErrInvalid  = errors.New("schema or value is invalid")
)

// Error says why a schema cannot be used. Its text is a single line for the
// caller.
type Error struct {
	Detail string // where and what; may be empty
	Err    error  // wraps one of the errors above
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

// Schema is a compiled schema. It is safe for concurrent use, but checks only
// one value at a time.
type Schema struct {
	compiled *jsonschema.Schema
	warnings []string

	mu    sync.Mutex // guards meter
	meter *meter
}

// Warnings returns the parts of the schema that are not enforced, or that are
// interpreted differently, or nil.
func (s *Schema) Warnings() []string { return slices.Clone(s.warnings) }

// location is the URL of the document within the compiler.
const location = "schema:///request.json"

// Compile compiles a schema. It enforces formats. A pattern with look-around,
// which RE2 does not support, accepts every text, and an unknown $schema means
// 2020-12. Both cause a warning. A schema with more than 5,000 objects and
// booleans, or whose references expand to more than 100,000 schemas for one
// value, is refused with [ErrTooLarge]. The error is an [*Error].
func Compile(doc []byte) (s *Schema, err error) {
	if len(doc) > MaxBytes {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d bytes", MaxBytes)}
	}
	defer func() {
		if v := recover(); v != nil { // the compiler works on untrusted input
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
	if countParts(tree) > maxParts {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("over %d objects and booleans", maxParts)}
	}
	p := patterns{meter: &meter{left: math.MaxInt}}
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
	roots := []*jsonschema.Schema{compiled}
	anchors(tree, "", func(pointer string) {
		// If it is not a schema, it may be a value of an enum, for example.
		if s, err := c.Compile(location + "#" + (&url.URL{Path: pointer}).EscapedPath()); err == nil {
			roots = append(roots, s)
		}
	})
	if !p.meter.attach(roots) {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("its references expand to over %d schemas", maxExpansion)}
	}
	return &Schema{compiled: compiled, warnings: p.warnings, meter: p.meter}, nil
}

// countParts counts the objects and booleans in v.
func countParts(v any) int {
	n := 0
	switch v := v.(type) {
	case bool:
		n++
	case []any:
		for _, item := range v {
			n += countParts(item)
		}
	case map[string]any:
		n++
		for _, member := range v {
			n += countParts(member)
		}
	}
	return n
}

// anchors calls found with the pointers of the objects that dynamic references
// may refer to, even if nothing else refers to them.
func anchors(v any, pointer string, found func(pointer string)) {
	switch v := v.(type) {
	case map[string]any:
		if v["$dynamicAnchor"] != nil || v["$recursiveAnchor"] != nil {
			found(pointer)
		}
		for name, member := range v {
			anchors(member, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), found)
		}
	case []any:
		for i, item := range v {
			anchors(item, pointer+"/"+strconv.Itoa(i), found)
		}
	}
}

// drafts are the metaschemas of the compiler, without their scheme.
var drafts = []string{
	"json-schema.org/schema", "json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema",
}

// plain returns a schema without an unknown $schema.
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
	p.warnings = append(p.warnings, "$schema names no known draft, and was read as 2020-12: "+shorten(name))
	root = maps.Clone(root)
	delete(root, "$schema")
	return root
}

// Validate returns where value, as decoded by encoding/json into an any, is not
// valid, or nil. It takes at most 200,000 steps plus some hundred for each
// value within value. Beyond that the error wraps [ErrTooLarge]. The error is
// an [*Error], or the cause of ctx.
func (s *Schema) Validate(ctx context.Context, value any) error {
	err := s.validate(ctx.Done(), value)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errEnded):
		return context.Cause(ctx)
	}
	return invalid(err)
}

// validate checks a value with a limited number of steps and until done is
// closed. It keeps only some of the places where the value is not valid.
func (s *Schema) validate(done <-chan struct{}, value any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.left, s.meter.done = baseSteps+valueSteps*size(value), done
	defer func() {
		if v := recover(); v != nil {
			if v != errSteps && v != errEnded { //nolint:errorlint // these exact values
				panic(v)
			}
			err = v.(error) //nolint:forcetypeassert // one of the two values above
		}
	}()
	err = s.compiled.Validate(value)
	if e, ok := err.(*jsonschema.ValidationError); ok { //nolint:errorlint // an error of the validator itself, which is never wrapped
		left := maxFaults
		prune(e, &left)
	}
	return err
}

// prune reduces the causes of an error to a limited number of innermost ones,
// because there may be millions.
func prune(e *jsonschema.ValidationError, left *int) {
	if len(e.Causes) == 0 {
		*left--
		return
	}
	for i, c := range e.Causes {
		if *left <= 0 {
			e.Causes = e.Causes[:i]
			return
		}
		prune(c, left)
	}
}

// noLoader refuses every reference to another document.
type noLoader struct{}

// Load implements [jsonschema.URLLoader].
func (noLoader) Load(string) (any, error) { return nil, ErrRemote }

// maxExponent limits the exponents of numbers, which the compiler represents
// exactly with as many digits. Those of binary64 end at 308.
const maxExponent = 400

// moderate reports whether all exponents in v are within the limit.
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

// patterns compiles the patterns of one schema within the limit.
type patterns struct {
	meter    *meter
	known    map[string]jsonschema.Regexp // by source, because the compiler asks several times for each
	steps    int
	warnings []string
}

// around replaces look-around by a plain group.
var around = strings.NewReplacer("(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:")

// anyText is a pattern with look-around, which accepts every text.
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
	steps := pattern.Steps(tree)
	if p.steps += steps; p.steps > maxSteps {
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
	p.known[source] = counted{re, p.meter, steps}
	return p.known[source], nil
}

// errPatterns refuses a schema whose patterns would take too much memory.
var errPatterns = fmt.Errorf("its patterns together have more than %d steps", maxSteps)

// maxDetail is the maximum length of an error text in bytes.
const maxDetail = 300

// invalid returns the compiler's error as a single line, without our own
// location.
func invalid(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &Error{Err: ErrRemote, Detail: shorten(load.URL)}
	}
	if errors.Is(err, errSteps) {
		return &Error{Err: ErrTooLarge, Detail: err.Error()}
	}
	text := strings.ReplaceAll(err.Error(), location, "")
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		text = rest // the first line only names the document
	}
	text = strings.Join(strings.Fields(text), " ")
	return &Error{Err: ErrInvalid, Detail: shorten(strings.TrimPrefix(text, "- "))}
}

// shorten truncates a text whose length depends on the schema.
func shorten(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + "..."
}
