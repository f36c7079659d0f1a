// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/selector"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/evil"
)

func page(t testing.TB, text string) *html.Node {
	t.Helper()
	d, err := dom.Parse(t.Context(), []byte(text), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// ids returns the ids of the matching elements, or their tags.
func ids(t testing.TB, root *html.Node, text string) string {
	t.Helper()
	var all []string
	for _, n := range find(t, root, text) {
		name := n.Data
		for _, a := range n.Attr {
			if a.Key == "id" {
				name = a.Val
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

const sample = `<!doctype html><html lang=en id=html><head id=head><title id=title>T</title></head><body id=body class="x Y">
<div id=a class="one two" data-n="Alpha beta" title=""><p id=b>Foo <b id=c>bar</b></p><!-- c --><p id=d lang=de-AT>baz</p>text<i id=e></i></div>
<ul id=f><li id=g class=odd>1<li id=h>2<li id=i class=odd>3<li id=j>4<li id=k class=odd>5</ul>
<form id=l><fieldset id=m disabled><legend id=n><input id=o></legend><input id=p required type=checkbox checked></fieldset><select id=q><option id=r selected></select></form>
<svg id=s viewBox="0 0 1 1"><linearGradient id=t /></svg><a id=u href="/x-y?z">l</a><a id=v>m</a>
<section id=w><div id=x><span id=y>deep</span></div><em id=z> </em></section></body></html>`

// TestMatch contains cases from the specification, including some in which cascadia differs.
func TestMatch(t *testing.T) {
	root := page(t, sample)
	for _, test := range []struct{ selector, want string }{
		{"#a", "a"},
		{"DIV#a.one.two", "a"},
		{".TWO", ""},
		{"body.x.Y > div", "a"},
		{"*|div", "a x"},
		{"*|*#a", "a"},
		{`#\61 `, "a"},
		{`.\6fne`, "a"},
		{"p, b, p", "b c d"},
		{"div p b, body b", "c"},
		{"html > p", ""},
		{"b ~ *, p + p", "d"},
		{"p ~ i", "e"},
		{"p + i", "e"}, // text nodes do not count
		{"p/**/+/**/p", "d"},
		// attributes
		{"[data-n]", "a"},
		{"[DATA-N='Alpha beta']", "a"},
		{"[data-n='alpha BETA' i]", "a"},
		{"[data-n='alpha beta' s]", ""},
		{"[data-n~=beta]", "a"},
		{"[data-n~='Alpha beta']", ""},
		{"[data-n~='']", ""},
		{"[title]", "a"},
		{"[title^=''], [title$=''], [title*='']", ""},
		{"[title='']", "a"},
		{"[lang|=de]", "d"},
		{"[lang|=d]", ""},
		{"[href^='/x'][href$='z'][href*='?']", "u"},
		{"a[href!='/x-y?z']", "v"},
		{"[href#=^/x.y]", "u"},
		{"[viewbox], [viewBox]", "s"},
		{"linearGradient", "t"},
		// structure
		{":root", "html"},
		{":scope > body", "body"},
		{"li:nth-child(odd)", "g i k"},
		{"li:nth-child( 2n + 1 )", "g i k"},
		{"li:nth-child(-n+2)", "g h"},
		{"li:nth-child(n+4)", "j k"},
		{"li:nth-child(3)", "i"},
		{"li:nth-last-child(-n+2)", "j k"},
		{"li:nth-child(2 of .odd)", "i"},
		{"li:nth-last-child(1 of .odd)", "k"},
		{"li:nth-child(even of .odd, #h)", "h k"},
		{"li:first-child, li:last-child", "g k"},
		{"p:last-of-type, b:only-child, i:only-of-type", "c d e"},
		{"#a > :empty, em:empty", "e z"},
		{"title:only-child", "title"},
		// lists
		{":is(p, li).odd", "g i k"},
		{":where(ul, ol) > li:not(.odd)", "h j"},
		{"p:not(div > p:first-child)", "d"},
		{":is(section div, body > ul) > :is(span, li:is(.odd + li))", "h j y"},
		{"li:not(:not(.odd))", "g i k"},
		{"li:not(:hover)", "g h i j k"},
		{"li:hover, li:focus-visible", ""},
		// :has
		{"div:has(b)", "a"},
		{"div:has(> b)", ""},
		{"div:has(> p > b)", "a"},
		{"p:has(+ p)", "b"},
		{"li:has(~ #i)", "g h"},
		{"li:has(+ .odd + li)", "h"},
		{"body > :has(span):not(:has(> span))", "w"},
		{"p:has(div b)", ""}, // the div is not a descendant of the p
		{"section:has(:is(section > div) span)", "w"},
		{"body > :has(:has(span))", "w"},
		{"div:haschild(p b, span)", "x"},
		// texts
		{"p:contains(FOO)", "b"},
		{"div:contains('foo bar')", "a"},
		{"div:containsOwn(text)", "a"},
		{"p:containsOwn(bar)", ""},
		{"p:matches(^Foo ba[rz]$)", "b"},
		{"p:matchesOwn(^ba)", "d"},
		{"section:contains('')", "w"},
		// forms, links and languages
		{"input:disabled", "p"},
		{"input:enabled", "o"},
		{":checked", "p r"},
		{"input:required, select:optional", "p q"},
		{"a:link, a:any-link", "u"},
		{"#l :input", "o p q"},
		{"p:lang(de), b:lang('EN')", "c d"},
		{"p:lang(en, fr)", "b"},
		{"p:lang(d)", ""},
	} {
		if got := ids(t, root, test.selector); got != test.want {
			t.Errorf("%s matches %q, want %q", test.selector, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		selector string
		want     error
	}{
		{"", selector.ErrSyntax},
		{" ", selector.ErrSyntax},
		{"p >", selector.ErrSyntax},
		{"> p", selector.ErrSyntax},
		{"p,", selector.ErrSyntax},
		{",p", selector.ErrSyntax},
		{"p > > p", selector.ErrSyntax},
		{"p[", selector.ErrSyntax},
		{"p[a=b", selector.ErrSyntax},
		{"p[a=1]", selector.ErrSyntax},
		{"[a%=b]", selector.ErrSyntax},
		{"[a='b]", selector.ErrSyntax},
		{"[a='b\n']", selector.ErrSyntax},
		{"#", selector.ErrSyntax},
		{".1", selector.ErrSyntax},
		{".-1", selector.ErrSyntax},
		{"a b)", selector.ErrSyntax},
		{"a:not(b", selector.ErrSyntax},
		{"a:not()", selector.ErrSyntax},
		{"a:has(> )", selector.ErrSyntax},
		{":nth-child(x)", selector.ErrSyntax},
		{":nth-child(2n+)", selector.ErrSyntax},
		{":nth-child(99999999999)", selector.ErrSyntax},
		{":nth-of-type(1 of p)", selector.ErrSyntax},
		{"*p", selector.ErrSyntax},
		{"svg|a", selector.ErrSyntax},
		{`a\`, selector.ErrSyntax},
		{":matches(()", selector.ErrSyntax},
		{":matches(*)", selector.ErrSyntax},
		{"a::before", selector.ErrUnknown},
		{"a:before", selector.ErrUnknown},
		{"a:unheard-of", selector.ErrUnknown},
		{":is(a, :unheard-of)", selector.ErrUnknown},
		{strings.Repeat("a ", selector.MaxLength), selector.ErrTooLarge},
		{strings.Repeat("a ", 3000), selector.ErrTooLarge},
		{strings.Repeat(":not(", 200) + "a" + strings.Repeat(")", 200), selector.ErrTooLarge},
		{":matches((abcdefgh){500})", selector.ErrTooLarge},
	} {
		_, err := selector.Parse(test.selector)
		if e, ok := errors.AsType[*selector.Error](err); !errors.Is(err, test.want) || !ok || e.Offset < 0 || e.Offset > len(test.selector) {
			t.Errorf("Parse(%.40q) = %v, want %v", test.selector, err, test.want)
		}
	}
}

func TestSpecificity(t *testing.T) {
	for text, want := range map[string]selector.Specificity{
		"*":                                     {0, 0, 0},
		"a b > c":                               {0, 0, 3},
		"#a.b[c]:hover d":                       {1, 3, 1},
		":is(#a, b)":                            {1, 0, 0},
		":where(#a) b":                          {0, 0, 1},
		":not(.a, b c)":                         {0, 1, 0},
		":has(> #a)":                            {1, 0, 0},
		"a, #b":                                 {1, 0, 0},
		"li:nth-child(2 of .a, b)":              {0, 2, 1},
		":lang(de, en):first-child:not(:hover)": {0, 3, 0},
	} {
		s, err := selector.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Specificity(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestSet checks that a set gives the same results as its selectors one by one,
// and that skipping the descendants of an element has no other effect.
func TestSet(t *testing.T) {
	root := page(t, sample)
	texts := []string{"li", "li.odd ~ li", "div:has(b), p", "#x span", "ul:not(:has(b)) + form", ":contains(deep)", "section > div + em", "p:nth-last-child(2)", "*"}
	var set selector.Set
	want := map[*html.Node][]int32{}
	for i, text := range texts {
		s, err := selector.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if set.Add(s) != i || set.Len() != i+1 {
			t.Fatal("numbers")
		}
		for _, n := range find(t, root, text) {
			want[n] = append(want[n], int32(i))
		}
	}
	p := set.Start(context.Background(), root)
	for n := root; n != nil; {
		below := true
		if n.Type == html.ElementNode {
			got, err := p.Match(n)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			if !slices.Equal(got, want[n]) {
				t.Errorf("%s: %v, want %v", n.Data, got, want[n])
			}
			below = n.Data != "ul" && n.Data != "div"
		}
		if below && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != nil && n.NextSibling == nil {
			n = n.Parent
		}
		if n != nil {
			n = n.NextSibling
		}
	}
}

// steps returns the steps for matching a selector with all elements of a page.
func steps(t testing.TB, root *html.Node, text string) int {
	t.Helper()
	s, err := selector.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var set selector.Set
	set.Add(s)
	p := set.Start(context.Background(), root)
	for n := root; n != nil; n = dom.Next(n, root) {
		if n.Type == html.ElementNode {
			if _, err := p.Match(n); err != nil && !errors.Is(err, selector.ErrSteps) {
				t.Fatal(err)
			}
		}
	}
	return p.Steps()
}

// TestLinear checks that a page of twice the size takes about twice the steps.
func TestLinear(t *testing.T) {
	const size = 8_000
	for _, p := range evil.Pages() {
		once, twice := page(t, p.Body(size)), page(t, p.Body(2*size))
		for _, text := range slices.Concat(p.Selectors, evil.Selectors()[:6]) {
			if strings.Contains(text, ":matches") {
				continue // evaluated for each element; limited by steps
			}
			a, b := steps(t, once, text), steps(t, twice, text)
			if b > 3*a+20_000 {
				t.Errorf("%s, %.60s: %d steps, then %d", p.Name, text, a, b)
			}
		}
	}
}

// TestCompounds checks that the number of steps is proportional to the number
// of compounds.
func TestCompounds(t *testing.T) {
	root := page(t, strings.Repeat("<div>", 300)+strings.Repeat("<p>", 300))
	elements := len(elements(root))
	for _, comb := range []string{" ", ">", "+", "~"} {
		for _, n := range []int{10, 100} {
			if got := steps(t, root, strings.Repeat("*"+comb, n)+"x"); got > 3*n*elements {
				t.Errorf("%d of %q: %d steps for %d elements", n, comb, got, elements)
			}
		}
	}
}

func TestStops(t *testing.T) {
	root := page(t, strings.Repeat("<p>aaaaaaaaaaaa", 20_000))
	ended, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	for _, test := range []struct {
		ctx      context.Context
		selector string
		times    int
		want     error
	}{
		{ended, "p", 1, cause},
		{ended, "p:has(x)", 1, cause},
		{context.Background(), strings.Repeat("*:not(x y) ", 300) + "x", 20, selector.ErrSteps},
		{context.Background(), "html:matches(((a|aa){9}){9}x), body:matches((a{9}){99}x) p", 40, selector.ErrSteps},
	} {
		s, err := selector.Parse(test.selector)
		if err != nil {
			t.Fatal(err)
		}
		var set selector.Set
		for range test.times {
			set.Add(s)
		}
		p := set.Start(test.ctx, root)
		for n := root; n != nil && err == nil; n = dom.Next(n, root) {
			if n.Type == html.ElementNode {
				_, err = p.Match(n)
			}
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%.30s: %v, want %v", test.selector, err, test.want)
		}
	}
}

// TestIndex checks that rules whose names do not occur on an element cost
// nothing.
func TestIndex(t *testing.T) {
	var set selector.Set
	for i := range 20_000 {
		s, err := selector.Parse(fmt.Sprintf(".c%d .p%[1]d, #i%[1]d, x-%[1]d, [data-%[1]d] > p.c%[1]d", i))
		if err != nil {
			t.Fatal(err)
		}
		set.Add(s)
	}
	root := page(t, strings.Repeat(`<div class="a b" id=c title=d><p>e</p></div>`, 100))
	list := elements(root)
	p := set.Start(context.Background(), root)
	if allocs := testing.AllocsPerRun(20, func() {
		for _, n := range list {
			if _, err := p.Match(n); err != nil {
				t.Fatal(err)
			}
		}
	}); allocs > 1 {
		t.Errorf("%v allocations a page", allocs)
	}
	if per := p.Steps() / 21 / len(list); per > 20_000/100 {
		t.Errorf("%d steps an element", per)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range evil.Selectors() {
		f.Add(s)
	}
	f.Add(`*|a#b.c[d~='e' i]:not(f > g, :nth-last-child(-2n+3 of h)):has(+ i)::j`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selector.Parse(text)
		if err != nil {
			if e, ok := errors.AsType[*selector.Error](err); !ok || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%v", err)
			}
			return
		}
		if s.String() != text {
			t.Error("another text")
		}
		if _, err := selector.Parse(text + "," + text); err != nil && !errors.Is(err, selector.ErrTooLarge) && !strings.Contains(text, "/*") {
			t.Errorf("not twice: %v", err)
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add(sample, ":is(p, li).odd")
	for _, p := range evil.Pages() {
		for _, s := range p.Selectors {
			f.Add(p.Body(300), s)
		}
	}
	f.Fuzz(func(t *testing.T, text, sel string) {
		s, err := selector.Parse(sel)
		if err != nil {
			return
		}
		root := page(t, text)
		var set selector.Set
		set.Add(s)
		not, err := selector.Parse("*:not(" + sel + ")")
		if err != nil {
			return // too deep, or an unclosed comment
		}
		set.Add(not)
		p := set.Start(t.Context(), root)
		for _, n := range elements(root) {
			got, err := p.Match(n)
			if errors.Is(err, selector.ErrSteps) {
				return
			}
			if err != nil || len(got) != 1 {
				t.Fatalf("%s: %v, %v, want one of it and its opposite", sel, got, err)
			}
		}
	})
}
