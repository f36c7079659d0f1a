// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"testing"
)

// TestQuoted checks that a shell reads a quoted argument as it is.
func TestQuoted(t *testing.T) {
	for argument, want := range map[string]string{
		"pages":                  "pages",
		"/srv/größe/a-b_c.d":     "/srv/größe/a-b_c.d",
		"http://localhost:3002/": "http://localhost:3002/",
		"my pages":               "'my pages'",
		"it's $HOME `x` \"y\"":   `'it'\''s $HOME ` + "`x`" + ` "y"'`,
		"":                       "''",
		"~/pages":                "'~/pages'",
	} {
		got := quoted(argument)
		if got != want {
			t.Errorf("%s: %s, want %s", argument, got, want)
		}
		if _, err := exec.LookPath("sh"); err != nil {
			continue
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+got).Output(); err != nil || string(out) != argument {
			t.Errorf("a shell reads %s as %q, %v, want %q", got, out, err, argument)
		}
	}
}
