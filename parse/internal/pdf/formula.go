// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/mathtex"
	"example.com/curlew/parse/internal/pdf/layout"
)

// formula writes a formula: as TeX if its structure is certain, and otherwise as
// one line of text.
func (t *tree) formula(section *html.Node, b *layout.Block, attrs []string) {
	p := t.Append(section, atom.P, append(attrs, "data-role", "formula")...)
	if b.Formula != nil {
		if tex := texOf(b.Formula); tex != "" {
			p.AppendChild(t.Math(tex, true))
			return
		}
	}
	t.runs(p, b)
	if t.formulas++; t.formulas == 1 {
		t.formulaPage = b.Page
	}
}

// texOf returns a formula with its number as TeX.
func texOf(f *layout.FormulaNode) string {
	tex := mathtex.Node(mathML(f))
	if tex != "" && f.Tag != "" {
		tex += ` \tag{` + f.Tag + "}"
	}
	return tex
}

// mathNode returns an element of MathML. It has many callers, which inlining would enlarge.
//
//go:noinline
func mathNode(name string, kids ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, Namespace: "math"}
	for _, k := range kids {
		n.AppendChild(k)
	}
	return n
}

// mathML returns a part of a formula as MathML.
func mathML(f *layout.FormulaNode) *html.Node {
	kids := make([]*html.Node, len(f.Kids))
	for i := range f.Kids {
		kids[i] = mathML(&f.Kids[i])
	}
	text := func() *html.Node { return &html.Node{Type: html.TextNode, Data: f.Text} }
	scripts := func(low, high string) *html.Node {
		switch base, down, up := kids[0], kids[1], kids[2]; {
		case up.FirstChild == nil:
			return mathNode("m"+low, base, down)
		case down.FirstChild == nil:
			return mathNode("m"+high, base, up)
		default:
			return mathNode("m"+low+high, base, down, up)
		}
	}
	switch f.Kind {
	case layout.MathVariable, layout.MathFunction:
		return mathNode("mi", text())
	case layout.MathText:
		n := mathNode("mtext", text())
		n.FirstChild.Data = "\u00a0" + f.Text + "\u00a0" // a space at an end of a text is lost
		return n
	case layout.MathNumber:
		return mathNode("mn", text())
	case layout.MathOperator:
		return mathNode("mo", text())
	case layout.MathFraction:
		return mathNode("mfrac", kids...)
	case layout.MathRoot:
		if len(kids) > 1 {
			return mathNode("mroot", kids...)
		}
		return mathNode("msqrt", kids...)
	case layout.MathMatrix:
		for i := range kids {
			row := mathNode("mtr")
			for c := kids[i].FirstChild; c != nil; {
				next := c.NextSibling
				kids[i].RemoveChild(c)
				row.AppendChild(mathNode("mtd", c))
				c = next
			}
			kids[i] = row
		}
		table := mathNode("mtable", kids...)
		if f.Text == "" {
			return table
		}
		return mathNode("mrow", mathNode("mo", text()), table)
	case layout.MathScripts:
		return scripts("sub", "sup")
	case layout.MathLimits:
		return scripts("under", "over")
	}
	return mathNode("mrow", kids...)
}
