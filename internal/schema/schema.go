// SPDX-License-Identifier: Apache-2.0

// Package schema compiles JSON Schemas: JSON -> schema. It reads drafts 4 to
// 2020-12 and no reference that leads out of the document.
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

// MaxBytes is the size of the largest schema.
const MaxBytes = 1 << 20

// maxParts bounds the objects and booleans of a schema, each of which may be a
// schema of its own: the compiler's time grows with the square of their number.
const maxParts = 5000

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

// Schema is a compiled schema. It is safe for concurrent use; values are
// checked one at a time.
type Schema struct {
	compiled *jsonschema.Schema
	warnings []string

	mu    sync.Mutex // guards meter
	meter *meter
}

// Warnings returns what of the schema is not asserted, or read otherwise than
// it says; nil where nothing is.
func (s *Schema) Warnings() []string { return slices.Clone(s.warnings) }

// location is the document's own name.
const location = "schema:///request.json"

// Compile reads a schema. It asserts formats; a pattern with look-around, which
// RE2 has not, takes every text, and an unknown $schema means 2020-12: both with
// a warning. A schema of over 5,000 objects and booleans, or one whose references
// expand to over 100,000 schemas for one value, is refused with [ErrTooLarge]. Errors are of type [*Error].
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
		// What is no schema there is the value of an enum, say.
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
// may lead to, which nothing else need name.
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
// not fit; nil if it does. It takes at most some hundred steps for each value
// within value, and 200,000 for any: beyond that the error wraps
// [ErrTooLarge]. The error is of type [*Error], or the cause of ctx's end.
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

// validate checks a value within the bound of steps and until done is closed,
// and keeps only some of the places where it does not fit.
func (s *Schema) validate(done <-chan struct{}, value any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.left, s.meter.done = baseSteps+valueSteps*size(value), done
	defer func() {
		if v := recover(); v != nil {
			if v != errSteps && v != errEnded { //nolint:errorlint // the values themselves
				panic(v)
			}
			err = v.(error) //nolint:forcetypeassert // see above
		}
	}()
	err = s.compiled.Validate(value)
	if e, ok := err.(*jsonschema.ValidationError); ok { //nolint:errorlint // the validator's own, never wrapped
		left := maxFaults
		prune(e, &left)
	}
	return err
}

// prune cuts the causes of an error down to so many innermost ones: there may
// be millions.
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
	meter    *meter
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
var errPatterns = fmt.Errorf("its patterns have more than %d steps together", maxSteps)

// maxDetail bounds the text of an error, in bytes.
const maxDetail = 300

// invalid returns the compiler's error in one line, without our own location.
func invalid(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &Error{Err: ErrRemote, Detail: shorten(load.URL)}
	}
	if errors.Is(err, errSteps) {
		return &Error{Err: ErrTooLarge, Detail: err.Error()}
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
