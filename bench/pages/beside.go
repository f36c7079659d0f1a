// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// The pages of this file have something that does not belong to the columns of the text:
// formulas, watermarks, and texts in the margin.

// expression is a formula in both languages that the printers read.
type expression struct{ tex, mathml string }

// term returns a variable or a number.
func term(name string) expression {
	tag := "mi"
	if name[0] >= '0' && name[0] <= '9' {
		tag = "mn"
	}
	return expression{name, "<" + tag + ">" + name + "</" + tag + ">"}
}

// operator returns a sign between others.
func operator(tex, mathml string) expression {
	return expression{" " + tex + " ", "<mo>" + mathml + "</mo>"}
}

// row puts expressions beside each other.
func row(of ...expression) expression {
	var out expression
	for _, e := range of {
		out.tex, out.mathml = out.tex+e.tex, out.mathml+e.mathml
	}
	return expression{out.tex, "<mrow>" + out.mathml + "</mrow>"}
}

func fraction(a, b expression) expression {
	return expression{"\\frac{" + a.tex + "}{" + b.tex + "}", "<mfrac>" + a.mathml + b.mathml + "</mfrac>"}
}

func root(a expression) expression {
	return expression{"\\sqrt{" + a.tex + "}", "<msqrt>" + a.mathml + "</msqrt>"}
}

func power(a, b expression) expression {
	return expression{a.tex + "^{" + b.tex + "}", "<msup>" + a.mathml + b.mathml + "</msup>"}
}

func index(a, b expression) expression {
	return expression{a.tex + "_{" + b.tex + "}", "<msub>" + a.mathml + b.mathml + "</msub>"}
}

// sum returns a sum or, for integral, an integral with its bounds.
func sum(integral bool, from, to expression) expression {
	if integral {
		return expression{"\\int_{" + from.tex + "}^{" + to.tex + "}", "<msubsup><mo>∫</mo>" + from.mathml + to.mathml + "</msubsup>"}
	}
	return expression{"\\sum_{" + from.tex + "}^{" + to.tex + "}", "<munderover><mo>∑</mo>" + from.mathml + to.mathml + "</munderover>"}
}

// equation adds a formula on a line of its own.
func (p *page) equation() {
	letter := func() expression { return term(p.one("a", "b", "c", "k", "m", "n", "p", "u", "x", "y")) }
	plus := func() expression {
		if p.chance(.5) {
			return operator("-", "−")
		}
		return operator("+", "+")
	}
	equals := operator("=", "=")
	var e expression
	switch p.r.IntN(6) {
	case 0:
		e = row(letter(), equals, fraction(row(letter(), plus(), letter()), row(term("2"), letter())))
	case 1:
		e = row(letter(), equals, root(row(power(letter(), term("2")), plus(), power(letter(), term("2")))))
	case 2:
		e = row(letter(), equals, sum(false, row(term("i"), equals, term("1")), term("n")), power(index(letter(), term("i")), term("2")))
		if p.chance(.5) {
			e = row(letter(), equals, fraction(term("1"), term("n")), sum(false, row(term("i"), equals, term("1")), term("n")), index(letter(), term("i")))
		}
	case 3:
		e = row(sum(true, term("0"), term("1")), power(term("x"), letter()), term("d"), term("x"), equals, fraction(term("1"), row(letter(), plus(), term("1"))))
	case 4:
		e = row(index(letter(), term("0")), equals, letter(), plus(), term("3"), power(letter(), term("2")))
	default:
		e = row(fraction(letter(), letter()), plus(), fraction(letter(), letter()), equals, fraction(term("1"), letter()))
	}
	p.body = append(p.body, block{kind: formula, math: e})
}

// paper has formulas between its paragraphs.
func (p *page) paper() {
	p.columns = []int{1, 1, 2}[p.r.IntN(3)]
	p.size, p.serif, p.justify = []float64{9.5, 10, 11}[p.r.IntN(3)], true, p.chance(.7)
	p.numbered = p.chance(.6)
	p.run("foot center", p.number())
	p.fill(func(i int) {
		if i%4 == 0 {
			p.heading(section)
		}
		p.paragraph(1, 3)
		p.equation()
	})
}

// draft has a word across the page.
func (p *page) draft() {
	p.size, p.serif, p.justify = []float64{10, 10.5, 11}[p.r.IntN(3)], p.chance(.4), p.chance(.3)
	p.run("watermark", p.one("DRAFT", "CONFIDENTIAL", "COPY", "Sample", "DO NOT COPY", "Preliminary"))
	p.run("foot right", fmt.Sprintf("Page %d of %d", p.between(2, 20), p.between(21, 40)))
	p.fill(func(i int) {
		switch i % 4 {
		case 0:
			p.heading(section)
			p.paragraph(2, 4)
		case 1:
			p.list()
		case 2:
			p.grid(p.between(3, 4))
		default:
			p.paragraph(2, 4)
		}
	})
}

// stamped is a page with a word behind its text, which is slanted, or parallel to the
// lines or to the sides of the page.
func (p *page) stamped() {
	p.draft()
	p.running[0].place = []string{"watermark", "upright", "vertical"}[p.r.IntN(3)]
}

// textbook has short texts in the margin beside its paragraphs.
func (p *page) textbook() {
	p.size, p.serif, p.justify = []float64{10, 10.5, 11}[p.r.IntN(3)], true, p.chance(.7)
	p.numbered = p.chance(.4)
	p.run("foot center", p.number())
	p.fill(func(i int) {
		if i%5 == 0 {
			p.heading(section)
		}
		if p.chance(.4) {
			p.body = append(p.body, block{kind: margin, text: p.phrase(2, 7)})
		}
		p.paragraph(3, 6)
	})
}
