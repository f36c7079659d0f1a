// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"example.com/curlew/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestRun(t *testing.T) {
	var out, status bytes.Buffer
	if err := run(t.Context(), []string{"../../testdata/parse/report.pdf"}, &out, &status); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<title>Orchard report</title>`, `viewBox="0 0 612 792"`, `class="h1"`, `class="table"`, "1 h1", "Apples 3", "Page 3: ok"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"none.pdf"}, {"main.go"}, {"-x"}} {
		var out, status bytes.Buffer
		if err := run(t.Context(), args, &out, &status); err == nil || out.Len() > 0 {
			t.Errorf("run(%q) = %v, %q", args, err, out.String())
		}
	}
}
