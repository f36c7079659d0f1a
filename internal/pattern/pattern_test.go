// SPDX-License-Identifier: Apache-2.0

package pattern_test

import (
	"regexp/syntax"
	"testing"

	"example.com/curlew/internal/pattern"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    int
	}{
		{"", 1},
		{"abc", 3},
		{"a*", 2},
		{".{1000}", 1000},
		{"(.{30}){30}", 930},
		{"a{2,}", 2},
		{"(x|yz)", 5},
	} {
		re, err := syntax.Parse(tt.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := pattern.Steps(re); got != tt.want {
			t.Errorf("Steps(%q) = %d, want %d", tt.pattern, got, tt.want)
		}
	}
}
