// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestCompile(t *testing.T) {
	for _, test := range []struct {
		doc  string
		want error // nil if it compiles
	}{
		{`{}`, nil},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, nil},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, nil},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}},"$ref":"#/definitions/a"}`, nil},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, nil},
		{`{"$id":"http://a.test/x","$defs":{"y":{"$id":"y"}},"$ref":"y"}`, nil}, // refers to the document itself
		{`{"type":"objekt"}`, schema.ErrInvalid},
		{`{"$ref":"#/nope"}`, schema.ErrInvalid},
		{`{"pattern":"(?=x)"}`, nil}, // with a warning
		{`{"pattern":"(?=x"}`, schema.ErrInvalid},
		{`{"pattern":"(?<!x)[z-a]"}`, schema.ErrInvalid},
		{`{`, schema.ErrInvalid},
		{`3`, schema.ErrInvalid},
		{`{"$ref":"http://127.0.0.1/a"}`, schema.ErrRemote},
		{`{"$ref":"file:///etc/passwd"}`, schema.ErrRemote},
		{`{"$schema":"http://x.test/meta"}`, nil}, // with a warning
		{`{"$schema":"http://x.test/meta","$ref":"http://x.test/meta"}`, schema.ErrRemote},
		{`{"$id":"http://a.test/x","properties":{"a":{"$ref":"y"}}}`, schema.ErrRemote},
		{`{"properties":{"a":{"pattern":"^(?:a|b){1,99}$"},"b":{"pattern":"^(?:a|b){1,99}$"}},"patternProperties":{"^x":{}}}`, nil},
		{`{"pattern":"` + strings.Repeat("x{1000}", 60) + `"}`, nil}, // counted once, although it is requested twice
		{`{"pattern":"` + strings.Repeat("x{1000}", 110) + `"}`, schema.ErrTooLarge},
		{`{"properties":{` + unfolding(100) + `}}`, schema.ErrTooLarge},
		{`{"minimum":-1.5e-308,"maximum":1E+308,"enum":[1e400,[{"a":0e-400}]]}`, nil},
		{`{"allOf":[` + strings.Repeat("true,", 4998) + `{}]}`, nil},
		{`{"allOf":[` + strings.Repeat("true,", 4999) + `{}]}`, schema.ErrTooLarge},
		{`{"maximum":1e401}`, schema.ErrTooLarge},
		{`{"items":{"enum":[1,[{"a":-1E-999999}]]}}`, schema.ErrTooLarge},
		{`{"const":1e99999999999999999999}`, schema.ErrTooLarge},
		{`{"a":"` + strings.Repeat("x", schema.MaxBytes) + `"}`, schema.ErrTooLarge},
	} {
		_, err := schema.Compile([]byte(test.doc))
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("Compile(%.80s): %v, want %v", test.doc, err, test.want)
		}
		if e, ok := errors.AsType[*schema.Error](err); err != nil && (!ok || strings.Contains(e.Error(), "\n") || len(e.Error()) > 400) {
			t.Errorf("Compile(%.80s): the error is %T: %q", test.doc, err, err)
		}
	}
}

// unfolding returns n members with small patterns that compile to 2,000
// instructions each.
func unfolding(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"a%d":{"pattern":"%dx{1000}y{1000}"}`, i, i)
	}
	return strings.Join(members, ",")
}

func TestValidate(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(t.Context(), map[string]any{"n": 1.0}); err != nil {
		t.Errorf("a value that fits: %v", err)
	}
	for _, value := range []any{nil, "x", map[string]any{}, map[string]any{"n": "1"}} {
		if err := s.Validate(t.Context(), value); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("Validate(%v): %v, want ErrInvalid", value, err)
		}
	}
}

// TestWarnings compiles schemas that cannot be enforced completely, and checks
// the warnings.
func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		doc   string
		says  string // empty means no warning
		fit   any
		unfit any // an invalid value; nil means that everything is valid
	}{
		{`{"type":"string"}`, "", "x", 1.0},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, "", "x", 1.0},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string"}`, "", "x", 1.0},
		{`{"$schema":"https://x.test/own","type":"array","prefixItems":[{"type":"string"}]}`, "https://x.test/own", []any{"x"}, []any{1.0}},
		{`{"type":"string","pattern":"^(?!a)b"}`, "^(?!a)b", "a", 1.0},
		{`{"type":"string","pattern":"(?<=a)b"}`, "(?<=a)b", "zzz", 1.0},
		{`{"type":"string","format":"date"}`, "", "2024-02-29", "2023-02-29"},
		{`{"type":"string","format":"email"}`, "", "a@b.test", "a b"},
		{`{"type":"string","format":"uri"}`, "", "https://a.test/", "a.test"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","format":"ipv4"}`, "", "127.0.0.1", "127.0.0"},
		{`{"format":"unheard-of"}`, "", "x", nil},
	} {
		s, err := schema.Compile([]byte(test.doc))
		if err != nil {
			t.Errorf("%s: %v", test.doc, err)
			continue
		}
		said := strings.Join(s.Warnings(), "; ")
		if test.says == "" && said != "" || !strings.Contains(said, test.says) {
			t.Errorf("%s: warnings %q, want %q", test.doc, said, test.says)
		}
		if err := s.Validate(t.Context(), test.fit); err != nil {
			t.Errorf("%s: %v: %v", test.doc, test.fit, err)
		}
		if test.unfit != nil && s.Validate(t.Context(), test.unfit) == nil {
			t.Errorf("%s: %v fits", test.doc, test.unfit)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"}}}`))
	f.Add([]byte(`{"$dynamicRef":"#x","$dynamicAnchor":"x","minimum":1e400,"pattern":"a{1000}"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := schema.Compile(doc)
		if (s == nil) == (err == nil) {
			t.Fatalf("Compile(%q) = %v, %v", doc, s, err)
		}
	})
}
