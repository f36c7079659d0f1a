// SPDX-License-Identifier: Apache-2.0

// Package docs_test keeps the guides true: the code that they quote stands in
// programs and tests that compile.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quote is a block of Go, and the line before it that names its file.
var quote = regexp.MustCompile("(?m)^(<!-- from (\\S+) -->\n)?```go\n((?s:.*?))^```$")

// link is a link to a file of the repository.
var link = regexp.MustCompile(`\]\(([a-z/.-]+\.md)\)`)

// TestQuotes expects each block of Go in a guide to name the file that it is from,
// and to stand there.
func TestQuotes(t *testing.T) {
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) < 5 {
		t.Fatalf("%v, %v", guides, err)
	}
	blocks := 0
	for _, guide := range append(guides, "../CONTRIBUTING.md") {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quote.FindAllStringSubmatch(string(text), -1) {
			blocks++
			if m[2] == "" {
				t.Errorf("%s: a block of Go names no file:\n%s", guide, m[3])
				continue
			}
			source, err := os.ReadFile(filepath.Join("..", m[2]))
			if err != nil {
				t.Errorf("%s: %v", guide, err)
				continue
			}
			if !strings.Contains(string(source), m[3]) {
				t.Errorf("%s: %s does not hold:\n%s", guide, m[2], m[3])
			}
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(guide), m[1])); err != nil {
				t.Errorf("%s: %v", guide, err)
			}
		}
	}
	if blocks < 5 {
		t.Errorf("%d blocks of Go, want at least 5", blocks)
	}
}
