// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Truth returns the boolean that a model gave as a boolean, as a word, or as 1 or 0.
func Truth(raw any) (v, ok bool) { return truthOf(raw) }

// truthOf returns the boolean that a model gave as a boolean, as a word, or as 1 or 0.
func truthOf(raw any) (v, ok bool) {
	switch raw := raw.(type) {
	case string:
		text := value.Normal(raw)
		if v, ok = booleans[text]; !ok {
			v, ok = letters[text]
		}
		return v, ok
	case float64:
		return raw == 1, raw == 1 || raw == 0
	}
	v, ok = raw.(bool)
	return v, ok
}

// letters contains what models write for yes and no, but what means something else in
// most texts of pages.
var letters = map[string]bool{"y": true, "t": true, "1": true, "n": false, "f": false, "0": false}

// spoken returns the boolean that a model gave as a phrase about the field, such as
// "Sold out". Any other value is unchanged.
func spoken(f *outline.Field, raw any) any {
	text, is := raw.(string)
	if _, ok := truthOf(raw); !is || ok || f.Node.Type != schema.Boolean {
		return raw
	}
	if v, ok := topicOf(f).says(value.Normal(text)); ok {
		return v
	}
	return raw
}

// stated looks for a boolean of the only row of a page in the only line that states any
// boolean. It finds nothing if the table has another boolean that the line may be
// about.
func (c *Citer) stated(f *outline.Field, v bool) Found {
	none := Found{Issue: finding.IssueUnsupported}
	for _, other := range c.t.Fields {
		if other.Name != f.Name && other.Node.Type == schema.Boolean {
			return none
		}
	}
	at := 0
	for n := 1; n <= len(c.g.Lines); n++ {
		said, ok := statement(c.g.Line(n))
		if !ok {
			continue
		}
		if at > 0 || said != v {
			return none
		}
		at = n
	}
	if at == 0 {
		return none
	}
	return Found{v, [2]int{at, at}, finding.GradeDerived, "", 0}
}

// says is topic.says for a line of the page. The header of a table states nothing.
func (c *Citer) says(about *topic, n int) (v, ok bool) {
	if about == nil || strings.HasPrefix(c.g.Line(n), "|") && rulePattern.MatchString(c.g.Line(n+1)) {
		return false, false
	}
	return about.says(c.g.Line(n))
}

// rulePattern matches the line below the header of a table.
var rulePattern = regexp.MustCompile(`^\|[ |:-]+$`)

// Limits for texts that state a boolean.
const (
	maxPhrase = 60 // runes of a text with a phrase; longer texts are about several things
	maxPiece  = 80 // bytes of a text that distinguishes rows
	maxPieces = 40 // of a row
	leastSide = 2  // rows with each value
	leastRows = 5  // rows in total
	leastSure = 4  // rows with a text that outvote a single other row

	maxParagraph = 12 // lines of a paragraph on each side of a key
)

// checkBoolean looks for a boolean in lines a to b: in a line with the name of the
// field, or else in one with a phrase about it. Lines that state both values do not
// count.
func (c *Citer) checkBoolean(f *outline.Field, raw any, a, b int) Found {
	none := Found{Issue: finding.IssueUnsupported}
	v, ok := truthOf(raw)
	if !ok {
		return none
	}
	about := topicOf(f)
	at := 0
	for n := a; n <= b; n++ {
		said, ok := c.says(about, n)
		if ok && said != v {
			return none
		}
		if ok && at == 0 {
			at = n
		}
	}
	if at > 0 {
		return Found{v, [2]int{at, at}, finding.GradeDerived, "", 0}
	}
	for n := a; n <= b; n++ {
		if !names(c.g.Line(n), f.Name) {
			continue
		}
		if c.contradicts(n, v) {
			return none
		}
		return c.checkLines(f, raw, n, n)
	}
	return none
}

// negations are the beginnings of texts that deny something.
var negations = []string{"not ", "no ", "nicht ", "kein ", "keine ", "ohne ", "non ", "pas ", "sans ", "sin ", "without ", "niet ", "geen ", "never "}

// affirmations are words of texts that affirm something, unless they begin with a negation.
var affirmations = []string{
	"allowed", "permitted", "welcome", "included", "provided", "available", "erlaubt", "gestattet", "willkommen", "inbegriffen", "inklusive", "vorhanden",
	"autorisé", "autorisés", "admis", "bienvenus", "inclus", "permitido", "permitidos", "admitidos", "bienvenidos", "incluido", "permesso", "ammessi", "benvenuti", "incluso",
	"toegestaan", "welkom", "inbegrepen", "tillåtet", "välkomna", "ingår", "tilladt", "velkommen", "tillatt", "dozwolone", "mile widziane", "разрешено", "включено",
}

// contradicts reports whether a line has a word for the other value and none for v, or
// denies what v affirms.
func (c *Citer) contradicts(n int, v bool) bool {
	if v && denies(unlabelled(c.g.Line(n))) {
		return true
	}
	said, ok := worded(c.g.Line(n))
	return ok && said != v
}

// worded returns the boolean for which a normal text has a word. If it has words for both values,
// or for none, ok is false.
func worded(text string) (v, ok bool) {
	var has [2]bool
	for word, means := range booleans {
		if value.Holds(text, word) > 0 {
			if means {
				has[1] = true
			} else {
				has[0] = true
			}
		}
	}
	return has[1], has[0] != has[1]
}

// Says reports whether a normal text has words that state a value of a concluded field: the value
// itself, a word for yes or no, a phrase, a denial, an affirmation, or else the name of a boolean field.
func Says(f *outline.Field, text string, v any) bool {
	want, is := v.(bool)
	if !is {
		return text != "" && text == value.Normal(value.ScalarText(v))
	}
	said, ok := topicOf(f).says(text)
	if !ok {
		said, ok = worded(text)
	}
	if !ok {
		denied := denies(text)
		said, ok = !denied, denied || affirms(text) || names(text, f.Name)
	}
	return ok && said == want
}

// Word returns the boolean that a normal text is a word for: yes or no in some language, or a phrase
// for the topic of the field.
func Word(f *outline.Field, text string) (v, ok bool) {
	if v, ok := booleans[text]; ok {
		return v, true
	}
	t := topicOf(f)
	if t == nil {
		return false, false
	}
	v = slices.Contains(t.yes, text)
	return v, v != slices.Contains(t.no, text)
}

// denies reports whether a normal text begins with a negation.
func denies(text string) bool {
	return slices.ContainsFunc(negations, func(w string) bool { return strings.HasPrefix(text, w) })
}

// affirms reports whether a normal text has a word of an affirmation.
func affirms(text string) bool {
	return slices.ContainsFunc(affirmations, func(w string) bool { return value.Holds(text, w) > 0 })
}

// own returns the lines of row i in which a statement about a boolean may be: those
// after its key if such statements follow keys, or those before it. While this is not
// known, the lines between two keys belong to both rows.
func (c *Citer) own(i, at int, about *topic) (a, b int) {
	a, b = c.block(i, at)
	if about == nil || len(c.keys) < 2 {
		return a, b
	}
	first, last := i, i
	for k := range c.keys {
		if n := c.anchorOf(k); n > 0 {
			if n < c.anchorOf(first) {
				first = k
			}
			if n > c.anchorOf(last) {
				last = k
			}
		}
	}
	states := func(from, to int) bool {
		for n := from; n <= to; n++ {
			if _, ok := c.says(about, n); ok {
				return true
			}
		}
		return false
	}
	from, _ := c.block(first, c.anchorOf(first))
	_, to := c.block(last, c.anchorOf(last))
	before, behind := states(from, c.anchorOf(first)-1), states(c.anchorOf(last)+1, to)
	if !before && !behind { // the first or the last row states nothing
		for k := range c.keys {
			if n := c.anchorOf(k); n > 0 {
				from, to := c.paragraph(n)
				before, behind = before || states(from, n-1), behind || states(n+1, to)
			}
		}
	}
	switch {
	case behind && !before:
		return at, b
	case before && !behind:
		return a, at
	case !before && at > 0 && headingLevel(c.g.Lines[at-1]) > 0:
		return at, b // a heading begins what it is about
	}
	return a, b
}

// paragraph returns the lines of the paragraph that line n is in. A line of Markdown that ends
// with a backslash goes on in the next one.
func (c *Citer) paragraph(n int) (a, b int) {
	ends := func(n int) bool { return !strings.HasSuffix(c.g.Lines[n-1], `\`) }
	for a = n; a > 1 && n-a < maxParagraph && !ends(a-1); a-- {
	}
	for b = n; b < len(c.g.Lines) && b-n < maxParagraph && !ends(b); b++ {
	}
	return a, b
}

// denied reports whether the lines of row i state the opposite of a boolean that the
// model concluded from lines without a word for it.
func (c *Citer) denied(i int, f *outline.Field, got Found) bool {
	about := topicOf(f)
	v, ok := got.Value.(bool)
	if !ok || about == nil || i >= MaxPageRows {
		return false
	}
	c.prepare()
	at, a, b := c.anchorOf(i), 1, len(c.g.Lines)
	if at > 0 {
		a, b = c.own(i, at, about)
	}
	for n := max(got.Lines[0], a); n <= min(got.Lines[1], b); n++ { // lines of other rows do not count
		if said, ok := c.says(about, n); ok {
			return said != v
		}
	}
	if at == 0 {
		return false
	}
	no := false
	aside := c.asides(max(at, got.Lines[1]))
	for n := a; n <= b; n++ {
		said, ok := c.says(about, n)
		if ok && said == v {
			return false
		}
		no = no || ok && !aside(n)
	}
	return no
}

// asides returns a function that reports whether a line is about another thing than a row whose
// key and value stand in line from or before: it is in a later section, and behind a link there,
// such as the offers below "You may also like". It must be called with growing numbers.
func (c *Citer) asides(from int) func(n int) bool {
	at, section, linked := from, false, false
	return func(n int) bool {
		for ; at < n; at++ {
			line := c.g.Lines[at] // line at+1
			if headingLevel(line) > 0 {
				section, linked = true, false
			}
			linked = linked || strings.HasPrefix(strings.TrimLeft(line, "#-*+> "), "[")
		}
		return section && linked
	}
}

// statesElsewhere reports whether a line of the page states the opposite of the value v
// of a field. It is then unknown which line is about the only row of the page.
func (c *Citer) statesElsewhere(f *outline.Field, v bool) bool {
	about := topicOf(f)
	if about == nil {
		return false
	}
	aside := func(int) bool { return false }
	if len(c.answer.Rows) == 1 {
		c.prepare()
		if at := c.anchorOf(0); at > 0 {
			aside = c.asides(at)
		}
	}
	for n := 1; n <= len(c.g.Lines); n++ {
		if said, ok := c.says(about, n); ok && said != v && !aside(n) {
			return true
		}
	}
	return false
}
