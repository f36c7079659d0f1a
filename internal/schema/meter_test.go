// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/evil"
)

// TestHostileSchemas uses schemas that double at each step or never end, with
// all functions of this package.
func TestHostileSchemas(t *testing.T) {
	for _, s := range evil.Schemas() {
		t.Run(s.Name, func(t *testing.T) {
			began := cputest.Used(t)
			var v any
			if err := json.Unmarshal([]byte(s.Value), &v); err != nil {
				t.Fatal(err)
			}
			if compiled, err := schema.Compile([]byte(s.Doc)); err == nil {
				err := compiled.Validate(t.Context(), v)
				compiled.Faults(v)
				t.Logf("%v, %.200v", cputest.Used(t)-began, err)
			} else if _, ok := errors.AsType[*schema.Error](err); !ok {
				t.Errorf("%v", err)
			} else {
				t.Logf("%v, %.200v", cputest.Used(t)-began, err)
			}
			if form, err := schema.Forward([]byte(s.Doc)); err == nil {
				form.Wire()
				form.Decode(form.Encode(v))
			}
			schema.FromExample([]byte(s.Doc))
			if took := cputest.Used(t) - began; took > time.Minute { // detects hangs; the race detector makes it 20 times as slow
				t.Errorf("%v", took)
			}
		})
	}
}

// doubled returns n steps, each of which applies the next one twice.
func doubled(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%[2]d"}]},`, i, i+1)
	}
	fmt.Fprintf(&b, `"s%d":{"type":"string"}}}`, n)
	return b.String()
}

// TestExpansion checks that a schema is refused by the number of schemas that
// it applies to one value, counting each reference.
func TestExpansion(t *testing.T) {
	for n, want := range map[int]error{1: nil, 10: nil, 13: nil, 16: schema.ErrTooLarge, 30: schema.ErrTooLarge, 5000: schema.ErrTooLarge} {
		s, err := schema.Compile([]byte(doubled(n)))
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%d steps: %v, want %v", n, err, want)
		}
		if s != nil && (s.Validate(t.Context(), "x") != nil || !errors.Is(s.Validate(t.Context(), 1.0), schema.ErrInvalid)) {
			t.Errorf("%d steps: the verdict is wrong", n)
		}
	}
}

// TestSteps checks that a validation with too many steps ends if the schema
// itself gives no hint, and that other values can be validated afterwards.
func TestSteps(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":["object","integer"],"allOf":[{"additionalProperties":{"$ref":"#"}},{"patternProperties":{"":{"$ref":"#"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	within := func(n int) any {
		var v any = 1.0
		for range n {
			v = map[string]any{"x": v}
		}
		return v
	}
	if err := s.Validate(t.Context(), within(5)); err != nil {
		t.Error(err)
	}
	if err := s.Validate(t.Context(), within(60)); !errors.Is(err, schema.ErrTooLarge) {
		t.Errorf("nested: %v", err)
	}
	if f := s.Faults(within(60)); len(f) != 1 || !strings.Contains(f[0].Text, "steps") {
		t.Errorf("faults: %v", f)
	}
	if err := s.Validate(t.Context(), "x"); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("afterwards: %v", err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.Validate(t.Context(), within(8)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestLargeValue validates a large value as extraction returns it, which must
// not be refused.
func TestLargeValue(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","required":["rows"],"properties":{"rows":{"type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/row"}}},
		"$defs":{"row":{"type":"object","additionalProperties":false,"properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string","pattern":"^n[0-9]+$","maxLength":20},
		"kind":{"enum":["a","b","c"]},"price":{"anyOf":[{"type":"number"},{"type":"null"}]},"day":{"type":"string","format":"date"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var rows []any
	for i := range 20_000 {
		rows = append(rows, map[string]any{"id": float64(i), "name": fmt.Sprint("n", i), "kind": "b", "price": nil, "day": "2024-02-29"})
	}
	if err := s.Validate(t.Context(), map[string]any{"rows": rows}); err != nil {
		t.Error(err)
	}
	for _, r := range rows {
		r.(map[string]any)["id"] = "none"
	}
	if f := s.Faults(map[string]any{"rows": rows}); len(f) != 1000 {
		t.Errorf("%d faults", len(f))
	}
	if err := s.Validate(t.Context(), map[string]any{"rows": rows}); !errors.Is(err, schema.ErrInvalid) || len(err.Error()) > 400 {
		t.Errorf("%v", err)
	}
}

// TestSuite runs the test suite of the validator's module, and compares our
// results with those of the validator without limits.
func TestSuite(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/santhosh-tekuri/jsonschema/v6").Output()
	if err != nil {
		t.Skip("the module's directory is not known")
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "testdata", "*Test-Suite", "tests", "*", "*.json"))
	more, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "testdata", "*Test-Suite", "tests", "*", "optional", "*.json"))
	cases := 0
	for _, file := range append(files, more...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases += compare(t, filepath.Base(file), raw)
	}
	cases += compare(t, "own", []byte(ownSuite))
	if cases < 50 {
		t.Errorf("%d cases", cases)
	}
	t.Logf("%d cases", cases)
}

// compare runs the cases in one file of a suite.
func compare(t *testing.T, file string, raw []byte) (cases int) {
	t.Helper()
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        any
			Valid       *bool
		}
	}
	if json.Unmarshal(raw, &groups) != nil {
		return 0
	}
	for _, g := range groups {
		ours, err := schema.Compile(g.Schema)
		if err != nil {
			continue // for example, a reference to another document
		}
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(string(g.Schema)))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("schema:///request.json", tree); err != nil {
			t.Fatal(err)
		}
		theirs, err := c.Compile("schema:///request.json")
		if err != nil {
			continue // a pattern with look-around
		}
		for _, test := range g.Tests {
			cases++
			got, want := ours.Validate(t.Context(), test.Data) == nil, theirs.Validate(test.Data) == nil
			if got != want || strings.HasPrefix(file, "own") && got != *test.Valid {
				t.Errorf("%s: %s: %s: valid is %v, that of the validator %v", file, g.Description, test.Description, got, want)
			}
		}
	}
	return cases
}

// ownSuite contains cases in the form of the suite: each keyword that applies
// schemas, and cyclic references.
const ownSuite = `[
{"description":"dynamic reference to an anchor that nothing else names","schema":{"$id":"http://a.test/root","$ref":"list",
	"$defs":{"foo":{"$dynamicAnchor":"items","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$dynamicAnchor":"items"}}}}},
	"tests":[{"description":"strings","data":["a"],"valid":true},{"description":"a number","data":["a",1],"valid":false}]},
{"description":"tree","schema":{"$id":"http://a.test/tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}},"unevaluatedProperties":false},
	"tests":[{"description":"sound","data":{"children":[{"data":1}]},"valid":true},{"description":"a misspelt member","data":{"children":[{"daat":1}]},"valid":false}]},
{"description":"recursive reference","schema":{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"foo":{"$recursiveRef":"#"}},"additionalProperties":false},
	"tests":[{"description":"sound","data":{"foo":{"foo":{}}},"valid":true},{"description":"another member","data":{"foo":{"bar":1}},"valid":false}]},
{"description":"unevaluated through references","schema":{"allOf":[{"$ref":"#/$defs/a"}],"if":{"required":["b"]},"then":{"properties":{"b":{"type":"integer"}}},"unevaluatedProperties":false,"$defs":{"a":{"properties":{"a":true}}}},
	"tests":[{"description":"a","data":{"a":1},"valid":true},{"description":"a and b","data":{"a":1,"b":2},"valid":true},{"description":"b is a text","data":{"b":"x"},"valid":false},{"description":"c","data":{"c":1},"valid":false}]},
{"description":"unevaluated items","schema":{"prefixItems":[{"type":"string"}],"contains":{"type":"boolean"},"unevaluatedItems":{"type":"null"}},
	"tests":[{"description":"sound","data":["a",true,null],"valid":true},{"description":"a number","data":["a",true,1],"valid":false}]},
{"description":"formats stay","schema":{"properties":{"a":{"format":"date"}},"propertyNames":{"maxLength":3}},
	"tests":[{"description":"a date","data":{"a":"2024-02-29"},"valid":true},{"description":"no date","data":{"a":"2023-02-29"},"valid":false},{"description":"a long name","data":{"abcd":1},"valid":false}]},
{"description":"old dependencies","schema":{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}},
	"tests":[{"description":"none","data":{},"valid":true},{"description":"a alone","data":{"a":1},"valid":false},{"description":"c and d","data":{"c":1,"d":1},"valid":true},{"description":"c alone","data":{"c":1},"valid":false}]},
{"description":"logic","schema":{"oneOf":[{"not":{"type":"string"}},{"anyOf":[{"const":"a"},{"enum":["b",["c"]]}]}]},
	"tests":[{"description":"a number","data":1,"valid":true},{"description":"a","data":"a","valid":true},{"description":"x","data":"x","valid":false},{"description":"a list","data":["c"],"valid":false}]},
{"description":"the metaschema","schema":{"$ref":"https://json-schema.org/draft/2020-12/schema"},
	"tests":[{"description":"a schema","data":{"items":{"type":"string"}},"valid":true},{"description":"no schema","data":{"items":{"type":"text"}},"valid":false}]}
]`

// TestValidateEnds checks that a validation ends with its context, and that the
// schema can be used again afterwards.
func TestValidateEnds(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"array","items":{"type":"number"}}`))
	if err != nil {
		t.Fatal(err)
	}
	list := make([]any, 2000)
	for i := range list {
		list[i] = 1.0
	}
	cause := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	if err := s.Validate(ctx, list); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if err := s.Validate(t.Context(), list); err != nil {
		t.Error(err)
	}
}
