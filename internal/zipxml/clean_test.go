// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"path"
	"strings"
	"testing"
)

// FuzzClean compares names that are taken as they are with the way of cleaning them.
func FuzzClean(f *testing.F) {
	for _, name := range []string{"", "word/document.xml", "/xl/a.xml", `xl\a.xml`, "a//b", "a/./b", "a/../b", "./a", "..", "a/", "a/.rels", ".rels", "a/..b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		want := strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
		if got := Clean(name); got != want {
			t.Errorf("Clean(%q) = %q, want %q", name, got, want)
		}
	})
}
