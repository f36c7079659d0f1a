// SPDX-License-Identifier: Apache-2.0

package value

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxCaption is the maximum length of a text above a table that counts as its caption.
const MaxCaption = 200

// Texts that part a caption, and the text in parentheses.
var (
	clauseEnd = regexp.MustCompile(`[,;:–]\s|\.(?:\s|$)|\s(?:and|und|et|y|e|og|och|ja)\s`)
	aside     = regexp.MustCompile(`[(\[]([^()\[\]]{1,80})[)\]]`)
	statesHow = regexp.MustCompile(`^(.*?)(?:^| )(?:in|en|em|w|v|i) `)
)

// wholeTable are words of captions that mean all columns.
var wholeTable = wordSet(`all amounts amount figures values numbers sums data table everything alle angaben beträge werte zahlen montants chiffres valeurs importes cifras valores importi valori
	bedragen cijfers kwoty dane belopp beløb tal luvut částky`)

// ofMoney are words of fields whose numbers are amounts of money.
var ofMoney = wordSet(`revenue revenues sales turnover income profit loss losses cost costs price prices fee fees budget assets liabilities equity debt debts ebit ebitda spending funding earnings salary salaries
	grants donations expenses expense expenditure tax taxes capital cash dividend dividends interest deposits loans wages rent payments payables receivables reserves contributions subsidies
	umsatz gewinn kosten ergebnis preis chiffre affaires bénéfice coût ventas ingresos beneficio costo precio ricavi utile omzet winst`)

// numbered are words of fields whose numbers count things, so that they are no amounts of money.
var numbered = func() map[string]bool {
	all := wordSet(`staff headcount fte workforce count counts stores shops branches offices outlets rooms beds vehicles aircraft vessels passengers patients students orders`)
	maps.Copy(all, counted)
	return all
}()

// unscaled are words of fields whose numbers no caption scales.
var unscaled = wordSet(`rank ranking position number no nr id code age share percent percentage ratio rate growth margin rang platz anteil`)

// periods are words that do the same if the field is no amount of money: an income of the
// year is scaled.
var periods = wordSet(`year month day quarter jahr monat année año`)

// Captioned returns the scale and the unit that the caption of a table states for a
// number in a column. head is the head of the column, and words are those of the field.
// All texts are normal; line contains the number. The scale is 1 if the caption states
// none for it, and NaN if it may or may not be meant.
func (n Numeral) Captioned(line, caption, head string, words []string) (scale float64, unit Unit) {
	if caption == "" || utf8.RuneCountInString(caption) > MaxCaption || n.percent {
		return 1, Unit{}
	}
	c := captionFor(caption, head, words)
	own := append(Words(head), words...)
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(own, func(w string) bool { return set[w] })
	}
	switch {
	case !c.whole || c.scale == 1:
		return c.scale, c.unit
	case strings.ContainsAny(head, "%‰"):
		return 1, Unit{}
	}
	money := n.IsMoney(line) || has(currencies) || has(ofMoney)
	switch {
	case c.excepts, n.isYear(), has(unscaled), !money && has(periods) && !slices.ContainsFunc(own, func(w string) bool { return c.unit != Unit{} && units[w] == c.unit }):
		return 1, Unit{}
	case c.money && !money && has(numbered):
		return 1, Unit{}
	case c.money && !money:
		return math.NaN(), Unit{} // it may be a number of things
	}
	return c.scale, c.unit
}

// caption is what the caption of a table says about the numbers of a column.
type caption struct {
	scale   float64
	unit    Unit
	whole   bool // it is about all columns
	money   bool // it is about amounts of money
	excepts bool // it excepts the column
}

// captionFor reads the clauses of a caption. A clause that names the column comes first.
func captionFor(text, head string, words []string) caption {
	c := caption{scale: 1}
	rest := text
	for _, m := range aside.FindAllStringSubmatch(text, -1) {
		rest = strings.ReplaceAll(rest, m[0], ". ")
		parts := clauseEnd.Split(m[1], -1)
		c.except(parts[1:], head, words)
		if c.read("in "+strings.TrimPrefix(parts[0], "in "), head, true) {
			return c
		}
	}
	parts := clauseEnd.Split(rest, -1)
	c.except(parts, head, words)
	for i, part := range parts {
		if i > 0 && scalesOnly(part) { // "goods handled, thousand tonnes"
			part = "in " + part
		}
		if c.read(part, head, false) {
			return c
		}
	}
	return c
}

// scalesOnly reports whether a clause is a scale and perhaps a unit or a currency, and nothing else.
func scalesOnly(clause string) bool {
	scaled := false
	for _, w := range Words(clause) {
		_, scale := scales[strings.TrimSuffix(w, "s")]
		if _, own := scales[w]; (scale || own) && utf8.RuneCountInString(w) > 1 {
			scaled = true
		} else if units[w] == (Unit{}) && !currencies[w] {
			return false
		}
	}
	return scaled
}

// Headed returns the scale and the unit that a heading states for the numbers of a field with some words,
// if one of its clauses names the field: "Gravel: prices in €, minimum quantities in t".
func Headed(heading string, words []string) (scale float64, unit Unit, ok bool) {
	if len(heading) > MaxCaption {
		return 1, Unit{}, false
	}
	c := captionFor(heading, strings.Join(words, " "), words)
	return c.scale, c.unit, !c.whole && (c.scale != 1 || c.unit != Unit{})
}

// except reads the clauses that except columns.
func (c *caption) except(clauses []string, head string, words []string) {
	for _, clause := range clauses {
		if strings.HasPrefix(clause, "except") || strings.HasPrefix(clause, "außer") {
			c.excepts = c.excepts || ShareStem(Words(clause), Words(head)) || ShareStem(Words(clause), words)
		}
	}
}

// read reads one clause. It reports whether the clause names the column. A clause in
// parentheses stands alone, and is about the whole table.
func (c *caption) read(clause, head string, alone bool) (named bool) {
	scale, unit := Labelled(clause)
	if scale == 1 && unit == (Unit{}) {
		return false
	}
	before := ""
	if m := statesHow.FindStringSubmatch(clause); m != nil {
		before = m[1]
	}
	subject := Words(before)
	named = ShareStem(subject, Words(head))
	if named || alone || !slices.ContainsFunc(subject, func(w string) bool { return !wholeTable[w] }) {
		c.scale, c.unit, c.whole = scale, unit, !named
		c.money = strings.ContainsFunc(clause, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) || slices.ContainsFunc(Words(clause), func(w string) bool { return currencies[w] })
	}
	return named
}

// ShareStem reports whether two lists have a word in common, whatever its ending. It is not inlined,
// because it is large and has several callers.
//
//go:noinline
func ShareStem(a, b []string) bool {
	const least = 4
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool {
			n := 0
			for n < min(len(x), len(y)) && x[n] == y[n] {
				n++
			}
			return x == y && len(x) > 2 || n >= least && n+3 >= max(len(x), len(y))
		})
	})
}
