// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/selector"
)

// elements returns the elements of a tree in document order.
func elements(root *html.Node) []*html.Node {
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

// find returns the elements that a selector matches.
func find(t testing.TB, root *html.Node, text string) []*html.Node {
	t.Helper()
	sel, err := selector.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var s selector.Set
	s.Add(sel)
	p := s.Start(context.Background(), root)
	var found []*html.Node
	for _, n := range elements(root) {
		nums, err := p.Match(n)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(nums) > 1 {
			t.Fatalf("%s: reported twice", text)
		}
		if len(nums) > 0 {
			found = append(found, n)
		}
	}
	return found
}

// A maker generates random trees and selectors from a few names, so that they
// often match.
type maker struct{ *rand.Rand }

func (m maker) pick(list ...string) string { return list[m.IntN(len(list))] }

func (m maker) tree() *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{root}
	top := m.element()
	root.AppendChild(top)
	open = append(open, top)
	for range 5 + m.IntN(60) {
		switch at := open[len(open)-1]; m.IntN(6) {
		case 0:
			at.AppendChild(&html.Node{Type: html.TextNode, Data: m.pick(" ", "foo", "Foo bar", "a", "")})
		case 1:
			at.AppendChild(&html.Node{Type: html.CommentNode, Data: "foo"})
		case 2:
			if len(open) > 2 {
				open = open[:len(open)-1]
			}
		default:
			n := m.element()
			at.AppendChild(n)
			if m.IntN(2) == 0 {
				open = append(open, n)
			}
		}
	}
	return root
}

func (m maker) element() *html.Node {
	name := m.pick("a", "b", "p", "div", "input", "fieldset", "legend", "option")
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for range m.IntN(3) {
		key := m.pick("class", "id", "x", "href", "disabled", "type", "checked")
		n.Attr = append(n.Attr, html.Attribute{Key: key, Val: m.pick("a", "b", "a b", "B a", "checkbox", "x-y", "x", " c  a")})
	}
	return n
}

// selector returns a selector that both implementations interpret in the same
// way. It contains no :has with combinators, whose left side cascadia also
// searches above the element.
func (m maker) selector(depth int) string {
	var b strings.Builder
	for i := range 1 + m.IntN(4) {
		if i > 0 {
			b.WriteString(m.pick(" ", " ", ">", " + ", "~"))
		}
		b.WriteString(m.compound(depth))
	}
	if m.IntN(5) == 0 {
		b.WriteString(", " + m.compound(depth))
	}
	return b.String()
}

func (m maker) compound(depth int) string {
	s := m.pick("a", "b", "p", "div", "*", "*", "input", "fieldset")
	for range m.IntN(3) {
		kind := m.IntN(9)
		if depth == 0 && kind > 6 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			s += m.pick(".a", ".b", ".c", "#a", "#b")
		case 2:
			s += m.pick("[x]", "[x=a]", "[class~=a]", "[x!=a]", "[id|=x]", "[x^=a]", "[x$='b']", "[x*=' ']", "[class=B i]", "[class*='b A' i]", "[x#=^a.*b]", "[href]")
		case 3:
			s += fmt.Sprintf(":nth-%s(%dn+%d)", m.pick("child", "last-child", "of-type", "last-of-type"), m.IntN(5)-2, m.IntN(4))
		case 4:
			s += m.pick(":first-child", ":last-child", ":only-child", ":only-of-type", ":first-of-type", ":last-of-type", ":empty", ":root")
		case 5:
			if s[0] == '*' {
				continue // cascadia also checks text nodes
			}
			s += m.pick(":contains(foo)", ":containsOwn('foo b')", ":matches(o+ ?b)", ":matchesOwn(^a$)", ":contains(ao)")
		case 6:
			s += m.pick(":link", ":enabled", ":disabled", ":checked", ":input", ":hover", ":not(:hover)")
		case 7:
			s += ":not(" + m.selector(depth-1) + ")"
		case 8:
			s += m.pick(":has(", ":haschild(") + m.compound(depth-1) + ")"
		}
	}
	return s
}

func TestAgainstCascadia(t *testing.T) {
	seed := rand.Uint64()
	m := maker{rand.New(rand.NewPCG(seed, 1))}
	count, matched := 3000, 0
	if testing.Short() {
		count = 500
	}
	for range count {
		root := m.tree()
		for range 5 {
			text := m.selector(2)
			want, err := cascadia.ParseGroup(text)
			if err != nil {
				t.Fatalf("seed %d: cascadia refuses %s: %v", seed, text, err)
			}
			found := find(t, root, text)
			matched += len(found)
			i := 0
			for _, n := range elements(root) {
				got := i < len(found) && found[i] == n
				if got {
					i++
				}
				if got != want.Match(n) {
					var page strings.Builder
					_ = html.Render(&page, root)
					t.Fatalf("seed %d: %s on <%s %v>: %v, want %v\n%s", seed, text, n.Data, n.Attr, got, !got, page.String())
				}
			}
			if one, err := selector.Parse(text); err != nil || len(want) == 1 && !strings.Contains(text, "hover") && one.Specificity() != selector.Specificity(want[0].Specificity()) {
				t.Fatalf("specificity of %s: %v, want %v", text, one.Specificity(), want[0].Specificity())
			}
		}
	}
	if matched < count {
		t.Errorf("only %d elements matched: the test looks at nothing", matched)
	}
}
