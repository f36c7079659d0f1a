// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/webtest"
)

// row is one rule of the contract with its proofs: steps of testdata/wire
// (file/step) and Go tests (TestX).
type row struct {
	says   string
	want   string // status and code of one of the steps; empty accepts any
	proofs string
}

// pair is one step of a script.
type pair struct{ request, answer string }

// proofs are the steps and tests that a row can name.
type proofs struct {
	steps map[string]pair
	tests map[string]bool
}

var declared = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// readProofs reads the scripts in testdata/wire and the names of the tests.
func readProofs(t *testing.T) proofs {
	t.Helper()
	p := proofs{map[string]pair{}, map[string]bool{}}
	files, err := filepath.Glob(golden.Testdata("wire/*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range webtest.Files(data) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + strings.TrimSuffix(f.Name, filepath.Ext(f.Name))
			step := p.steps[name]
			switch filepath.Ext(f.Name) {
			case ".request":
				step.request = string(f.Data)
			case ".answer":
				step.answer = string(f.Data)
			default:
				continue
			}
			p.steps[name] = step
		}
	}
	files = nil
	for _, pattern := range []string{"*_test.go", "../*_test.go", "../account/*_test.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			p.tests[string(m[1])] = true
		}
	}
	return p
}

// check returns an error if the proofs of r are missing or do not answer as r
// says.
func (p proofs) check(r row) error {
	names := strings.Fields(r.proofs)
	if len(names) == 0 {
		return fmt.Errorf("%s: it has no proof", r.says)
	}
	met, asked := r.want == "", false
	for _, name := range names {
		step, ok := p.steps[name]
		if !ok && !p.tests[name] {
			return fmt.Errorf("%s: there is no %s", r.says, name)
		}
		asked = asked || ok
		met = met || ok && step.meets(r.want)
	}
	if asked && !met {
		return fmt.Errorf("%s: no step answers %s", r.says, r.want)
	}
	return nil
}

// meets reports whether the answer of the step has the status of want and, if
// want has one, its code.
func (s pair) meets(want string) bool {
	status, code, _ := strings.Cut(want, " ")
	return strings.HasPrefix(s.answer, status+"\n") && (code == "" || strings.Contains(s.answer, `"code":"`+code+`"`))
}

// asks reports whether the step is a request to the route.
func (s pair) asks(route string) bool {
	line, _, _ := strings.Cut(s.request, "\n")
	method, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, "?")
	want, pattern, _ := strings.Cut(route, " ")
	as, bs := strings.Split(path, "/"), strings.Split(pattern, "/")
	return method == want && slices.EqualFunc(as, bs, func(a, b string) bool { return a == b || strings.HasPrefix(b, "{") && a != "active" && a != "ongoing" })
}

// served reports whether the row of a route names a step that requests it and
// succeeds.
func (p proofs) served(route string) bool {
	for _, s := range coverage {
		for _, r := range s.rows {
			if r.says != route {
				continue
			}
			for name := range strings.FieldsSeq(r.proofs) {
				if step := p.steps[name]; step.asks(route) && step.meets("200") {
					return true
				}
			}
		}
	}
	return false
}

// TestCoverage checks that each row has existing proofs that answer as it says,
// that each route has a successful answer, and that COVERAGE.md is up to date.
func TestCoverage(t *testing.T) {
	p := readProofs(t)
	var b bytes.Buffer
	b.WriteString("# Tests for the rules of the HTTP contract\n\n`go test ./httpapi -run TestCoverage -update` writes this file from coverage_test.go. Without `-update` the test fails\n" +
		"if a proof is missing or does not answer as its row says. A proof `file/step` is a request and its answer in\n" +
		"testdata/wire. A proof `TestX` is a Go test of package httpapi, curlew or account. Sections marked `beyond` describe\n" +
		"additions that neither the contract nor its clients require.\n")
	for _, s := range coverage {
		fmt.Fprintf(&b, "\n## %s (%s)\n\n| What | Answer | Proved by |\n|---|---|---|\n", s.title, s.wave)
		for _, r := range s.rows {
			if err := p.check(r); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ReplaceAll(r.says, "|", "\\|"), r.want, strings.Join(strings.Fields(r.proofs), ", "))
		}
	}
	for _, route := range httpapi.RoutePatterns() {
		if strings.Contains(route, " /v2/") && !p.served(route) { // the description would fill a script
			t.Errorf("the row %s names no step that requests it successfully", route)
		}
	}
	golden.Check(t, golden.Root("COVERAGE.md"), b.Bytes())
}

// TestCoverageCheck checks rows whose proofs are wrong.
func TestCoverageCheck(t *testing.T) {
	p := proofs{
		steps: map[string]pair{"a/b": {"GET /v2/crawl/<1>?skip=1\n", "404\n\n{\"success\":false,\"code\":\"NOT_FOUND\"}\n"}},
		tests: map[string]bool{"TestX": true},
	}
	for _, test := range []struct {
		row row
		ok  bool
	}{
		{row{"r", "404 NOT_FOUND", "a/b"}, true},
		{row{"r", "404", "TestX a/b"}, true},
		{row{"r", "404", "TestX"}, true},
		{row{"r", "", "a/b"}, true},
		{row{"r", "", ""}, false},
		{row{"r", "", "a/c"}, false},
		{row{"r", "", "TestY"}, false},
		{row{"r", "400", "TestX a/b"}, false},
		{row{"r", "404 FORBIDDEN", "a/b"}, false},
	} {
		if err := p.check(test.row); (err == nil) != test.ok {
			t.Errorf("%+v: %v", test.row, err)
		}
	}
	for route, want := range map[string]bool{
		"GET /v2/crawl/{id}": true, "DELETE /v2/crawl/{id}": false, "GET /v2/crawl": false, "GET /v2/crawl/{id}/errors": false,
	} {
		if got := p.steps["a/b"].asks(route); got != want {
			t.Errorf("asks(%s) = %v", route, got)
		}
	}
}
