// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	_ "embed"
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// notices has headings and texts of pages that say why they do not show what was asked for, by kind,
// and after "== -" those of short pages that are content. A line that begins with a question mark is one
// that is known to be told wrongly.
//
//go:embed testdata/notices.txt
var notices string

const (
	bar  = `<nav><ul><li><a href=/h>Home</a><li><a href=/p>Products</a><li><a href=/s>Services</a><li><a href=/n>News</a><li><a href=/l>Login</a><li><a href=/c>Contact</a></ul></nav>`
	foot = `<footer><p>© 2026 Example Ltd. All rights reserved. Registered in Wales, number 1234567.</p><a href=/t>Terms</a> <a href=/p>Privacy</a></footer>`
)

// layouts are imperfect pages around a heading and a text. Each of the notices is in one of them.
var layouts = []func(head, text string) string{
	func(head, text string) string {
		return "<title>" + head + " | Example</title><body><div class=container><h1>" + head + "</h1><p>" + text + "</p><a href=/>Example</a></div>"
	},
	func(head, text string) string {
		return "<title>Example</title><body>" + bar + "<div class=msg><b>" + head + "</b><br>" + text + "<div class=x>" + foot
	},
	func(head, text string) string {
		return "<title>example.com</title><body bgcolor=white><center><table width=80%><tr><td><font size=5>" + head + "</font><tr><td>" + text + "</table></center>"
	},
	func(head, text string) string {
		return "<title>Example - " + head + "</title>" + bar + "<main><section><h2 class=title>" + head + "</h2><p>" + text + "<p><form action=/s><input name=q><button>OK</button></form></section></main>" + foot
	},
	func(head, text string) string {
		return bar + "<p class=big>" + head + "</p>\n<p>" + text + `</p><script>var a="<h1>x</h1>"</script>` + foot
	},
}

// TestNotices checks that notices are told by kind, and that short pages with content are not taken for them.
func TestNotices(t *testing.T) {
	kinds := map[string]dom.StandIn{
		"-": dom.Itself, "missing": dom.Missing, "failing": dom.Failing, "limited": dom.Limited, "refused": dom.Refused, "closed": dom.Closed, "parked": dom.Parked,
		"age": dom.AgeGate, "challenge": dom.Challenge, "scriptless": dom.Scriptless, "nothing": dom.Nothing, "signin": dom.SignIn,
	}
	kind, i := "", 0
	for line := range strings.Lines(notices) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "== "); ok {
			kind = rest
			continue
		}
		line, wrong := strings.CutPrefix(line, "?")
		head, text, _ := strings.Cut(line, "\t")
		switch kind {
		case "age", "challenge", "signin":
			text += "<p><button>OK</button> <a href=/no>No</a></p>"
		}
		src := layouts[i%len(layouts)](head, text)
		i++
		d, err := dom.Parse(t.Context(), []byte(src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		want, ok := kinds[kind]
		if got := dom.StandsIn(d.Root); !ok || (got == want) == wrong {
			t.Errorf("%s (%s): got %d, want %d, known to be wrong: %v", head, kind, got, want, wrong)
		}
	}
	if i < 400 {
		t.Errorf("%d notices", i)
	}
}

// TestLongNotices checks that the words of a notice say nothing on a page with content.
func TestLongNotices(t *testing.T) {
	text := strings.Repeat("<p>All of the words of a page about something else.", 12)
	for _, head := range []string{"Page not found", "Too many requests", "Are you over 18?", "No results found", "Please enable JavaScript"} {
		for _, layout := range layouts {
			d, err := dom.Parse(t.Context(), []byte(layout(head, text)), "text/html; charset=utf-8")
			if err != nil {
				t.Fatal(err)
			}
			if got := dom.StandsIn(d.Root); got != dom.Itself {
				t.Errorf("%s: got %d", head, got)
			}
		}
	}
}
