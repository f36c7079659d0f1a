// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const sum = "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// TestBill checks that the order of the modules does not change the list.
func TestBill(t *testing.T) {
	lines := []string{
		`{"Path":"example.com/a","Version":"","Main":true}`,
		`{"Path":"example.com/z","Version":"v1.2.3+incompatible","Sum":"` + sum + `"}`,
		`{"Path":"example.com/b","Version":"v0.1.0","Sum":"h1:no"}`,
		`{"Path":"example.com/b","Version":"v0.1.0","Sum":"h1:no"}`,
	}
	var texts []string
	for range 2 {
		b, err := billOf([]byte(strings.Join(lines, "\n")), "1.26.0")
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		lines[0], lines[1], lines[2] = lines[2], lines[0], lines[1]
	}
	if texts[0] != texts[1] {
		t.Errorf("in another order: %s, want %s", texts[1], texts[0])
	}
	var b bill
	if err := json.Unmarshal([]byte(texts[0]), &b); err != nil {
		t.Fatal(err)
	}
	refs := []string{"pkg:golang/example.com/b@v0.1.0", "pkg:golang/example.com/z@v1.2.3%2Bincompatible", "pkg:golang/std@1.26.0"}
	for i, want := range refs {
		if len(b.Components) != len(refs) || b.Components[i].PURL != want || b.Dependencies[0].DependsOn[i] != want {
			t.Fatalf("components %+v, want %s", b.Components, refs)
		}
	}
	if h := b.Components[1].Hashes; len(h) != 1 || h[0].Content != "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" {
		t.Errorf("hashes %v", h)
	}
	if len(b.Serial) != len("urn:uuid:")+36 || b.Metadata.Component.Name != "example.com/a" || b.Components[0].Hashes != nil {
		t.Errorf("list %+v", b)
	}
}

func TestRefused(t *testing.T) {
	for name, lines := range map[string]string{
		"no main":   `{"Path":"a","Version":"v1.0.0"}`,
		"a replace": `{"Path":"m","Main":true}{"Path":"a","Version":"v1.0.0","Replaced":true}`,
		"no JSON":   `{`,
	} {
		if b, err := billOf([]byte(lines), "1"); err == nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// TestRun lists this module's own program twice.
func TestRun(t *testing.T) {
	var first, second bytes.Buffer
	if err := run([]string{".", "."}, &first); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{".", "."}, &second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() || !strings.Contains(first.String(), `"pkg:golang/std@1.`) || !strings.Contains(first.String(), "example.com/curlew/tools") {
		t.Errorf("lists %s and %s", first.String(), second.String())
	}
}

// TestNested checks that modules of the same repository are part of the program, and that
// other modules in folders are refused.
func TestNested(t *testing.T) {
	const program = `{"Path":"a.test/x/cmd/x","Main":true}{"Path":"a.test/x","Version":"v0.0.0","Replaced":true}{"Path":"a.test/x/job/y","Version":"v0.0.0","Replaced":true}`
	list, err := billOf([]byte(program), "1.26.0")
	if err != nil || len(list.Components) != 1 {
		t.Errorf("%v, %+v", err, list)
	}
	for _, other := range []string{"b.test/z", "a.test/xy"} {
		if _, err := billOf([]byte(program+`{"Path":"`+other+`","Version":"v1.0.0","Replaced":true}`), "1.26.0"); err == nil {
			t.Errorf("%s: no error", other)
		}
	}
}
