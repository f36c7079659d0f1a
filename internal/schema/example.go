// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/json"
	"slices"
)

// words are keywords of JSON Schema. An object is an example if its root has none
// of them, apart from rules and from keywords that are also names of fields (see
// isWord).
var words = append([]string{
	"$schema", "$id", "id", "$ref", "$defs", "definitions", "type", "properties", "items", "prefixItems", "enum", "const",
	"anyOf", "oneOf", "allOf", "additionalProperties", "required", "title", "description", "format", "default",
}, rules...)

// FromExample returns a schema for values like doc, if doc is an example and
// not a schema.
func FromExample(doc []byte) ([]byte, bool) {
	var v any
	if len(doc) > maxFormBytes || json.Unmarshal(doc, &v) != nil {
		return nil, false
	}
	if m, ok := v.(map[string]any); ok {
		if len(m) == 0 || slices.ContainsFunc(words[:len(words)-len(rules)], func(w string) bool { return isWord(m, w) }) {
			return nil, false
		}
	} else if _, ok := v.([]any); !ok {
		return nil, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(exampleSchema(v, 0)) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}

// isWord reports whether m uses w as a keyword. Keywords that are also common names
// of fields, such as title, do not count. The keywords type and properties count
// only with a value that a schema may have.
func isWord(m map[string]any, w string) bool {
	v, ok := m[w]
	if !ok {
		return false
	}
	switch w {
	case "title", "description", "id", "format", "default", "required", "items":
		return false
	case "type":
		switch t := v.(type) {
		case string:
			return slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t) || len(m) == 1
		case []any:
			return true
		}
		return false
	case "properties":
		_, ok = v.(map[string]any)
	}
	return ok
}

func exampleSchema(v any, depth int) map[string]any {
	if depth > maxFormDepth {
		return map[string]any{}
	}
	switch v := v.(type) {
	case map[string]any:
		members := map[string]any{}
		for k, m := range v {
			members[k] = exampleSchema(m, depth+1)
		}
		return map[string]any{"type": "object", "properties": members}
	case []any:
		if len(v) == 0 {
			return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		}
		return map[string]any{"type": "array", "items": exampleSchema(v[0], depth+1)}
	case nil:
		return map[string]any{"type": []any{"string", "null"}}
	case string: // "string" and "number" are names of types
		if slices.Contains([]string{"number", "integer", "boolean"}, v) {
			return map[string]any{"type": v}
		}
		return map[string]any{"type": "string"}
	case float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": typeOf(v)}
}
