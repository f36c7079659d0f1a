// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestDocument(t *testing.T) {
	for _, c := range []struct{ kind, lang, title, want string }{
		{"csv", "", "", `<html data-kind="csv"><head></head><body></body></html>`},
		{"docx", "de", "A & B", `<html data-kind="docx" lang="de"><head><title>A &amp; B</title></head><body></body></html>`},
	} {
		var b doctree.Builder
		doc, head, body := b.Document(c.kind, c.lang, c.title)
		var got strings.Builder
		if err := html.Render(&got, doc); err != nil {
			t.Fatal(err)
		}
		if got.String() != c.want {
			t.Errorf("got  %s\nwant %s", &got, c.want)
		}
		if head.Data != "head" || body.Data != "body" || doc.Type != html.DocumentNode {
			t.Errorf("Document = %v, %v, %v", doc, head, body)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int]string{
		0: "0 bytes", 10<<10 - 1: "10239 bytes", 10 << 10: "10 KiB", 10<<20 - 1: "10239 KiB", 11<<20 - 1: "10 MiB",
	} {
		if got := doctree.Size(bytes); got != want {
			t.Errorf("Size(%d) = %q, want %q", bytes, got, want)
		}
	}
}

// TestBuilder creates nodes in many slabs and checks that they do not share
// memory.
func TestBuilder(t *testing.T) {
	var b doctree.Builder
	_, _, body := b.Document("text", "", "")
	before := b.Count()
	const n = 3000
	for i := range n {
		p := b.Append(body, atom.P, "id", fmt.Sprint(i))
		b.Text(p, fmt.Sprint("text ", i))
		b.Text(p, "")
	}
	if got := b.Count() - before; got != 2*n {
		t.Errorf("made %d nodes, want %d", got, 2*n)
	}
	i := 0
	for p := range body.ChildNodes() {
		if want := fmt.Sprint("text ", i); p.Attr[0].Val != fmt.Sprint(i) || p.FirstChild.Data != want || p.FirstChild != p.LastChild {
			t.Fatalf("paragraph %d is %v with %v", i, p, p.FirstChild)
		}
		i++
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"plain\ttext\r\n":         "plain\ttext\r\n",
		"a\x00b\x1Fc\x0Bd\u00A0é": "abcd\u00A0é",
		"cut \xE2\x82 off \xFF":   "cut \uFFFD off \uFFFD",
		"\x01":                    "",
	} {
		if got := doctree.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
