// SPDX-License-Identifier: Apache-2.0

package structured

import (
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// A maker creates nodes from JSON values.
type maker struct {
	steps *dom.Steps
	nodes []*Node
	text  int  // bytes of text left
	plain bool // not JSON-LD: names and texts are unchanged
	long  bool // the text is that of an article
}

// readLinked returns the nodes of JSON-LD, and the number of scripts that are not valid or beyond the
// limits.
func readLinked(steps *dom.Steps, scripts []script) (nodes []*Node, broken int) {
	m := maker{steps: steps, text: maxBytes}
	values := maxNodes * 4
	for _, s := range scripts {
		if s.kind != "ld" {
			continue
		}
		all, ok := lenient(steps, s.text, values)
		if !ok && strings.TrimSpace(s.text) != "" {
			broken++
		}
		for _, v := range all {
			values -= v.count()
			m.value(v, func(Value) {})
		}
	}
	m.link()
	return m.nodes, broken
}

// lenient reads JSON that may be wrapped in comments for old browsers, or
// escaped twice. It returns what precedes a mistake, and whether there is none.
func lenient(steps *dom.Steps, text string, most int) ([]jsonValue, bool) {
	text = strings.TrimSpace(text)
	for _, wrap := range []string{"//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "/* <![CDATA[ */", "<![CDATA[", "<!--"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, wrap))
	}
	all, ok := readJSON(steps, text, most)
	if !ok && strings.Contains(text, "&quot;") {
		if again, ok := readJSON(steps, html.UnescapeString(text), most); ok {
			return again, true
		}
	}
	return all, ok
}

// count returns the number of values that v contains.
func (v jsonValue) count() int {
	n := 1
	for _, m := range v.members {
		n += m.value.count()
	}
	for _, i := range v.list {
		n += i.count()
	}
	return n
}

// value calls yield with the values of v. An array has several values.
func (m *maker) value(v jsonValue, yield func(Value)) {
	m.steps.Take(2 + len(v.text)/64)
	switch v.kind {
	case '[':
		for _, i := range v.list {
			m.value(i, yield)
		}
	case '{':
		m.object(v, yield)
	default:
		s := v.text
		if !m.plain && strings.Contains(s, "&") {
			s = html.UnescapeString(s)
		}
		most := maxText
		if m.long {
			most = Longest
		}
		if s = clipTo(strings.TrimSpace(s), most); s != "" && m.text > len(s) {
			m.text -= len(s)
			yield(Value{Text: s, Number: v.kind == '0'})
		}
	}
}

// object calls yield with the node for v. A value object yields its value, and
// a list object its items.
func (m *maker) object(v jsonValue, yield func(Value)) {
	if !m.plain {
		for _, member := range v.members {
			switch member.name {
			case "@value", "@list", "@set":
				m.value(member.value, yield)
				return
			}
		}
	}
	if len(m.nodes) >= maxNodes {
		return
	}
	n := new(Node)
	at := len(m.nodes)
	m.nodes = append(m.nodes, n)
	for _, member := range v.members {
		m.member(n, member)
	}
	if !m.plain && n.Types == nil && n.Props == nil {
		// A reference, or a graph that contains others, is not a node itself.
		m.nodes = append(m.nodes[:at], m.nodes[at+1:]...)
		if n.ID == "" {
			return
		}
	}
	yield(Value{Node: n})
}

// member adds a member of an object to n. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (m *maker) member(n *Node, member jsonMember) {
	name := member.name
	if m.plain {
		name = clip(name)
		m.value(member.value, func(v Value) { n.add(name, v) })
		return
	}
	switch name {
	case "@context":
	case "@graph", "@included":
		m.value(member.value, func(Value) {})
	case "@id":
		n.ID = clip(strings.TrimSpace(member.value.text))
	case "@type", "type":
		if name == "type" && len(member.value.members) > 0 {
			return
		}
		m.value(member.value, func(v Value) {
			if v.Node == nil && len(n.Types) < 16 {
				n.Types = append(n.Types, bare(v.Text))
			}
		})
	default:
		name = bare(name)
		m.long = name == "articleBody" || name == "text"
		defer func() { m.long = false }()
		m.value(member.value, func(v Value) { n.add(name, v) })
	}
}

// link replaces references by the nodes that they refer to.
func (m *maker) link() {
	byID := map[string]*Node{}
	for _, n := range m.nodes {
		if old := byID[n.ID]; n.ID != "" && (old == nil || len(n.Props) > len(old.Props)) {
			byID[n.ID] = n
		}
	}
	for _, n := range m.nodes {
		for i := range n.Props {
			for j := range n.Props[i].Values {
				v := &n.Props[i].Values[j]
				if v.Node != nil && v.Node.Props == nil && byID[v.Node.ID] != nil {
					v.Node = byID[v.Node.ID]
				}
			}
		}
	}
}
