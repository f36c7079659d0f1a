// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of what is stored from the tree of a page.
const (
	maxFacts     = 1500
	maxFactDepth = 3
	maxTexts     = 2500
	maxShort     = 200  // characters of a text that wrappers read
	maxProse     = 2000 // characters of a paragraph whose sentences wrappers read
	maxSentences = 12   // of a paragraph
	maxLabel     = 40
	maxAbove     = 4 // elements of a path
	skeletonDeep = 6
)

// Facts returns the structured data of a page, one thing after the other. Thing 0
// contains the properties of the page itself. The error is the cause of ctx.
func Facts(ctx context.Context, root *html.Node) ([]journal.Fact, error) {
	g := structured.New(ctx, root)
	var all []journal.Fact
	for _, m := range g.Metas() {
		if len(all) < 100 {
			all = append(all, journal.Fact{Type: "meta", Path: m.Name, Value: value.Clip(m.Content, value.MaxCell)})
		}
	}
	thing := 0
	things := [][]*structured.Node{g.Linked(), g.Micro(), g.State()}
	if g.Err() != nil {
		return nil, g.Err()
	}
	for _, nodes := range things {
		for _, n := range nodes {
			thing++
			all = flatten(all, n, thing, "", strings.Join(n.Types, " "), 0)
			if len(all) >= maxFacts {
				return all[:maxFacts], nil
			}
		}
	}
	return all, nil
}

func flatten(all []journal.Fact, n *structured.Node, thing int, prefix, kind string, depth int) []journal.Fact {
	for _, p := range n.Props {
		for i, v := range p.Values {
			if i == 50 || len(all) >= maxFacts {
				break
			}
			path := prefix + p.Name
			if v.Node == nil {
				all = append(all, journal.Fact{Thing: thing, Type: kind, Path: path, Value: value.Clip(html.UnescapeString(v.Text), value.MaxCell)}) // many sites escape it twice
				continue
			}
			if s := v.String(); s != "" {
				all = append(all, journal.Fact{Thing: thing, Type: kind, Path: path, Value: value.Clip(html.UnescapeString(s), value.MaxCell)})
			}
			if depth+1 < maxFactDepth {
				all = flatten(all, v.Node, thing, path+".", kind, depth+1)
			}
		}
	}
	return all
}

// Survey returns the short texts of a page with their positions, and the hash of its
// skeleton.
func Survey(root *html.Node, l *Linker) ([]journal.Text, string) {
	var texts []journal.Text
	skeleton := map[string]bool{}
	paths := map[string]string{} // each path is stored once, because many texts have the same one
	var walk func(n *html.Node, path []string)
	walk = func(n *html.Node, path []string) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			switch c.DataAtom {
			case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg, atom.Head:
				continue
			}
			step := stepOf(c)
			at := append(slices.Clip(path), step)
			if len(at) <= skeletonDeep {
				skeleton[strings.Join(at, ">")] = true
			}
			if len(texts) < maxTexts {
				texts = short(texts, c, at, paths, l)
			}
			if len(at) < 256 {
				walk(c, at)
			}
		}
	}
	walk(root, nil)
	h := fnv.New64a()
	for _, p := range slices.Sorted(maps.Keys(skeleton)) {
		h.Write([]byte(p + "\n"))
	}
	return slices.Clone(texts), strconv.FormatUint(h.Sum64(), 36)
}

// stepOf returns the tag of an element with its classes, sorted.
func stepOf(n *html.Node) string {
	classes := strings.Fields(dom.Attr(n, "class"))
	classes = slices.DeleteFunc(classes, func(c string) bool { return strings.ContainsAny(c, "0123456789") || len(c) > 40 })
	slices.Sort(classes)
	classes = slices.Compact(classes)
	return strings.Join(append([]string{n.Data}, classes[:min(len(classes), 4)]...), ".")
}

// short adds the texts of one element.
func short(texts []journal.Text, n *html.Node, path []string, paths map[string]string, l *Linker) []journal.Text {
	at := strings.Join(path[max(0, len(path)-maxAbove):], ">")
	if known, ok := paths[at]; ok {
		at = known
	} else {
		paths[at] = at
	}
	label := labelOf(n)
	for _, a := range n.Attr {
		switch a.Key {
		case "href":
			if n.DataAtom == atom.A {
				if u, err := l.Base.Link(a.Val); err == nil {
					texts = append(texts, journal.Text{Path: at, Attr: a.Key, Label: label, Value: value.Canonical(u.String())})
				}
			}
		case "content", "datetime", "aria-label", "alt":
			if a.Key == "aria-label" && dom.Attr(n, "role") != "img" {
				continue // it names what one can do there
			}
			if v := strings.TrimSpace(a.Val); v != "" && len(v) < maxShort {
				texts = append(texts, journal.Text{Path: at, Attr: a.Key, Label: label, Value: v})
			}
		}
	}
	v, ok := shortText(n, maxShort)
	if !ok {
		texts = sentences(texts, n, at)
	}
	if ok && cmp.Or(v, picture(n)) != "" {
		v = cmp.Or(v, picture(n))
		texts = append(texts, journal.Text{Path: at, Attr: "", Label: label, Value: v})
		if head, rest, ok := headed(v); ok {
			texts = append(texts, journal.Text{Path: at, Attr: ":", Label: head, Value: rest})
		}
	}
	return pieces(texts, n, at)
}

// headed divides a text that begins with its label, or with a question.
func headed(v string) (head, rest string, ok bool) {
	for _, sign := range []string{": ", "? ", "：", "？"} {
		if head, rest, ok = strings.Cut(v, sign); ok && len(head) <= maxLabel {
			rest = strings.TrimSpace(rest)
			return head, rest, rest != ""
		}
	}
	return "", "", false
}

// sentences adds the sentences of a paragraph that is longer than a short text.
func sentences(texts []journal.Text, n *html.Node, at string) []journal.Text {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && !phrasing[c.DataAtom] {
			return texts
		}
	}
	v, ok := shortText(n, maxProse)
	if !ok {
		return texts
	}
	all := claims.Sentences(v)
	if len(all) < 2 || len(all) > maxSentences {
		return texts
	}
	for _, s := range all {
		if len(s) < maxShort && len(texts) < maxTexts {
			texts = append(texts, journal.Text{Path: at, Attr: ".", Value: s})
		}
	}
	return texts
}

// phrasing contains the elements that a sentence may contain.
var phrasing = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Cite: true, atom.Code: true, atom.Em: true, atom.I: true, atom.Mark: true, atom.Q: true, atom.S: true,
	atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.U: true, atom.Data: true, atom.Var: true, atom.Wbr: true,
}

// pieces adds the texts that stand in n beside elements, such as <br> or a label in bold. Each
// has what stands before it as its label, or its own head if it has one.
func pieces(texts []journal.Text, n *html.Node, at string) []journal.Text {
	label, line := "", true // line: a line begins
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode && c.DataAtom == atom.Br:
			line = true
		case c.Type == html.ElementNode:
			if s, ok := shortText(c, maxLabel); !ok || s != "" {
				label, line = s, false
				if !ok {
					label = ""
				}
			}
		case c.Type == html.TextNode && (c.PrevSibling != nil || c.NextSibling != nil):
			v := strings.TrimSpace(strings.TrimPrefix(strings.Join(strings.Fields(c.Data), " "), ":"))
			if v == "" {
				continue
			}
			if len(v) < maxShort && len(texts) < maxTexts {
				texts = append(texts, journal.Text{Path: at, Attr: "#", Label: label, Value: v})
				if head, rest, ok := headed(v); ok && line {
					texts = append(texts, journal.Text{Path: at, Attr: "#:", Label: head, Value: rest})
				}
			}
			label, line = v, false
			if len(v) >= maxLabel {
				label = ""
			}
		}
	}
	return texts
}

// labelOf returns the text of the element before n, or the text with which the parent of n begins
// if nothing else is between them: "Version" in <li>Version <b>1.2</b></li>.
func labelOf(n *html.Node) string {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		switch {
		case p.Type == html.ElementNode:
			s, ok := shortText(p, maxLabel)
			if !ok {
				return ""
			}
			return s
		case p.Type == html.TextNode && strings.TrimSpace(p.Data) != "":
			if s := strings.Join(strings.Fields(p.Data), " "); p.PrevSibling == nil && len(s) < maxLabel {
				return s
			}
			return ""
		}
	}
	return ""
}

// picture returns the alternative text of the only image in an element that has no text, or
// "" if there is none: a table may say yes and no by images.
func picture(n *html.Node) string {
	text, images := "", 0
	for c := range n.Descendants() {
		if c.DataAtom == atom.Img {
			text = strings.Join(strings.Fields(dom.Attr(c, "alt")), " ")
			images++
		}
	}
	if images != 1 || len(text) >= maxShort {
		return ""
	}
	return text
}

// shortText returns the text below n on one line, if it is at most most bytes long. It
// stops as soon as the text is longer.
func shortText(n *html.Node, most int) (string, bool) {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && (c.DataAtom == atom.Script || c.DataAtom == atom.Style) {
			return "", false
		}
		if c.Type == html.TextNode {
			if b.Len()+len(c.Data) > 4*most && len(strings.TrimSpace(c.Data)) > most {
				return "", false
			}
			b.WriteString(c.Data)
			b.WriteByte(' ')
			if b.Len() > 8*most {
				return "", false
			}
		}
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	return s, len(s) < most
}
