// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// listed returns the list for lines of the go command. The modules that are linked have the
// license of a folder.
func listed(t *testing.T, lines string) (*bill, error) {
	t.Helper()
	modules, err := modulesOf([]byte(lines))
	if err != nil {
		return nil, err
	}
	dir := folder(t, map[string]string{"LICENSE": mit})
	for path, m := range modules {
		m.Dir = dir
		modules[path] = m
	}
	return billOf(modules, module{Path: "std", Version: "1.26.0", Dir: dir})
}

// TestBill checks that the order of the modules does not change the list.
func TestBill(t *testing.T) {
	lines := []string{
		`{"Path":"example.com/a","Version":"","Main":true}`,
		`{"Path":"example.com/z","Version":"v1.2.3+incompatible","Sum":"h1:AAEC"}`,
		`{"Path":"example.com/b","Version":"v0.1.0","Sum":""}`,
		`{"Path":"example.com/b","Version":"v0.1.0","Sum":""}`,
	}
	var texts []string
	for range 2 {
		b, err := listed(t, strings.Join(lines, "\n"))
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
	if p := b.Components[1].Properties; len(p) != 1 || p[0] != (property{"go.sum", "h1:AAEC"}) {
		t.Errorf("properties %v", p)
	}
	if len(b.Serial) != len("urn:uuid:")+36 || b.Metadata.Component.Name != "example.com/a" || b.Components[0].Properties != nil {
		t.Errorf("list %+v", b)
	}
}

func TestRefused(t *testing.T) {
	for name, lines := range map[string]string{
		"no main":   `{"Path":"a","Version":"v1.0.0"}`,
		"a replace": `{"Path":"m","Main":true}{"Path":"a","Version":"v1.0.0","Replaced":true}`,
		"no JSON":   `{`,
	} {
		if b, err := listed(t, lines); err == nil {
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
	list, err := listed(t, program)
	if err != nil || len(list.Components) != 1 {
		t.Errorf("%v, %+v", err, list)
	}
	for _, other := range []string{"b.test/z", "a.test/xy"} {
		if _, err := listed(t, program+`{"Path":"`+other+`","Version":"v1.0.0","Replaced":true}`); err == nil {
			t.Errorf("%s: no error", other)
		}
	}
}
