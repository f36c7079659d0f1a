// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/agent"
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
		{"trailing commas", `{"a":[1,2,],"b":"x,}",}`, `{"a":[1,2],"b":"x,}"}`, false},
		{"escaped quote before a comma", `{"a":"\",}",}`, `{"a":"\",}"}`, false},
		{"array of two", `[{"a":1},{"a":2}]`, "", false},
		{"two objects", `{"a":1}{"a":2}`, "", false},
		{"two objects in prose", `First {"a":1}, then {"a":1}.`, "", false},
		{"cut", `{"a":[1,2`, "", false},
		{"null", `null`, "", false},
		{"number", `12`, "", false},
		{"text", `I cannot do that.`, "", false},
		{"empty", ``, "", false},
		{"empty string", `""`, "", false},
		{"half a bracket", `{"a":1]`, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, clean, err := agent.ReadObject(c.text)
			if string(got) != c.want || (err == nil) != (c.want != "") || clean != c.clean && err == nil {
				t.Errorf("ReadObject(%q) = %s, clean %v, %v; want %s, clean %v", c.text, got, clean, err, c.want, c.clean)
			}
		})
	}
}

// TestReadObjectBounded reads a text of brackets that never close.
func TestReadObjectBounded(t *testing.T) {
	if _, _, err := agent.ReadObject(strings.Repeat(`{"a":`, 200_000)); err == nil {
		t.Error("an object was found")
	}
	if _, _, err := agent.ReadObject(strings.Repeat(`{`, 1<<20) + `{"a":1}`); err == nil {
		t.Error("an object was found behind a million brackets") // nobody looks that far
	}
}

func FuzzReadObject(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "```json\n{\"a\":[1,],}\n```", `"{\"a\":1}"`, `[{"a":1}]`, `{"a":1}{`, `{"a":"\`, `<think></think>{}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, clean, err := agent.ReadObject(s)
		switch {
		case err != nil:
			if got != nil {
				t.Errorf("an object and %v", err)
			}
		case !json.Valid(got) || !utf8.Valid(got) || got[0] != '{':
			t.Errorf("ReadObject(%q) = %q", s, got)
		case clean && len(got) > len(strings.ToValidUTF8(s, "\ufffd")):
			t.Errorf("more came out than went in")
		}
	})
}
