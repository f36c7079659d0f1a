// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/markdown"
)

// element returns an element with children.
func element(a atom.Atom, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

func textNode(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

// many returns a parent with n children.
func many(parent atom.Atom, n int, child func(i int) *html.Node) *html.Node {
	p := element(parent)
	for i := range n {
		p.AppendChild(child(i))
	}
	return p
}

// nest puts s below n elements inside each other.
func nest(n int, s string, atoms ...atom.Atom) *html.Node {
	c := textNode(s)
	for i := range n {
		c = element(atoms[i%len(atoms)], c)
	}
	return c
}

// hostile are trees of about n nodes or bytes that are dear to careless code.
var hostile = map[string]func(n int) *html.Node{
	"text":       func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat("word ", n/5))) },
	"stars":      func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat("*_`[]<&!~ ", n/10))) },
	"one run":    func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat("*", n))) },
	"brackets":   func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat("[", n))) },
	"ampersands": func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat("&amp", n/4))) },
	"backslash":  func(n int) *html.Node { return element(atom.P, textNode(strings.Repeat(`\`, n))) },
	"code":       func(n int) *html.Node { return element(atom.Pre, textNode(strings.Repeat("`\n", n/2))) },
	"deep em": func(n int) *html.Node {
		return element(atom.P, nest(n/10, "x", atom.Em, atom.Strong, atom.Span))
	},
	"deep quotes": func(n int) *html.Node { return nest(n/10, "x", atom.Blockquote) },
	"deep lists":  func(n int) *html.Node { return nest(n/10, "x", atom.Li, atom.Ul) },
	"deep tables": func(n int) *html.Node { return nest(n/10, "x", atom.Td, atom.Tr, atom.Tbody, atom.Table) },
	"tables in cells": func(n int) *html.Node {
		t := element(atom.Table)
		for range 100 {
			t = element(atom.Table, element(atom.Tbody,
				element(atom.Tr, element(atom.Th, textNode("a")), element(atom.Td, textNode(strings.Repeat("long ", n/500)))),
				element(atom.Tr, element(atom.Th, textNode("b")), element(atom.Td, t))))
		}
		return t
	},
	"siblings": func(n int) *html.Node {
		return many(atom.P, n/20, func(i int) *html.Node { return element([]atom.Atom{atom.Em, atom.B, atom.Code}[i%3], textNode("x")) })
	},
	"same siblings": func(n int) *html.Node {
		return many(atom.P, n/20, func(int) *html.Node { return element(atom.B, textNode("x")) })
	},
	"em and strong in turn": func(n int) *html.Node {
		return many(atom.P, n/20, func(i int) *html.Node {
			return element([]atom.Atom{atom.Em, atom.Strong}[i%2], textNode("「x"))
		})
	},
	"empty elements": func(n int) *html.Node {
		return many(atom.Div, n/10, func(i int) *html.Node { return element([]atom.Atom{atom.Em, atom.P, atom.Li, atom.H1}[i%4]) })
	},
	"breaks": func(n int) *html.Node { return many(atom.P, n/10, func(int) *html.Node { return element(atom.Br) }) },
	"items": func(n int) *html.Node {
		return many(atom.Ol, n/20, func(int) *html.Node { return element(atom.Li, textNode("x")) })
	},
	"items in a cell": func(n int) *html.Node {
		return element(atom.Table, element(atom.Thead, element(atom.Tr, element(atom.Th,
			many(atom.Ol, n/20, func(int) *html.Node { return element(atom.Li, textNode("x")) })))))
	},
	"rows": func(n int) *html.Node {
		return element(atom.Table, many(atom.Tbody, n/60, func(int) *html.Node {
			return element(atom.Tr, element(atom.Td, textNode("a")), element(atom.Td, textNode("b")), element(atom.Td, textNode("c")))
		}))
	},
	"spans": func(n int) *html.Node {
		return element(atom.Table, many(atom.Tbody, n/1000, func(int) *html.Node {
			td := element(atom.Td, textNode("wide and long"))
			td.Attr = []html.Attribute{{Key: "colspan", Val: "1000"}, {Key: "rowspan", Val: "1000"}}
			return element(atom.Tr, td)
		}))
	},
	"one wide row": func(n int) *html.Node {
		body := many(atom.Tbody, n/20, func(int) *html.Node { return element(atom.Tr, element(atom.Td, textNode("x"))) })
		wide := many(atom.Tr, n/20, func(int) *html.Node {
			td := element(atom.Td, textNode("x"))
			td.Attr = []html.Attribute{{Key: "rowspan", Val: "1000"}}
			return td
		})
		body.InsertBefore(wide, body.FirstChild)
		return element(atom.Table, body)
	},
	"links": func(n int) *html.Node {
		return many(atom.P, n/40, func(int) *html.Node {
			a := element(atom.A, textNode("x]"))
			a.Attr = []html.Attribute{{Key: "href", Val: "/(("}, {Key: "title", Val: "\n\n\n"}}
			return a
		})
	},
	"attributes": func(n int) *html.Node {
		p := element(atom.P, textNode("x"))
		for i := range n / 20 {
			p.Attr = append(p.Attr, html.Attribute{Key: fmt.Sprint("a", i), Val: "v"})
		}
		return p
	},
	"title": func(n int) *html.Node {
		a := element(atom.A, textNode("x"))
		a.Attr = []html.Attribute{{Key: "href", Val: "/"}, {Key: "title", Val: strings.Repeat("\n ", n/2)}}
		return a
	},
}

// TestLinear renders trees of a quarter MB and of 2 MB: the time must not grow
// as their square. The bounds are wide and tried three times, for machines
// that do other things.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	took := func(grow func(int) *html.Node, size int) time.Duration {
		n := grow(size)
		start := time.Now()
		if err := markdown.Render(io.Discard, n, nil); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	for name, grow := range hostile {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				small, large := took(grow, 1<<18), took(grow, 1<<21)
				if large <= 24*small+500*time.Millisecond {
					return
				}
				t.Logf("8 times the size took %v, after %v", large, small)
			}
			t.Error("the time grows faster than the size")
		})
	}
}

// TestBounded renders what would be long out of all proportion.
func TestBounded(t *testing.T) {
	for name, grow := range hostile {
		var b strings.Builder
		if err := markdown.Render(&b, grow(1<<18), nil); err != nil {
			t.Fatal(err)
		}
		if got, limit := b.Len(), 8<<20; got > limit {
			t.Errorf("%s: %d bytes of Markdown, more than %d", name, got, limit)
		}
	}
}
