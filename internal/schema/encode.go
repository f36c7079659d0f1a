// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"maps"
	"slices"
)

// Encode converts value, which is valid for the schema, to the form.
func (f *Form) Encode(value any) any {
	if f.wrapped {
		return map[string]any{"value": f.Root.Fields[0].Node.Encode(value)}
	}
	return f.Root.Encode(value)
}

// Decode converts value, which is valid for the form, back to the schema.
// Values other than map[string]any and []any are unchanged.
func (f *Form) Decode(value any) any {
	if !f.wrapped {
		return f.Root.Decode(value)
	}
	m, _ := value.(map[string]any)
	return f.Root.Fields[0].Node.Decode(m["value"])
}

// Wrapped reports whether the schema's root is in the single field of Root.
func (f *Form) Wrapped() bool { return f.wrapped }

// Encode converts a value of the schema at this node to the form.
func (n *Node) Encode(v any) any {
	if v == nil || n.from == loose {
		return v
	}
	if n.Choices != nil {
		return n.choose(v, false).Encode(v)
	}
	switch {
	case n.from == mapping:
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		list := make([]any, 0, len(m))
		for _, k := range sortedKeys(m) {
			list = append(list, map[string]any{"key": k, "value": n.Items.Fields[1].Node.Encode(m[k])})
		}
		return list
	case n.from == tuple:
		list, ok := v.([]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for i, f := range n.Fields {
			out[f.Name] = nil
			if i < len(list) {
				out[f.Name] = f.Node.Encode(list[i])
			}
		}
		return out
	case n.Type == Object:
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for _, f := range n.Fields {
			out[f.Name] = f.Node.Encode(m[f.Name])
		}
		return out
	case n.Type == List:
		list, ok := v.([]any)
		if !ok {
			return v
		}
		out := make([]any, len(list))
		for i := range list {
			out[i] = n.Items.Encode(list[i])
		}
		return out
	}
	return v
}

// Decode converts a value of the form at this node back to the schema.
func (n *Node) Decode(v any) any {
	if v == nil || n.from == loose {
		return v
	}
	if n.Choices != nil {
		return n.choose(v, true).Decode(v)
	}
	switch v := v.(type) {
	case []any:
		if n.Type != List {
			return v
		}
		if n.from == mapping {
			return n.decodeMapping(v)
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.Items.Decode(v[i])
		}
		return out
	case map[string]any:
		if n.Type != Object {
			return v
		}
		if n.from == tuple {
			return n.decodeTuple(v)
		}
		out := map[string]any{}
		for _, f := range n.Fields {
			m, ok := v[f.Name]
			if m == nil && (!ok || !f.Required || !f.Node.Null) {
				continue
			}
			out[f.Name] = f.Node.Decode(m)
		}
		return out
	}
	return v
}

// decodeMapping converts a list of pairs back to an object.
func (n *Node) decodeMapping(list []any) map[string]any {
	out := map[string]any{}
	for _, pair := range list {
		p, ok := pair.(map[string]any)
		if !ok {
			continue
		}
		if k, ok := keyText(p["key"]); ok {
			out[k] = n.Items.Fields[1].Node.Decode(p["value"])
		}
	}
	return out
}

// keyText returns a key of a map: a string, or an object that contains one.
func keyText(v any) (string, bool) {
	switch k := v.(type) {
	case string:
		return k, true
	case interface{ Text() string }:
		return k.Text(), true
	}
	return "", false
}

// decodeTuple returns a tuple up to its first missing element.
func (n *Node) decodeTuple(v map[string]any) []any {
	out := []any{}
	for _, f := range n.Fields {
		m := v[f.Name]
		if m == nil && (!f.Required || !f.Node.Null) {
			break
		}
		out = append(out, f.Node.Decode(m))
	}
	return out
}

// choose returns the alternative that matches v best. It compares v with the
// types of the form if wire is set, else with those of the schema. If several
// alternatives match equally well, or none matches, it returns the first of them.
func (n *Node) choose(v any, wire bool) *Node {
	best, most := n.Choices[0], -1
	for _, c := range n.Choices {
		if score := c.fits(v, wire); score > most {
			best, most = c, score
		}
	}
	return best
}

// fits returns how well v matches the node's type; -1 means not at all.
func (n *Node) fits(v any, wire bool) int {
	if n.from == loose {
		return 0
	}
	if n.Choices != nil {
		return n.choose(v, wire).fits(v, wire)
	}
	kind := n.Type
	if !wire && n.from == mapping {
		kind = Object
	}
	if !wire && n.from == tuple {
		kind = List
	}
	switch v := v.(type) {
	case map[string]any:
		if kind != Object {
			return -1
		}
		return n.fitsObject(v)
	case []any:
		if kind == List {
			return 1
		}
		return -1
	}
	if n.Enum != nil {
		if slices.Contains(n.Enum, v) {
			return 3
		}
		return -1
	}
	switch have := typeOf(v); {
	case have == string(kind):
		return 2
	case have == "integer" && kind == Number:
		return 1
	}
	return -1
}

// fitsObject returns how well an object matches the fields of the node. It returns
// -1 if a required member is missing.
func (n *Node) fitsObject(v map[string]any) int {
	score := 1
	if n.from != plain {
		return score
	}
	for _, f := range n.Fields {
		if m, ok := v[f.Name]; ok && m != nil {
			score += 2
		} else if f.Required {
			return -1
		}
	}
	if len(n.Fields) < len(v) {
		score--
	}
	return score
}

// Wire returns the form as a JSON Schema for strict modes: closed objects, all
// members required, and null for optional members.
func (n *Node) Wire() map[string]any {
	if n.from == loose {
		return described(map[string]any{"type": []any{"string", "number", "boolean", "null"}}, n)
	}
	if n.Choices != nil {
		var some []any
		for _, c := range n.Choices {
			some = append(some, c.Wire())
		}
		return described(map[string]any{"anyOf": some}, n)
	}
	switch n.Type {
	case Object:
		members, required := map[string]any{}, []any{}
		for _, f := range n.Fields {
			m := f.Node.Wire()
			if !f.Required || f.Node.Null {
				m = Nullable(m)
			}
			members[f.Name] = m
			required = append(required, f.Name)
		}
		return described(map[string]any{"type": "object", "properties": members, "required": required, "additionalProperties": false}, n)
	case List:
		items := n.Items.Wire()
		if n.Items.Null && n.Items.from != loose {
			items = Nullable(items)
		}
		return described(map[string]any{"type": "array", "items": items}, n)
	}
	out := map[string]any{"type": string(n.Type)}
	if n.Enum != nil {
		out["enum"] = n.Enum
	}
	return described(out, n)
}

// Nullable returns the wire schema m with null allowed.
func Nullable(m map[string]any) map[string]any {
	if some, ok := m["anyOf"].([]any); ok {
		m["anyOf"] = append(slices.Clip(some), map[string]any{"type": "null"})
		return m
	}
	if t, ok := m["type"].(string); ok {
		m["type"] = []any{t, "null"}
	}
	if e, ok := m["enum"].([]any); ok {
		m["enum"] = append(slices.Clip(e), nil)
	}
	return m
}

func described(m map[string]any, n *Node) map[string]any {
	if n.Description != "" {
		m["description"] = n.Description
	}
	return m
}

// Wire returns the form as a JSON Schema; see [Node.Wire].
func (f *Form) Wire() json.RawMessage {
	raw, err := json.Marshal(f.Root.Wire())
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // cannot happen: all values come from JSON
	}
	return raw
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}

// IsMapping reports whether the node was an object with arbitrary names.
func (n *Node) IsMapping() bool { return n.from == mapping }

// IsLoose reports whether the node accepts values of all types.
func (n *Node) IsLoose() bool { return n.from == loose }
