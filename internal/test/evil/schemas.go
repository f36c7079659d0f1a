// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"fmt"
	"strings"
)

// Schema is a JSON Schema that takes a naive validator exponential or infinite
// time.
type Schema struct {
	Name  string
	Doc   string // at most about 100 KB
	Value string // a JSON instance to validate
}

// Schemas returns a schema of each kind. Names are unique.
func Schemas() []Schema {
	const depth = 30
	all := []Schema{
		{"an endless reference", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `1`},
		{"an endless union", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}`, `1`},
		{"a tree that asks for itself twice", `{"$ref":"#/$defs/a","$defs":{"a":{"type":["object","integer"],"allOf":[
			{"additionalProperties":{"$ref":"#/$defs/a"}},{"patternProperties":{"":{"$ref":"#/$defs/a"}}}]}}}`, within(`{"x":`, `1`, `}`, 40)},
		{"a list that asks for itself twice", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[
			{"type":"array","items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a"},"minContains":2},{"type":"array","items":{"$ref":"#/$defs/a"}},{"type":"integer"}]}}}`, within(`[`, `"no"`, `]`, 40)},
		{"a dynamic reference that asks for itself twice", `{"$id":"http://a.test/root","$dynamicAnchor":"n","allOf":[
			{"additionalProperties":{"$dynamicRef":"#n"}},{"additionalProperties":{"$dynamicRef":"#n"}}]}`, within(`{"x":`, `1`, `}`, 40)},
		{"what was not evaluated", doubling(depth, `{"allOf":[NEXT,NEXT],"unevaluatedProperties":false}`, `{"properties":{"a":true}}`, ``), `{"a":1}`},
		{"many small alternatives", `{"items":{"oneOf":[` + strings.TrimSuffix(strings.Repeat(`{"const":1},`, 4_900), ",") + `]}}`, `[` + strings.TrimSuffix(strings.Repeat("2,", 2_000), ",") + `]`},
		{"unique items", `{"uniqueItems":true}`, `[` + unique(4_000) + `]`},
		{"large alternatives", `{"items":{"enum":[` + unique(4_000) + `]}}`, `[` + strings.TrimSuffix(strings.Repeat(`"none",`, 4_000), ",") + `]`},
		{"properties doubled by example", doubling(depth, `{"type":"object","properties":{"a":NEXT,"b":NEXT}}`, `{"type":"string"}`, ``), `{"a":{"b":{}}}`},
		{"nested too deep", within(`{"allOf":[`, `{}`, `]}`, 20_000), `1`},
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		all = append(all, Schema{word + " that doubles", doubling(depth, `{"`+word+`":[NEXT,NEXT]}`, `{"type":"string"}`, ``), `1`})
	}
	for name, step := range map[string]string{
		"not that doubles":                `{"not":{"allOf":[NEXT,{"not":NEXT}]}}`,
		"a condition that doubles":        `{"if":NEXT,"then":NEXT,"else":NEXT}`,
		"dependencies that double":        `{"dependentSchemas":{"a":NEXT,"b":NEXT},"dependencies":{"a":NEXT,"b":NEXT}}`,
		"references with siblings":        `{"$ref":"#/$defs/sNUM","allOf":[NEXT]}`,
		"dynamic references that double":  `{"allOf":[{"$dynamicRef":"#/$defs/sNUM"},{"$dynamicRef":"#/$defs/sNUM"}]}`,
		"anchors that double":             `{"$anchor":"aNUM","allOf":[NEXT,NEXT]}`,
		"definitions in the old place":    `{"allOf":[NEXT,NEXT],"definitions":{}}`,
		"names of properties that double": `{"propertyNames":{"allOf":[NEXT,NEXT]}}`,
	} {
		all = append(all, Schema{name, doubling(depth, step, `{"type":"string"}`, ``), `{"a":1,"b":2}`})
	}
	all = append(all, Schema{"an old draft that doubles", doubling(depth, `{"allOf":[NEXT,NEXT]}`, `{"type":"string"}`, `"$schema":"http://json-schema.org/draft-07/schema#",`), `1`})
	return all
}

// doubling writes n definitions from step, in which NEXT is a reference to the
// next one and NUM its number, and a last one.
func doubling(n int, step, last, head string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{%s"$ref":"#/$defs/s0","$defs":{`, head)
	for i := range n {
		next := fmt.Sprint(i + 1)
		s := strings.ReplaceAll(step, "NEXT", `{"$ref":"#/$defs/s`+next+`"}`)
		fmt.Fprintf(&b, `"s%d":%s,`, i, strings.ReplaceAll(s, "NUM", next))
	}
	fmt.Fprintf(&b, `"s%d":%s}}`, n, last)
	return b.String()
}

// within writes inner within n nested pairs of open and shut.
func within(open, inner, shut string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

// unique writes n objects that differ only at their end.
func unique(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"a":[1,2,3],"z":%d}`, i)
	}
	return b.String()
}
