// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/agent/llm"
)

func TestReadObject(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // want empty: refused
		clean            bool
	}{
		{"plain", ` {"a":1} `, `{"a":1}`, true},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`, true},
		{"fence", "```json\n{\"a\":1}\n```", `{"a":1}`, false},
		{"prose", `Here it is: {"a":{"b":"}"}} as you asked.`, `{"a":{"b":"}"}}`, false},
		{"braces in prose", `Take {this}: {"a":1}`, `{"a":1}`, false},
		{"thoughts", `<think>maybe {"a":2}</think>{"a":1}`, `{"a":1}`, true},
		{"string", `"{\"a\":\"x\\\"y\"}"`, `{"a":"x\"y"}`, true},
		{"string in a string", `"\"{\\\"a\\\":1}\""`, `{"a":1}`, true},
		{"string with a fence", "\"```\\n{\\\"a\\\":1}\\n```\"", `{"a":1}`, false},
		{"array of one", `[{"a":1}]`, `{"a":1}`, false},
		{"array of one object twice", `[{"a":1}, {"a": 1}]`, `{"a":1}`, false},
		{"array of two objects", `[{"a":1}, {"a":2}]`, "", false},
		{"trailing commas", `{"a":[1,2,],"b":"x,}",}`, `{"a":[1,2],"b":"x,}"}`, false},
		{"escaped quote before a comma", `{"a":"\",}",}`, `{"a":"\",}"}`, false},
		{"comments", "{\"a\":1, // one\n/* two */ \"b\":2}", `{"a":1,"b":2}`, false},
		{"Python", `{'a': None, "b": True, 'c': 'it\'s "x"'}`, `{"a":null,"b":true,"c":"it's \"x\""}`, false},
		{"names without quotes", `{a: 1, b_2: [False]}`, `{"a":1,"b_2":[false]}`, false},
		{"a line end in a text", "{\"a\":\"x\ny\"}", `{"a":"x\ny"}`, false},
		{"escapes", `{"a":"\u00e9\ud83d\ude00\'",}`, `{"a":"é😀'"}`, false},
		{"array of two", `[{"a":1},{"a":2}]`, "", false},
		{"two objects", `{"a":1}{"a":2}`, "", false},
		{"two objects in prose", `First {"a":1}, then {"a":2}.`, "", false},
		{"the same object twice", "First {\"a\":1,\"b\":2}, then ```{\"b\":2, \"a\":1.0}```.", `{"a":1,"b":2}`, false},
		{"null", `null`, "", false},
		{"number", `12`, "", false},
		{"text", `I cannot do that.`, "", false},
		{"empty", ``, "", false},
		{"empty string", `""`, "", false},
		{"only braces", `{{{ I }}}`, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, clean, err := llm.ReadObject(c.text)
			if string(got) != c.want || (err == nil) != (c.want != "") || clean != c.clean && err == nil {
				t.Errorf("ReadObject(%q) = %s, clean %v, %v; want %s, clean %v", c.text, got, clean, err, c.want, c.clean)
			}
		})
	}
}

// TestReadObjectPartial reads objects that are cut or broken: what is whole of
// them is kept, and no object within them is taken for the reply.
func TestReadObjectPartial(t *testing.T) {
	const whole = `{"total": 3, "rows": [{"v": {"a": "x, y", "n": [1, 2]}, "ln": {"a": [4, 5]}}, {"v": {"a": "z"}}, {"v": {"a": "w"}}], "more": true}`
	var reply struct {
		Total int
		Rows  []struct{ V map[string]any }
		More  bool
	}
	for cut := range len(whole) {
		object, _, err := llm.ReadObject("Here you are:\n" + whole[:cut])
		reply.Rows = nil
		switch {
		case object == nil:
			if cut > len(`{"total": 3`) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		case !errors.Is(err, llm.ErrPartial):
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := json.Unmarshal(object, &reply); err != nil {
			t.Fatalf("cut at %d: %s: %v", cut, object, err)
		}
		if want := strings.Count(whole[:cut], "}, {") + min(1, strings.Count(whole[:cut], "}]")); len(reply.Rows) != want && len(reply.Rows) != want+1 {
			t.Errorf("cut at %d: %d rows in %s, want %d", cut, len(reply.Rows), object, want)
		}
		for i, row := range reply.Rows {
			if a, _ := row.V["a"].(string); a != []string{"x, y", "z", "w"}[i] {
				t.Errorf("cut at %d: row %d is %v", cut, i, row)
			}
		}
	}
	for _, c := range []struct{ text, want string }{
		{`{"a":[1,2`, `{"a":[1]}`},
		{`{"a":1]`, `{"a":1}`},
		{`{"v":{"a":1,"b":"c`, `{"v":{"a":1}}`},
		{`{"rows":[{"v":{"a":1}},{"v":{"a":"2" "b":3}}],"total":2}`, `{"rows":[{"v":{"a":1}}]}`},
		{`{"rows":[{"v":{"a":1}},`, `{"rows":[{"v":{"a":1}}]}`},
		{"```json\n{\"rows\":[{\"a\":1},{\"a\":\n```", `{"rows":[{"a":1}]}`},
	} {
		if got, _, err := llm.ReadObject(c.text); string(got) != c.want || !errors.Is(err, llm.ErrPartial) {
			t.Errorf("ReadObject(%q) = %s, %v; want %s", c.text, got, err, c.want)
		}
	}
}

// TestReadObjectBounded reads a text of brackets that never close.
func TestReadObjectBounded(t *testing.T) {
	if object, _, err := llm.ReadObject(strings.Repeat(`{"a":`, 200_000)); err == nil || len(object) > 4096 {
		t.Error("an object was found")
	}
	if _, _, err := llm.ReadObject(strings.Repeat(`{`, 1<<20) + `{"a":1}`); err == nil {
		t.Error("an object was found behind a million brackets") // nobody looks that far
	}
}

func FuzzReadObject(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "```json\n{\"a\":[1,],}\n```", `"{\"a\":1}"`, `[{"a":1}]`, `{"a":1}{`, `{"a":"\`, `<think></think>{}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, clean, err := llm.ReadObject(s)
		switch {
		case err != nil:
			if got != nil && (!errors.Is(err, llm.ErrPartial) || !json.Valid(got)) {
				t.Errorf("an object and %v", err)
			}
		case !json.Valid(got) || !utf8.Valid(got) || got[0] != '{':
			t.Errorf("ReadObject(%q) = %q", s, got)
		case clean && len(got) > len(strings.ToValidUTF8(s, "\ufffd")):
			t.Errorf("more came out than went in")
		}
	})
}
