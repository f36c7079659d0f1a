// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

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

// nest puts s into n nested elements.
func nest(n int, s string, atoms ...atom.Atom) *html.Node {
	c := textNode(s)
	for i := range n {
		c = element(atoms[i%len(atoms)], c)
	}
	return c
}

// hostile are trees of about n nodes or bytes that would be expensive for a
// careless implementation.
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
	"notes": func(n int) *html.Node {
		list := element(atom.Ol)
		list.Attr = []html.Attribute{{Key: "class", Val: "footnotes"}}
		p := many(atom.P, n/100, func(i int) *html.Node {
			li := element(atom.Li, textNode("note"))
			li.Attr = []html.Attribute{{Key: "id", Val: fmt.Sprint("n", i)}}
			list.AppendChild(li)
			a := element(atom.A, textNode("1"))
			a.Attr = []html.Attribute{{Key: "href", Val: fmt.Sprint("#n", n/100-1-i)}}
			return element(atom.Sup, a)
		})
		return element(atom.Div, p, list)
	},
	"deep callouts": func(n int) *html.Node {
		root := nest(n/10, "x", atom.Div)
		for c := root; c.FirstChild != nil; c = c.FirstChild {
			c.Attr = []html.Attribute{{Key: "class", Val: "admonition note"}}
		}
		return root
	},
	"panels": func(n int) *html.Node {
		return many(atom.Div, n/40, func(int) *html.Node {
			p := element(atom.Div, textNode("x"))
			p.Attr = []html.Attribute{{Key: "role", Val: "tabpanel"}}
			return p
		})
	},
	"formulas": func(n int) *html.Node {
		return many(atom.P, n/40, func(int) *html.Node {
			mi := &html.Node{Type: html.ElementNode, Data: "mi", Namespace: "math"}
			mi.AppendChild(textNode("x"))
			m := &html.Node{Type: html.ElementNode, Data: "math", DataAtom: atom.Math, Namespace: "math"}
			m.AppendChild(mi)
			return m
		})
	},
	"title": func(n int) *html.Node {
		a := element(atom.A, textNode("x"))
		a.Attr = []html.Attribute{{Key: "href", Val: "/"}, {Key: "title", Val: strings.Repeat("\n ", n/2)}}
		return a
	},
}

// TestLinear renders trees of 64 KB and of 512 KB and checks that allocations
// do not grow quadratically. bench/markdown measures the time.
func TestLinear(t *testing.T) {
	cost := func(grow func(int) *html.Node, size int) (bytes, objects uint64) {
		n := grow(size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := markdown.Render(t.Context(), io.Discard, n, nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
	}
	for name, grow := range hostile {
		smallBytes, smallObjects := cost(grow, 1<<16)
		bytes, objects := cost(grow, 1<<19)
		if bytes > 20*max(smallBytes, 1<<16)+8<<20 || objects > 20*smallObjects+10_000 {
			t.Errorf("%s: 8 times the size takes %d bytes in %d objects, after %d in %d", name, bytes, objects, smallBytes, smallObjects)
		}
	}
}

// TestBounded checks that a small tree does not become disproportionately long.
func TestBounded(t *testing.T) {
	for name, grow := range hostile {
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, grow(1<<18), nil); err != nil {
			t.Fatal(err)
		}
		if got, limit := b.Len(), 8<<20; got > limit {
			t.Errorf("%s: %d bytes of Markdown, more than %d", name, got, limit)
		}
	}
}
