// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/mail"
)

// TestMailbox reads the messages of an mbox file, of which one has parts.
func TestMailbox(t *testing.T) {
	const (
		first  = "From a@example.org Wed Jan  1 00:00:00 2020\nSubject: First\nFrom: a@example.org\n\nFrom here on,\n\nFrom there too.\n>From quoted\n\n"
		second = "From b@example.org Thu Jan  2 00:00:00 2020\r\nSubject: Second\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n\r\n"
		third  = "From c@example.org Fri Jan  3 00:00:00 2020\nSubject: Third\n\nlast\n"
	)
	for _, c := range []struct {
		what, in string
		want     []string
		not      string
	}{
		{"one", first, []string{`<h1 id="first">First</h1>`, "From there too"}, "<h2"},
		{"three", first + second + third, []string{
			`<h2 id="first">First</h2>`, "From here on", "From there too", "From quoted", `<h2 id="second">Second</h2>`, "hello", `<h2 id="third">Third</h2>`, "last",
		}, "<h1"},
		{"no empty line between", strings.TrimSpace(first) + "\n" + third, []string{`<h2 id="first">First</h2>`, "From there too", `<h2 id="third">Third</h2>`, "last"}, "<h1"},
	} {
		d, err := mail.Read(t.Context(), "eml", []byte(c.in), mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := doctreetest.Show(t, d)
		rest := got
		for _, want := range c.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: no %q in its place", c.what, want)
			}
			rest = after
		}
		if strings.Contains(got, c.not) || strings.Contains(got, "&gt;From") || len(d.Warnings) > 0 {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
		if t.Failed() {
			t.Log(got)
		}
	}
}
