// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/sorting"
)

// Limits of a form.
const (
	maxFormBytes  = 256 << 10
	maxFormDepth  = 32
	maxFormNodes  = 2000
	maxProperties = 500
	maxRecursion  = 3
	maxRestated   = 500     // bytes of a description
	maxMerged     = 200_000 // members and values that are visited when schemas are merged, in total
)

// Type is the type of a node of a form.
type Type string

// Types of nodes.
const (
	Object  Type = "object"
	List    Type = "array"
	String  Type = "string"
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
)

// origin says what a node was before it was simplified.
type origin int

const (
	plain   origin = iota
	mapping        // an object with arbitrary names, now a list of {key, value}
	tuple          // a list with fixed elements, now an object with item0, item1 ...
	loose          // any value, which is passed unchanged
)

// Node is one place of a form. Nodes are immutable once the form is complete.
type Node struct {
	Type        Type
	Fields      []Field // of an object: first in the order of the schema's required, then by name
	Items       *Node   // of a list
	Choices     []*Node // alternatives; Type is that of the first one
	Enum        []any   // allowed values; nil means all
	Format      string  // date, date-time, uri, email ...; may be empty
	Description string  // includes the rules that a model cannot be forced to follow
	Null        bool    // the schema allows null
	Maximum     *float64
	MaxItems    *float64

	from origin
}

// Field is a member of an object. If it is not required, it may be null in the
// form, and is then missing in the value.
type Field struct {
	Name     string
	Node     *Node
	Required bool
}

// Form is a simplified schema for a model: closed objects, no references, no
// logic. Its root is an object.
type Form struct {
	Root     *Node
	Warnings []string

	wrapped bool // Root has a single field, "value", with the schema's root
}

// Forward simplifies the schema doc. The error is an [*Error] that wraps
// [ErrTooLarge], [ErrRemote] or [ErrInvalid].
func Forward(doc []byte) (*Form, error) {
	if len(doc) > maxFormBytes {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d bytes", maxFormBytes)}
	}
	var tree any
	if err := json.Unmarshal(doc, &tree); err != nil {
		return nil, &Error{Err: ErrInvalid, Detail: "malformed JSON"}
	}
	f := former{doc: tree, open: map[string]int{}}
	root := f.node(tree, 0)
	if f.err != nil {
		return nil, f.err
	}
	form := &Form{Root: root, Warnings: f.warnings}
	if root.Null || root.Type != Object || root.Choices != nil || root.from != plain || root.Fields == nil {
		form.wrapped = true
		form.Root = &Node{Type: Object, Fields: []Field{{Name: "value", Node: root, Required: true}}}
	}
	return form, nil
}

// former creates one form.
type former struct {
	doc           any
	nodes, fields int
	merges        int            // counted against maxMerged
	open          map[string]int // references that are being inlined
	warnings      []string
	err           error
}

// node simplifies the schema v.
func (f *former) node(v any, depth int) *Node {
	f.nodes++
	switch {
	case f.err != nil:
		return anything()
	case depth > maxFormDepth:
		f.err = &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("depth %d", maxFormDepth)}
		return anything()
	case f.nodes > maxFormNodes:
		f.err = &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d nodes", maxFormNodes)}
		return anything()
	}
	s, ok := v.(map[string]any)
	if !ok {
		return anything() // true or false
	}
	if ref, ok := s["$ref"].(string); ok {
		return f.reference(s, ref, depth)
	}
	if all, ok := s["allOf"].([]any); ok && len(all) > 0 {
		return f.node(f.merged(s, all, depth), depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if some, ok := s[word].([]any); ok && len(some) > 0 {
			return f.choice(s, word, some, depth)
		}
	}
	return f.typed(s, depth)
}

// looked counts n members or values that were visited when schemas were merged.
// It returns false if there were too many, or after another error.
func (f *former) looked(n int) bool {
	if f.merges += n + 1; f.merges > maxMerged && f.err == nil {
		f.err = &Error{Err: ErrTooLarge, Detail: "its parts join to too much"}
	}
	return f.err == nil
}

func anything() *Node { return &Node{Type: String, from: loose, Null: true} }

// reference inlines a local reference.
func (f *former) reference(s map[string]any, ref string, depth int) *Node {
	target, ok := lookup(f.doc, ref)
	switch {
	case !ok:
		f.warnings = append(f.warnings, "a reference could not be followed: "+shorten(ref))
		return anything()
	case f.open[ref] >= maxRecursion:
		return anything()
	}
	f.open[ref]++
	defer func() { f.open[ref]-- }()
	if t, ok := target.(map[string]any); ok && len(s) > 1 {
		own := maps.Clone(s)
		delete(own, "$ref")
		return f.node(f.merge(own, t), depth+1)
	}
	return f.node(target, depth+1)
}

// lookup resolves a JSON Pointer in a fragment. It does not support anchors.
func lookup(doc any, ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := doc
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(step)
		switch v := at.(type) {
		case map[string]any:
			if at, ok = v[step]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// merged returns s merged with the schemas of its allOf.
func (f *former) merged(s map[string]any, all []any, depth int) map[string]any {
	out := maps.Clone(s)
	delete(out, "allOf")
	for _, part := range all {
		if !f.looked(len(s)) {
			return out
		}
		p, _ := part.(map[string]any)
		for range maxRecursion {
			ref, ok := p["$ref"].(string)
			if !ok {
				break
			}
			target, _ := lookup(f.doc, ref)
			t, _ := target.(map[string]any)
			own := maps.Clone(p)
			delete(own, "$ref")
			p = f.merge(own, t)
		}
		delete(p, "$ref")
		if inner, ok := p["allOf"].([]any); ok && depth < maxFormDepth {
			p = f.merged(p, inner, depth+1)
		}
		out = f.merge(out, p)
	}
	return out
}

// merge returns a schema that requires both a and b. If they conflict, a has
// precedence.
func (f *former) merge(a, b map[string]any) map[string]any {
	if !f.looked(len(a) + len(b)) {
		return a
	}
	out := maps.Clone(b)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range a {
		switch have := out[k].(type) {
		case map[string]any:
			if mine, ok := v.(map[string]any); ok && (k == "properties" || k == "patternProperties") {
				out[k] = f.mergeMembers(mine, have)
				continue
			}
		case []any:
			if mine, ok := v.([]any); ok && k == "required" && f.looked(len(mine)+len(have)) {
				out[k] = slices.Concat(mine, have)
				continue
			}
		}
		out[k] = v
	}
	return out
}

func (f *former) mergeMembers(a, b map[string]any) map[string]any {
	if !f.looked(len(a) + len(b)) {
		return a
	}
	out := maps.Clone(b)
	for k, v := range a {
		mine, ok := v.(map[string]any)
		theirs, both := out[k].(map[string]any)
		if ok && both {
			out[k] = f.merge(mine, theirs)
		} else {
			out[k] = v
		}
	}
	return out
}

// choice simplifies anyOf and oneOf. If there is a single branch besides null,
// the result is that branch.
func (f *former) choice(s map[string]any, word string, some []any, depth int) *Node {
	rest := maps.Clone(s)
	delete(rest, word)
	null := false
	var nodes []*Node
	for _, branch := range some {
		if f.err != nil {
			break
		}
		b, ok := branch.(map[string]any)
		if ok && b["type"] == "null" {
			null = true
			continue
		}
		if ok {
			nodes = append(nodes, f.node(f.merge(rest, b), depth+1))
		} else {
			nodes = append(nodes, f.node(rest, depth+1))
		}
	}
	return union(nodes, null)
}

func union(nodes []*Node, null bool) *Node {
	switch len(nodes) {
	case 0:
		return anything()
	case 1:
		n := *nodes[0]
		n.Null = n.Null || null
		return &n
	}
	first := nodes[0]
	for _, n := range nodes {
		null = null || n.Null
	}
	return &Node{Type: first.Type, Choices: nodes, Description: first.Description, Null: null}
}

// typed simplifies a schema without references and logic.
func (f *former) typed(s map[string]any, depth int) *Node {
	types := typesOf(s)
	null := slices.Contains(types, "null")
	types = sorting.Without(types, func(t string) bool { return t == "null" })
	if len(types) > 1 {
		var nodes []*Node
		for _, t := range types {
			one := maps.Clone(s)
			one["type"] = t
			nodes = append(nodes, f.node(one, depth+1))
		}
		return union(nodes, null)
	}
	n := &Node{Type: String, Null: null, Description: restate(s)}
	if len(types) == 1 {
		n.Type = Type(types[0])
	} else if _, ok := s["enum"]; !ok {
		if _, ok := s["const"]; !ok {
			n.from, n.Null = loose, true
		}
	}
	n.Format, _ = s["format"].(string)
	if c, ok := s["const"]; ok {
		n.Enum = []any{c}
	} else if e, ok := s["enum"].([]any); ok {
		n.Enum = e
	}
	if i := slices.Index(n.Enum, nil); i >= 0 {
		n.Null = true
		n.Enum = sorting.Without(slices.Clone(n.Enum), func(v any) bool { return v == nil })
	}
	if m, ok := s["maximum"].(float64); ok {
		n.Maximum = &m
	}
	if m, ok := s["maxItems"].(float64); ok {
		n.MaxItems = &m
	}
	switch n.Type {
	case Object:
		f.object(n, s, depth)
	case List:
		f.list(n, s, depth)
	case String, Number, Integer, Boolean:
	default:
		n.Type, n.from = String, loose
	}
	return n
}

// typesOf returns the types that s allows. If they are not given, they are
// inferred.
func typesOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, v := range t {
			if name, ok := v.(string); ok {
				all = append(all, name)
			}
		}
		return all
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { _, ok := s[w]; return ok })
	}
	values, _ := s["enum"].([]any)
	if c, ok := s["const"]; ok {
		values = []any{c}
	}
	switch {
	case len(values) > 0:
		var all []string
		for _, v := range values {
			if t := typeOf(v); !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
		return all
	case has("properties", "patternProperties", "additionalProperties", "required", "propertyNames"):
		return []string{"object"}
	case has("items", "prefixItems", "minItems", "maxItems", "contains"):
		return []string{"array"}
	case has("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"):
		return []string{"number"}
	case has("pattern", "minLength", "maxLength", "format"):
		return []string{"string"}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "string"
}

// object reads the members of an object. An object with arbitrary names becomes
// a list of pairs.
func (f *former) object(n *Node, s map[string]any, depth int) {
	members, _ := s["properties"].(map[string]any)
	if len(members) == 0 {
		var value any = true
		if open, ok := s["additionalProperties"]; ok {
			value = open
		} else if patterns, ok := s["patternProperties"].(map[string]any); ok && len(patterns) > 0 {
			value = patterns[slices.Sorted(maps.Keys(patterns))[0]]
		}
		if value == false {
			n.Fields = []Field{}
			return
		}
		n.Type, n.from = List, mapping
		n.Items = &Node{Type: Object, Fields: []Field{
			{Name: "key", Node: &Node{Type: String}, Required: true},
			{Name: "value", Node: f.node(value, depth+1), Required: true},
		}}
		return
	}
	if f.fields += len(members); f.fields > maxProperties && f.err == nil {
		f.err = &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d properties", maxProperties)}
		return
	}
	var required []string
	list, _ := s["required"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok && !slices.Contains(required, name) {
			if _, ok := members[name]; ok {
				required = append(required, name)
			}
		}
	}
	add := func(name string, required bool) {
		n.Fields = append(n.Fields, Field{Name: name, Node: f.node(members[name], depth+1), Required: required})
	}
	for _, name := range required {
		add(name, true)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(required, name) {
			add(name, false)
		}
	}
}

// list reads the items of a list. A list with fixed elements becomes an object.
func (f *former) list(n *Node, s map[string]any, depth int) {
	places, ok := s["prefixItems"].([]any)
	if !ok {
		places, ok = s["items"].([]any)
	}
	if !ok || len(places) == 0 {
		n.Items = f.node(s["items"], depth+1)
		return
	}
	n.Type, n.from = Object, tuple
	least, _ := s["minItems"].(float64)
	for i, place := range places {
		n.Fields = append(n.Fields, Field{Name: "item" + strconv.Itoa(i), Node: f.node(place, depth+1), Required: i < int(least)})
	}
}

// rules are the keywords that are removed from a schema and described in words.
var rules = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
	"contains", "unevaluatedProperties", "unevaluatedItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern", "multipleOf", "uniqueItems",
}

// restate returns the description of s with its rules in words.
func restate(s map[string]any) string {
	text, _ := s["description"].(string)
	if text == "" {
		text, _ = s["title"].(string)
	}
	var parts []string
	for _, word := range rules {
		if v, ok := s[word]; ok {
			if size(v) >= 100 { // each needs at least one byte
				continue
			}
			if raw, err := json.Marshal(v); err == nil && len(raw) < 100 {
				parts = append(parts, word+" "+string(raw))
			}
		}
	}
	if len(parts) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(parts, ", ") + ")")
	}
	if len(text) > maxRestated {
		text = strings.ToValidUTF8(text[:maxRestated], "")
	}
	return text
}
