// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// all reports whether n passes all tests.
func (p *Pass) all(tests []test) bool {
	for i := range tests {
		if !p.passes(&tests[i]) {
			return false
		}
	}
	return true
}

// passes reports whether n passes a test. Lists of single compounds are matched
// directly, because the length of the selector limits them.
func (p *Pass) passes(t *test) bool {
	n := p.n
	switch t.kind {
	case isTag:
		return n.Data == t.name || n.Data == t.raw && n.Namespace != ""
	case isID, hasAttribute, attributeTest:
		return p.attribute(t)
	case isClass:
		p.m.spend(len(p.tokens) / 8)
		return slices.Contains(p.tokens, t.name)
	case isRoot:
		return n.Parent != nil && n.Parent.Type == html.DocumentNode
	case isLink, isInput, isEnabled, isDisabled, isChecked, isRequired, isOptional:
		return p.control(t.kind)
	case isLang:
		return speaks(p.lang, t.val)
	case isNth:
		return p.nth(t)
	case isOnly:
		return p.siblings(t.kin) == 1
	case isEmpty:
		return p.empty()
	case isAny:
		return p.any(t)
	case isNone:
		return !p.any(t)
	case contains, matches:
		return p.inText(t)
	case containsOwn:
		return strings.Contains(strings.ToLower(p.ownText()), t.val)
	case matchesOwn:
		return p.m.match(t.re, t.size, p.ownText())
	case isNthOf, isHaving:
		return p.answer(t.num).has(p.id)
	}
	return false
}

// any reports whether n matches a selector in t's list.
func (p *Pass) any(t *test) bool {
	if !t.own {
		return p.marks[t.num] == p.now
	}
	for _, c := range t.list {
		if p.m.spend(1); p.all(c[0].tests) {
			return true
		}
	}
	return false
}

// attribute reports whether an attribute of n passes t. Namespaces of
// attributes are ignored.
func (p *Pass) attribute(t *test) bool {
	key := t.name
	if t.kind == isID {
		key = "id"
	}
	p.m.spend(len(p.n.Attr) / 8)
	for i := range p.n.Attr {
		a := &p.n.Attr[i]
		if a.Key != key && (p.n.Namespace == "" || a.Key != t.raw) {
			continue
		}
		switch t.kind {
		case isID:
			if a.Val == t.name {
				return true
			}
		case hasAttribute:
			return true
		default:
			if p.m.spend(len(a.Val)/32) && p.value(t, a.Val) {
				return t.op != '!'
			}
		}
	}
	return t.op == '!'
}

// value reports whether s has the value that t requires. For [a!=b] it reports
// whether s has the excluded value.
func (p *Pass) value(t *test, s string) bool {
	switch t.op {
	case '=', '!':
		return s == t.val || t.fold && strings.EqualFold(s, t.val)
	case '#':
		return p.m.match(t.re, t.size, s)
	}
	if t.fold {
		s = strings.ToLower(s)
	}
	switch t.op {
	case '~':
		for s != "" {
			i := strings.IndexAny(s, " \t\r\n\f")
			if i < 0 {
				return s == t.val
			}
			if i > 0 && s[:i] == t.val {
				return true
			}
			s = s[i+1:]
		}
		return false
	case '|':
		rest, ok := strings.CutPrefix(s, t.val)
		return ok && (rest == "" || rest[0] == '-')
	case '^':
		return t.val != "" && strings.HasPrefix(s, t.val)
	case '$':
		return t.val != "" && strings.HasSuffix(s, t.val)
	default:
		return t.val != "" && strings.Contains(s, t.val)
	}
}

// control evaluates pseudo-classes of links and form controls.
func (p *Pass) control(k kind) bool {
	n := p.n
	switch k {
	case isLink:
		return (n.DataAtom == atom.A || n.DataAtom == atom.Area || n.DataAtom == atom.Link) && hasAttr(n, "href")
	case isInput:
		return n.DataAtom == atom.Input || n.DataAtom == atom.Select || n.DataAtom == atom.Textarea || n.DataAtom == atom.Button
	case isRequired, isOptional:
		switch n.DataAtom {
		case atom.Input, atom.Select, atom.Textarea:
			return hasAttr(n, "required") == (k == isRequired)
		}
		return false
	case isChecked:
		switch n.DataAtom {
		case atom.Input, atom.Menuitem:
			kind := attr(n, "type")
			return hasAttr(n, "checked") && (strings.EqualFold(kind, "checkbox") || strings.EqualFold(kind, "radio"))
		case atom.Option:
			return hasAttr(n, "selected")
		}
		return false
	}
	var off bool
	switch n.DataAtom {
	case atom.A, atom.Area, atom.Link:
		return k == isEnabled && hasAttr(n, "href")
	case atom.Optgroup, atom.Menuitem, atom.Fieldset:
		off = hasAttr(n, "disabled")
	case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Option:
		off = p.off || hasAttr(n, "disabled")
	default:
		return false
	}
	return off == (k == isDisabled)
}

// speaks reports whether a language equals a language range or is a variety of
// it.
func speaks(lang, within string) bool {
	return lang != "" && len(lang) >= len(within) && strings.EqualFold(lang[:len(within)], within) &&
		(len(lang) == len(within) || lang[len(within)] == '-' || within == "")
}

// nth reports whether n is an (an+b)th child.
func (p *Pass) nth(t *test) bool {
	f := &p.open[len(p.open)-1]
	at := int(f.count)
	if t.kin {
		at = int(f.kinds[p.n.Data])
	}
	if t.last {
		at = p.siblings(t.kin) - at + 1
	}
	return inSeries(t, at)
}

// inSeries reports whether at equals an+b for a non-negative n.
func inSeries(t *test, at int) bool {
	if at -= t.b; t.a == 0 {
		return at == 0
	}
	return at%t.a == 0 && at/t.a >= 0
}

// siblings returns the number of children of n's parent that are elements, or
// that have n's type. They are counted once for each parent.
func (p *Pass) siblings(kin bool) int {
	f := &p.open[len(p.open)-1]
	if f.total < 0 {
		f.total = 0
		first := p.n
		if p.n.Parent != nil {
			first = p.n.Parent.FirstChild
		}
		if p.set.kinds {
			f.totals = map[string]int32{}
		}
		for c := first; c != nil && p.m.spend(1); c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			f.total++
			if p.set.kinds {
				f.totals[c.Data]++
			}
		}
	}
	if kin {
		return int(f.totals[p.n.Data])
	}
	return int(f.total)
}

// empty reports whether n contains only white space and comments.
func (p *Pass) empty() bool {
	for c := p.n.FirstChild; c != nil && p.m.spend(1); c = c.NextSibling {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return false
		}
		p.m.spend(len(c.Data) / 32)
	}
	return true
}

// ownText returns the text nodes that are children of n.
func (p *Pass) ownText() string {
	var b strings.Builder
	for c := p.n.FirstChild; c != nil && p.m.spend(1+len(c.Data)/32); c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// match runs a regular expression of size instructions. It reads long texts
// piece by piece, so that it can end with the context.
func (m *meter) match(re *regexp.Regexp, size int, s string) bool {
	weight := 1 + size/4
	if len(s) <= 256 {
		return m.spend(len(s)*weight) && re.MatchString(s)
	}
	r := textReader{s: s, m: m, weight: weight}
	return m.err == nil && re.MatchReader(&r) && m.err == nil
}

// A textReader ends when its meter ends.
type textReader struct {
	s      string
	m      *meter
	weight int
}

func (r *textReader) ReadRune() (c rune, size int, err error) {
	if r.s == "" || !r.m.spend(r.weight) {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.s)
	r.s = r.s[size:]
	return c, size, nil
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

// fields appends the words of s, which are separated by HTML white space.
func fields(all []string, s string) []string {
	start := -1
	for i := range len(s) {
		if isSpace(s[i]) {
			if start >= 0 {
				all = append(all, s[start:i])
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		all = append(all, s[start:])
	}
	return all
}
