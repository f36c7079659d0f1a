// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

func TestRunning(t *testing.T) {
	var b doctree.Builder
	var r doctree.Running
	body := b.Element(atom.Body)
	b.Text(b.Append(body, atom.P), "text")
	for _, c := range []struct {
		tag  atom.Atom
		text string
	}{{atom.Header, "one"}, {atom.Footer, "one"}, {atom.Header, "two"}, {atom.Header, " one\n"}, {atom.Footer, ""}, {atom.Footer, "two"}} {
		n := r.Begin(&b, c.tag)
		if c.text != "" {
			b.Text(b.Append(n, atom.P), c.text)
		}
		r.Add(n)
	}
	r.Write(body)
	var out strings.Builder
	if err := doctree.Render(&out, body); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), ` data-role="running"`, "")
	if want := "<body><header><p>one</p></header><header><p>two</p></header><p>text</p><footer><p>one</p></footer><footer><p>two</p></footer></body>"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
