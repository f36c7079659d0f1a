// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadAds(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for name, text := range map[string]string{a: "##.ad\n||ads.example^\n", b: "! only a comment\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if rules, err := readAds([]string{a, b}); err != nil || rules.Rules() != 2 {
		t.Errorf("got %v, %v", rules, err)
	}
	if _, err := readAds([]string{a, b + "x"}); err == nil {
		t.Error("a file that is not there was read")
	}
}
