// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

// absent matches the part of a line after its label if it says that there is no value.
var absent = regexp.MustCompile(`^(?:n/a|n\.a|k\. ?a|-*|[?…]+|tb[acd]|unknown|not (?:specified|stated|known)|unbekannt|keine angaben?|inconnu|non précisé|desconocido)$`)

// topic contains the phrases that pages use for one kind of boolean field instead of
// yes and no.
type topic struct {
	names   []string // the name or the description of the field contains one of them
	alone   bool     // the name must be one of them
	no, yes []string // normal texts; a text that contains one of no does not mean yes
}

// topics contains the topics about which pages of shops and directories often write
// phrases.
var topics = []topic{
	{
		names: []string{"available", "availability", "stock", "verfügbar", "lieferbar", "disponible"},
		no: []string{
			"out of stock", "sold out", "not in stock", "not available", "unavailable", "no longer available", "currently unavailable", "out-of-stock", "outofstock", "soldout",
			"nicht auf lager", "ausverkauft", "nicht verfügbar", "nicht lieferbar", "nicht vorrätig", "vergriffen",
			"rupture de stock", "en rupture", "épuisé", "épuisée", "indisponible", "non disponible", "pas en stock",
			"agotado", "agotada", "sin existencias", "no disponible", "fuera de stock",
			"esaurito", "esaurita", "esgotado", "esgotada", "indisponível", "uitverkocht", "niet op voorraad", "slutsåld", "udsolgt", "utsolgt", "wyprzedane", "niedostępny", "нет в наличии",
			"売り切れ", "在庫なし", "在庫切れ", "品切れ", "缺货", "售罄", "품절",
		},
		yes: []string{
			"in stock", "available", "instock", "in-stock", "auf lager", "verfügbar", "lieferbar", "vorrätig", "en stock", "disponible", "en existencia", "en existencias",
			"disponibile", "em estoque", "disponível", "op voorraad", "i lager", "på lager", "dostępny", "в наличии", "在庫あり", "有货", "有現貨", "재고 있음",
		},
	},
	{
		names: []string{"open", "is open", "open now", "currently open", "geöffnet", "ouvert", "abierto"},
		alone: true,
		no:    []string{"closed", "not open", "geschlossen", "fermé", "cerrado", "chiuso", "fechado", "gesloten"},
		yes:   []string{"open", "open now", "geöffnet", "ouvert", "abierto", "aperto", "aberto"},
	},
	{
		names: []string{"active", "is active", "aktiv"},
		alone: true,
		no:    []string{"inactive", "not active", "discontinued", "retired", "deprecated", "inaktiv", "eingestellt"},
		yes:   []string{"active", "aktiv"},
	},
}

// topicOf returns the topic of a boolean field, or nil if it has none.
func topicOf(f *outline.Field) *topic {
	name := value.Normal(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(f.Name))
	description := value.Normal(f.Node.Description)
	for i := range topics {
		t := &topics[i]
		if slices.ContainsFunc(t.names, func(w string) bool {
			return name == w || !t.alone && (value.Holds(name, w) > 0 || value.Holds(description, w) > 0 || strings.HasSuffix(value.BareName(name), w))
		}) {
			return t
		}
	}
	return nil
}

// says returns what a normal line states about a topic. If it states nothing, or both
// values, ok is false. Only short texts count: cells, or the texts between points and
// commas.
func (t *topic) says(line string) (v, ok bool) {
	if t == nil {
		return false, false
	}
	yes, no := false, false
	for _, piece := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|·•,;", r) }) {
		if utf8.RuneCountInString(piece) > maxPhrase {
			continue
		}
		if v, labelled, ok := t.labelled(piece); labelled {
			yes, no = yes || ok && v, no || ok && !v
			continue
		}
		for _, p := range t.no {
			if value.Holds(piece, p) > 0 {
				no, piece = true, strings.ReplaceAll(piece, p, "")
			}
		}
		yes = yes || slices.ContainsFunc(t.yes, func(p string) bool { return value.Holds(piece, p) > 0 })
	}
	return yes, yes != no
}

// labelled reports whether a text has a phrase of the topic as its label, and after it a
// word for yes or no, or nothing: "In stock: no", "In stock: n/a". If it has such a word,
// ok is true, and v is what the text states.
func (t *topic) labelled(piece string) (v, labelled, ok bool) {
	tail := unlabelled(piece)
	head := strings.TrimSuffix(strings.TrimRight(piece, " .!|"), tail)
	if v, ok = booleans[tail]; !ok && !absent.MatchString(tail) {
		return false, false, false
	}
	holds := func(p string) bool { return value.Holds(head, p) > 0 }
	if slices.ContainsFunc(t.no, holds) {
		return !v, true, ok
	}
	return v, slices.ContainsFunc(t.yes, holds), ok
}

// unlabelled returns the part of a normal line after the last mark that follows a
// label.
func unlabelled(line string) string {
	said := strings.Trim(line, "|-+> ")
	for _, mark := range []string{": ", "|", " - ", " = "} {
		if i := strings.LastIndex(said, mark); i >= 0 {
			said = strings.TrimSpace(said[i+len(mark):])
		}
	}
	return strings.Trim(said, " .!")
}

// statement returns the boolean that a normal line states about anything. Its last
// part, after a label or by itself, must be a word for yes or no, or a phrase of any
// topic.
func statement(line string) (v, ok bool) {
	piece := unlabelled(line)
	if v, ok := booleans[piece]; ok {
		return v, true
	}
	for _, t := range topics {
		if slices.Contains(t.no, piece) {
			return false, true
		}
		if slices.Contains(t.yes, piece) {
			return true, true
		}
	}
	return false, false
}

// Affirms reports whether a normal text has a word for yes or no, or a phrase that stands for
// one of them.
func Affirms(text string) bool {
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("|·•,;:", r) }) {
		if _, ok := statement(strings.TrimSpace(piece)); ok {
			return true
		}
	}
	return slices.ContainsFunc(topics, func(t topic) bool {
		_, ok := t.says(text)
		return ok
	})
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
var negations = []string{"not ", "no ", "nicht ", "kein ", "keine ", "ohne ", "non ", "pas ", "sans ", "sin ", "without ", "niet ", "geen "}

// contradicts reports whether a line has a word for the other value and none for v, or
// denies what v affirms.
func (c *Citer) contradicts(n int, v bool) bool {
	if v {
		said := unlabelled(c.g.Line(n))
		if slices.ContainsFunc(negations, func(w string) bool { return strings.HasPrefix(said, w) }) {
			return true
		}
	}
	has := func(want bool) bool {
		for word, means := range booleans {
			if means == want && value.Holds(c.g.Line(n), word) > 0 {
				return true
			}
		}
		return false
	}
	return has(!v) && !has(v)
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
	for n := a; n <= b; n++ {
		said, ok := c.says(about, n)
		if ok && said == v {
			return false
		}
		no = no || ok
	}
	return no
}

// statesElsewhere reports whether a line of the page states the opposite of the value v
// of a field. It is then unknown which line is about the only row of the page.
func (c *Citer) statesElsewhere(f *outline.Field, v bool) bool {
	about := topicOf(f)
	if about == nil {
		return false
	}
	for n := 1; n <= len(c.g.Lines); n++ {
		if said, ok := c.says(about, n); ok && said != v {
			return true
		}
	}
	return false
}

// marks contains the texts that distinguish the values of a boolean in the rows of a
// reply, and the side of the keys on which they are.
type marks struct {
	texts [2]map[string]int // for false, for true: the number of rows with the text
	side  side
}

// side says which lines around the key of a row are its own.
type side int

// The sides. Lines between two keys belong to the row before them or to the row after
// them, but not to both.
const (
	sideBehind side = iota // from the key on
	sideBefore             // up to the key
	sideBoth
)

// beside returns the lines of row i on one side of its key.
func (c *Citer) beside(i, at int, s side) (a, b int) {
	a, b = c.block(i, at)
	switch s {
	case sideBehind:
		return at, b
	case sideBefore:
		return a, at
	}
	return a, b
}

// marked looks for a text in the lines of all rows with one value that is in no row
// with the other value: "Cash only" under each row for which the model says false, and
// under no other row. It needs several rows.
func (c *Citer) marked(i int, f *outline.Field, raw any) Found {
	none := Found{Issue: finding.IssueUnsupported}
	v, ok := truthOf(raw)
	if !ok || f.Node.Type != schema.Boolean || len(c.answer.Rows) < leastRows {
		return none
	}
	m := c.marksOf(f)
	texts := m.texts[0]
	if v {
		texts = m.texts[1]
	}
	a, b := c.beside(i, c.anchorOf(i), m.side)
	for n := a; n <= b && len(texts) > 0; n++ {
		for _, p := range c.lineTexts(n) {
			if texts[p] > 0 {
				return Found{v, [2]int{n, n}, finding.GradeDerived, "", 0}
			}
		}
	}
	return none
}

// infer returns the boolean that the model left out of row i, if the row's own lines have
// a text with which at least four other rows have one value and hardly any has the other.
func (c *Citer) infer(i int, f *outline.Field) Found {
	if f.Node.Type != schema.Boolean || i >= MaxPageRows || len(c.answer.Rows) < leastRows || len(c.g.Lines) > maxCited {
		return Found{}
	}
	c.prepare()
	at := c.anchorOf(i)
	if at == 0 {
		return Found{}
	}
	m := c.marksOf(f)
	var out Found
	a, b := c.beside(i, at, m.side)
	for n := a; n <= b; n++ {
		for _, p := range c.lineTexts(n) {
			for which := range 2 {
				if m.texts[which][p] < leastSure {
					continue
				}
				if out.Value == (which == 0) { // the lines state both values
					return Found{}
				}
				out = Found{which == 1, [2]int{n, n}, finding.GradeDerived, "", 0}
			}
		}
	}
	return out
}

// outvoted reports whether the lines of row i have a text that stands in nearly all rows
// with the other value, and none that stands in the rows with this value. The model has
// then mistaken one row. If it cites a line that does not have the key, only that line is
// looked at: other texts of the row may be there by chance, such as its author.
func (c *Citer) outvoted(i int, f *outline.Field, got Found) bool {
	v, ok := got.Value.(bool)
	if !ok || i >= MaxPageRows || len(c.answer.Rows) < leastRows || len(c.g.Lines) > maxCited {
		return false
	}
	c.prepare()
	at := c.anchorOf(i)
	if at == 0 {
		return false
	}
	m := c.marksOf(f)
	own, other := m.texts[0], m.texts[1]
	if v {
		own, other = other, own
	}
	found := false
	a, b := c.beside(i, at, m.side)
	if got.Lines[0] > at || got.Lines[1] < at {
		a, b = max(a, got.Lines[0]), min(b, got.Lines[1])
	}
	for n := a; n <= b && len(other) > 0; n++ {
		for _, p := range c.lineTexts(n) {
			if own[p] > 0 {
				return false
			}
			found = found || other[p] > 0
		}
	}
	return found
}

// marksOf returns the texts that distinguish the values of a field. It prefers a side of
// the keys on which both values have such texts, and the lines behind the keys to those
// before them. If fewer than two rows have one of the values, there are none.
func (c *Citer) marksOf(f *outline.Field) marks {
	if m, ok := c.marks[f.Name]; ok {
		return m
	}
	if c.marks == nil {
		c.marks = map[string]marks{}
	}
	var best marks
	most := 0
	for _, s := range []side{sideBehind, sideBefore, sideBoth} {
		texts := c.marksOn(f, s)
		if n := min(len(texts[0]), 1) + min(len(texts[1]), 1); n > most {
			best, most = marks{texts, s}, n
		}
	}
	c.marks[f.Name] = best
	return best
}

// marksOn is marksOf for one side of the keys. A text distinguishes a value if it is in
// four of five rows with the value, and in hardly any of the others, because a model may
// mistake some rows.
func (c *Citer) marksOn(f *outline.Field, s side) (texts [2]map[string]int) {
	var count [2]int
	var with [2]map[string]int
	with[0], with[1] = map[string]int{}, map[string]int{}
	for i := range min(len(c.answer.Rows), MaxPageRows) {
		v, ok := truthOf(c.answer.Rows[i].V[f.Name])
		at := c.anchorOf(i)
		if !ok || at == 0 {
			continue
		}
		which := 0
		if v {
			which = 1
		}
		count[which]++
		for p := range c.pieces(i, at, s) {
			with[which][p]++
		}
	}
	if count[0] < leastSide || count[1] < leastSide || count[0]+count[1] < leastRows {
		return texts
	}
	for which := range 2 {
		texts[which] = map[string]int{}
		for p, n := range with[which] {
			mistaken := n / 10
			if n >= leastSure {
				mistaken = max(mistaken, 1)
			}
			if 5*n >= 4*count[which] && with[1-which][p] <= mistaken {
				texts[which][p] = n
			}
		}
	}
	return texts
}

// pieces returns the short texts in the lines of row i on one side of its key.
func (c *Citer) pieces(i, at int, s side) map[string]bool {
	out := map[string]bool{}
	a, b := c.beside(i, at, s)
	for n := a; n <= b; n++ {
		for _, p := range c.lineTexts(n) {
			if len(out) < maxPieces {
				out[p] = true
			}
		}
	}
	return out
}

// lineTexts returns the short texts of line n, with its sentences and its parts that are
// emphasised or in brackets.
func (c *Citer) lineTexts(n int) []string {
	out := piecesOf(c.g.Line(n))
	if !strings.HasPrefix(c.g.Line(n), "|") {
		for _, s := range append(c.g.sayings(n), bracketed.FindAllString(Unlinked(c.g.Line(n)), 4)...) {
			if s = strings.TrimRight(s, " ."); s != "" && len(s) <= maxPiece {
				out = append(out, s)
			}
		}
	}
	return out
}

// piecesOf returns the short texts of a normal line: its cells with their columns if it
// is a row of a table, or else the texts between points, bars and commas.
func piecesOf(line string) []string {
	var out []string
	isRow := strings.HasPrefix(line, "|")
	split := func(r rune) bool { return r == '|' || !isRow && (r == '·' || r == '•' || r == ',' || r == ';') }
	parts := strings.FieldsFunc(line, split)
	if isRow {
		parts = strings.Split(strings.Trim(line, "| "), "|")
	}
	for k, p := range parts {
		p = strings.TrimLeft(strings.TrimSpace(p), "-*+ ")
		if p == "" || len(p) > maxPiece {
			continue
		}
		if isRow {
			p = strconv.Itoa(k) + "|" + p
		}
		out = append(out, p)
	}
	return out
}
