// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/schema"
)

func form(t testing.TB, doc string) *schema.Form {
	t.Helper()
	f, err := schema.Forward([]byte(doc))
	if err != nil {
		t.Fatalf("Forward(%.200s): %v", doc, err)
	}
	return f
}

func value(t testing.TB, doc string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWire checks the form in which a schema is sent to a model.
func TestWire(t *testing.T) {
	for _, test := range []struct{ name, doc, want string }{
		{"optional is nullable", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["b"]}`, `{"additionalProperties":false,"properties":{"a":{"type":["string","null"]},"b":{"type":"number"}},"required":["b","a"],"type":"object"}`},
		{"reference", `{"$defs":{"x":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}`},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"const":2}},"required":["b"]}]}`, `{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"enum":[2],"type":"integer"}},"required":["a","b"],"type":"object"}`},
		{"oneOf", `{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"number"}]}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["a"],"type":"object"}`},
		{"or null", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"type":["string","null"]}},"required":["a"],"type":"object"}`},
		{"rules are said", `{"properties":{"a":{"type":"string","pattern":"^x","minLength":2,"description":"An a"}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"description":"An a (minLength 2, pattern \"^x\")","type":"string"}},"required":["a"],"type":"object"}`},
		{"map", `{"properties":{"a":{"type":"object","additionalProperties":{"type":"number"}}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"items":{"additionalProperties":false,"properties":{"key":{"type":"string"},"value":{"type":"number"}},"required":["key","value"],"type":"object"},"type":"array"}},"required":["a"],"type":"object"}`},
		{"tuple", `{"properties":{"a":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":1}},"required":["a"]}`, `{"additionalProperties":false,"properties":{"a":{"additionalProperties":false,"description":"(minItems 1)","properties":{"item0":{"type":"string"},"item1":{"type":["number","null"]}},"required":["item0","item1"],"type":"object"}},"required":["a"],"type":"object"}`},
		{"root list", `{"type":"array","items":{"type":"integer"}}`, `{"additionalProperties":false,"properties":{"value":{"items":{"type":"integer"},"type":"array"}},"required":["value"],"type":"object"}`},
		{"types inferred", `{"properties":{"a":{"enum":["x",null]},"b":{"items":{"minimum":1}}},"required":["a","b"]}`, `{"additionalProperties":false,"properties":{"a":{"enum":["x",null],"type":["string","null"]},"b":{"items":{"description":"(minimum 1)","type":"number"},"type":"array"}},"required":["a","b"],"type":"object"}`},
	} {
		got := form(t, test.doc).Wire()
		if d := cmp.Diff(value(t, test.want), value(t, string(got))); d != "" {
			t.Errorf("%s: %s\n%s", test.name, got, d)
		}
	}
}

func TestForwardBounds(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 40) + `{}` + strings.Repeat(`}`, 40)
	wide := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"a%d":{},`, 501), ",") + `}}`
	n := 0
	wide = strings.NewReplacer("%d", "%d").Replace(wide)
	var b strings.Builder
	for part := range strings.SplitSeq(wide, "%d") {
		if n > 0 {
			fmt.Fprint(&b, n)
		}
		b.WriteString(part)
		n++
	}
	for name, doc := range map[string]string{
		"depth": deep, "properties": b.String(), "bytes": `{"description":"` + strings.Repeat("x", 256<<10) + `"}`,
		"nodes": `{"$defs":{"a":{"properties":{"x":{"$ref":"#/$defs/b"},"y":{"$ref":"#/$defs/b"}}},"b":{"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"},"z":{"$ref":"#/$defs/a"},"w":{"$ref":"#/$defs/b"},"v":{"$ref":"#/$defs/b"}}}},"$ref":"#/$defs/a"}`,
	} {
		if _, err := schema.Forward([]byte(doc)); !errors.Is(err, schema.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
	form(t, `{"properties":{"a":{"$ref":"#"}}}`)       // cut
	form(t, `{"$ref":"#/$defs/a","$defs":{"a":true}}`) // anything
	if _, err := schema.Forward([]byte(`{`)); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("no JSON: %v", err)
	}
}

// source generates schemas together with valid values.
type source struct{ *rand.Rand }

// pair returns a schema and a value that is valid for it.
func (s source) pair(depth int) (doc map[string]any, fits any) {
	kind := s.IntN(12)
	if depth > 3 {
		kind = s.IntN(5)
	}
	switch kind {
	case 0:
		return map[string]any{"type": "string"}, fmt.Sprint("s", s.IntN(9))
	case 1:
		return map[string]any{"type": "number", "minimum": 0.0}, float64(s.IntN(100)) / 4
	case 2:
		return map[string]any{"type": "integer"}, float64(s.IntN(9))
	case 3:
		return map[string]any{"type": "boolean"}, s.IntN(2) == 0
	case 4:
		return map[string]any{"enum": []any{"a", 1.0, "c"}}, []any{"a", 1.0, "c"}[s.IntN(3)]
	case 5:
		doc, v := s.pair(depth + 1)
		return map[string]any{"type": "array", "items": doc}, []any{v, v}[:s.IntN(3)]
	case 6:
		doc, v := s.pair(depth + 1)
		return map[string]any{"type": "object", "additionalProperties": doc}, map[string]any{"k1": v, "k 2": v}
	case 7:
		a, x := s.pair(depth + 1)
		b, y := s.pair(depth + 1)
		return map[string]any{"type": "array", "prefixItems": []any{a, b}, "minItems": 1.0}, []any{x, y}[:1+s.IntN(2)]
	case 8:
		doc, v := s.pair(depth + 1)
		if s.IntN(2) == 0 {
			v = nil
		}
		return map[string]any{"anyOf": []any{doc, map[string]any{"type": "null"}}}, v
	case 9:
		return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "number"}}}, []any{"x", 2.5}[s.IntN(2)]
	}
	members, required, value := map[string]any{}, []any{}, map[string]any{}
	for i := range 1 + s.IntN(4) {
		name := fmt.Sprint("m", i)
		doc, v := s.pair(depth + 1)
		members[name] = doc
		if s.IntN(2) == 0 {
			required = append(required, name)
		} else if s.IntN(3) == 0 {
			continue
		}
		value[name] = v
	}
	return map[string]any{"type": "object", "properties": members, "required": required}, value
}

// TestInverse checks that a value is still valid after it was converted to the
// form and back.
func TestInverse(t *testing.T) {
	for seed := range uint64(1000) {
		doc, fits := source{rand.New(rand.NewPCG(seed, 1))}.pair(0)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.Compile(raw)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := s.Validate(t.Context(), fits); err != nil {
			t.Fatalf("seed %d: the value does not fit: %v", seed, err)
		}
		f := form(t, string(raw))
		wire := f.Encode(fits)
		shape, err := schema.Compile(f.Wire())
		if err != nil {
			t.Fatalf("seed %d: wire %s: %v", seed, f.Wire(), err)
		}
		if err := shape.Validate(t.Context(), wire); err != nil {
			t.Errorf("seed %d: %s as %v does not fit %s: %v", seed, raw, wire, f.Wire(), err)
		}
		if back := f.Decode(wire); s.Validate(t.Context(), back) != nil {
			t.Errorf("seed %d: schema %s, value %v, back %v: %v", seed, raw, fits, back, s.Validate(t.Context(), back))
		}
	}
}

func TestFromExample(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`{"items":[{"name":"x","price":1,"tags":["a"],"ok":true,"n":null,"kind":"number"}]}`, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}},"ok":{"type":"boolean"},"n":{"type":["string","null"]},"kind":{"type":"number"}}}}}}`},
		{`{"title":"x","description":"y"}`, `{"type":"object","properties":{"title":{"type":"string"},"description":{"type":"string"}}}`},
		{`{"type":"object","properties":{"a":{}}}`, ""},
		{`{"$ref":"#/$defs/a"}`, ""},
		{`{"anyOf":[]}`, ""},
		{`{}`, ""},
		{`true`, ""},
	} {
		got, ok := schema.FromExample([]byte(test.doc))
		if ok != (test.want != "") {
			t.Errorf("%s: %s, %v", test.doc, got, ok)
			continue
		}
		if ok {
			if d := cmp.Diff(value(t, test.want), value(t, string(got))); d != "" {
				t.Errorf("%s:\n%s", test.doc, d)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"a~/b":{"type":"array","items":{"type":"integer","minimum":3}}},"required":["c"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, f := range s.Faults(value(t, `{"a~/b":[3,1,"x"]}`)) {
		at = append(at, f.Pointer+" "+f.Text)
	}
	if len(at) != 3 || !strings.Contains(strings.Join(at, "\n"), "/a~0~1b/1 minimum") {
		t.Errorf("faults %q", at)
	}
	if got := s.Faults(value(t, `{"c":1}`)); got != nil {
		t.Errorf("faults of what fits: %v", got)
	}
}

func FuzzForward(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"oneOf":[{"type":"array","prefixItems":[{}]},{"additionalProperties":{"const":1}}]}}}`), []byte(`{"a":{},"b":[1]}`))
	f.Add([]byte(`{"allOf":[{"allOf":[{"$ref":"#/$defs/x"}]}],"$defs":{"x":{"enum":[1,null,"a"]}}}`), []byte(`1`))
	f.Fuzz(func(t *testing.T, doc, instance []byte) {
		form, err := schema.Forward(doc)
		if (form == nil) == (err == nil) {
			t.Fatalf("Forward(%q) = %v, %v", doc, form, err)
		}
		var v any
		if err != nil || json.Unmarshal(instance, &v) != nil {
			return
		}
		if !json.Valid(form.Wire()) {
			t.Errorf("wire of %q: %s", doc, form.Wire())
		}
		form.Decode(form.Encode(v))
		form.Decode(v)
	})
}
