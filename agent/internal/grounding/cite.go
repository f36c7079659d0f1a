// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/schema"
)

// Limits for the search for lines that a reply does not cite.
const (
	maxAnchors = 8    // lines with the key of one row
	maxCited   = 3000 // lines of a page
	maxBlock   = 24   // lines after a key that may belong to its row
	maxNamed   = 8    // words of a name
	maxAsked   = 100  // words of a question in which names are looked for
	leastName  = 6    // characters of a name that is a single word
	leastStem  = 5    // bytes that two forms of a word have in common
	maxEnding  = 3    // bytes of their endings
)

// Citer finds the lines of values that a reply cites wrongly or not at all. It searches
// only the lines of the value's own row: the line of its key and those around it, up to
// the keys of other rows. For the only row of a detail page, it searches the whole
// page.
type Citer struct {
	g      *Ground
	t      *outline.Table
	answer protocol.ExtractReply
	styles map[string]Style
	keys   [][]int          // lines that may contain the key of each row
	anchor []int            // the line that was chosen from them; -1 if none was chosen yet, zero if there is none
	marks  map[string]marks // texts that distinguish the values of a boolean field, by field

	question string // its names say what a record is about
	named    int    // the line with such a name; -1 if it was not looked for yet, zero if there is none
}

// Citer returns the citer of a reply to a question.
func (g *Ground) Citer(t *outline.Table, answer protocol.ExtractReply, styles map[string]Style, question string) *Citer {
	return &Citer{g: g, t: t, answer: answer, styles: styles, question: question, named: -1}
}

// prepare finds the lines of all keys.
func (c *Citer) prepare() {
	if c.anchor != nil {
		return
	}
	n := min(len(c.answer.Rows), MaxPageRows)
	c.keys, c.anchor = make([][]int, n), make([]int, n)
	for i := range n {
		c.anchor[i] = -1
		if len(c.t.Keys) == 0 || len(c.g.Lines) > maxCited {
			continue
		}
		key := value.Normal(PlainText(value.ScalarText(c.answer.Rows[i].V[c.t.Keys[0]])))
		for n := 1; n <= len(c.g.Lines) && key != "" && len(c.keys[i]) < maxAnchors; n++ {
			if value.Holds(Unlinked(c.g.Line(n)), key) > 0 {
				c.keys[i] = append(c.keys[i], n)
			}
		}
	}
	c.ownKeys()
}

// ownKeys removes from the lines of each key those that contain the longer key of another row:
// "Potato salad with bacon" is not about "Potato salad". A row keeps at least one line.
func (c *Citer) ownKeys() {
	rows := map[int][]int{} // by line
	for i, all := range c.keys {
		for _, n := range all {
			if len(rows[n]) < maxAnchors {
				rows[n] = append(rows[n], i)
			}
		}
	}
	key := func(i int) string {
		return value.Normal(PlainText(value.ScalarText(c.answer.Rows[i].V[c.t.Keys[0]])))
	}
	for i, all := range c.keys {
		if len(all) < 2 {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(all), func(n int) bool {
			return slices.ContainsFunc(rows[n], func(k int) bool { return k != i && len(key(k)) > len(key(i)) && value.Holds(key(k), key(i)) > 0 })
		})
		if len(own) > 0 {
			c.keys[i] = own
		}
	}
}

// Check looks for a value of row i where the reply cites it, and then in the row's own
// lines. A boolean that the reply leaves out may be inferred.
func (c *Citer) Check(i int, f *outline.Field, raw any) Found {
	if raw == nil || raw == "" {
		return c.infer(i, f)
	}
	raw = spoken(f, raw)
	got := c.g.Check(f, raw, c.answer.Rows[i].Ln[f.Name], c.styles[f.Name])
	if f.Prose && !c.answers(&got) {
		return Found{Issue: finding.IssueUnsupported, Lines: got.Lines}
	}
	if f.Node.Type == schema.Boolean && got.Value != nil && (c.denied(i, f, got) || c.outvoted(i, f, got)) {
		return Found{Issue: finding.IssueUnsupported, Lines: got.Lines}
	}
	if got.Value == nil && got.Issue == finding.IssueUnsupported { // the cited line or the value is wrong
		if own := c.Find(i, f, raw); own.Value != nil {
			return own
		}
	}
	return got
}

// answers reports whether the lines of a short text that the model wrote support it as an answer to
// the question. A longer text is checked sentence by sentence before.
func (c *Citer) answers(got *Found) bool {
	text, ok := got.Value.(string)
	if !ok || !class(text) {
		return true
	}
	cited := got.Grade != finding.GradeDerived || claims.NewSource(Unlinked(c.g.Text(got.Lines[0], got.Lines[1]))).Answers(text, c.question)
	return cited && !c.g.stated().Misplaces(text, c.question)
}

// Find looks for a value of row i in the row's own lines. If it is not there, the
// result has no value.
func (c *Citer) Find(i int, f *outline.Field, raw any) Found {
	none := Found{Issue: finding.IssueUnsupported}
	if i >= MaxPageRows || len(c.g.Lines) > maxCited {
		return none
	}
	c.prepare()
	at := c.anchorOf(i)
	if at > 0 {
		a, b := c.block(i, at)
		if f.Node.Type == schema.Boolean {
			a, b = c.own(i, at, topicOf(f))
		}
		for _, part := range [][2]int{{at, b}, {a, at}} {
			if got := c.check(f, raw, part[0], part[1]); got.Value != nil {
				return got
			}
		}
		if got := c.marked(i, f, raw); got.Value != nil {
			return got
		}
		if got := c.headed(f, raw, at); got.Value != nil {
			return got
		}
	}
	if len(c.answer.Rows) != 1 {
		return none
	}
	return c.onPage(f, raw)
}

// headed looks for a text in the heading of the section that line at is in, and in those
// of the sections around it.
func (c *Citer) headed(f *outline.Field, raw any, at int) Found {
	if f.Node.Type != schema.String {
		return Found{Issue: finding.IssueUnsupported}
	}
	level := 7
	for n := at - 1; n > 0 && level > 1; n-- {
		above := headingLevel(c.g.Lines[n-1])
		if above == 0 || above >= level {
			continue
		}
		level = above
		if got := c.check(f, raw, n, n); got.Value != nil {
			return got
		}
	}
	return Found{Issue: finding.IssueUnsupported}
}

// anchorOf returns the line that states the key of row i. If several lines state it,
// anchorOf returns the one with the most values of the row near it. If none does, it
// returns zero.
func (c *Citer) anchorOf(i int) int {
	if c.anchor[i] >= 0 {
		return c.anchor[i]
	}
	c.anchor[i] = 0
	best := -1
	for _, at := range c.keys[i] {
		score := 0
		if len(c.keys[i]) > 1 {
			a, b := c.block(i, at)
			for _, f := range c.t.Fields {
				raw, ok := c.answer.Rows[i].V[f.Name]
				if ok && raw != nil && f.Name != c.t.Keys[0] && c.check(f, raw, a, b).Value != nil {
					score++
				}
			}
		}
		if score > best {
			best, c.anchor[i] = score, at
		}
	}
	return c.anchor[i]
}

// block returns the lines around the key of row i up to the keys of other rows, and up to
// the end of the section that the key is in.
func (c *Citer) block(i, at int) (a, b int) {
	a, b = max(at-MaxSpan, 1), c.sectionEnd(at, min(at+maxBlock, len(c.g.Lines)))
	for k, all := range c.keys {
		if k == i {
			continue
		}
		for _, n := range all {
			switch {
			case n < at:
				a = max(a, n+1)
			case n > at:
				b = min(b, n-1)
			}
		}
	}
	return a, b
}

// sectionEnd returns the last of the lines at to b that is in the section of line at. Before
// the first heading of a page there is none, and sectionEnd returns b.
func (c *Citer) sectionEnd(at, b int) int {
	level := 0
	for n := at; n > 0 && level == 0; n-- {
		level = headingLevel(c.g.Lines[n-1])
	}
	for n := at + 1; n <= b; n++ {
		if l := headingLevel(c.g.Lines[n-1]); l > 0 && l <= level {
			return n - 1
		}
	}
	return b
}

// headingLevel returns the level of a heading in Markdown, or zero for other lines.
func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || !strings.HasPrefix(line[level:], " ") {
		return 0
	}
	return level
}

// check looks for a value only in lines a to b. A value that is concluded from lines
// needs the words of the field's name there.
func (c *Citer) check(f *outline.Field, raw any, a, b int) Found {
	if f.Node.Type == schema.Boolean {
		return c.checkBoolean(f, raw, a, b)
	}
	got := Found{Issue: finding.IssueUnsupported}
	for ; a <= b && got.Value == nil; a += MaxSpan + 1 {
		got = c.checkLines(f, raw, a, min(a+MaxSpan, b))
		if got.Grade == finding.GradeDerived {
			got = Found{Issue: finding.IssueUnsupported}
		}
	}
	return got
}

// checkLines looks for a value in lines a to b, as if they were a page.
func (c *Citer) checkLines(f *outline.Field, raw any, a, b int) Found {
	part := c.g.Part(a, b)
	got := part.Check(f, raw, []int{1, b - a + 1}, c.styles[f.Name])
	if got.Value != nil {
		got.Lines[0] += a - 1
		got.Lines[1] += a - 1
	}
	return got
}

// onPage looks for a value of the only row of a page: in a line with the name of the
// field, or in the only line of the page that states it.
func (c *Citer) onPage(f *outline.Field, raw any) Found {
	if v, ok := truthOf(raw); ok && f.Node.Type == schema.Boolean {
		if c.statesElsewhere(f, v) {
			return Found{Issue: finding.IssueUnsupported}
		}
	}
	only, near, count := Found{Issue: finding.IssueUnsupported}, Found{}, 0
	for n := 1; n <= len(c.g.Lines); n++ {
		if strings.TrimSpace(c.g.Lines[n-1]) == "" {
			continue
		}
		got := c.check(f, raw, n, n)
		if got.Value == nil {
			continue
		}
		if names(c.g.Line(n), f.Name) {
			return got
		}
		if count++; count == 1 {
			only = got
		}
		if at := c.nameLine(); near.Value == nil && at > 0 && n >= at && n <= at+2*MaxSpan {
			near = got
		}
	}
	if count > 1 && near.Value != nil {
		return near
	}
	if count == 1 {
		return only
	}
	if v, ok := truthOf(raw); ok && count == 0 && f.Node.Type == schema.Boolean {
		return c.stated(f, v)
	}
	return Found{Issue: finding.IssueUnsupported}
}

// nameLine returns the only line of the page with the longest name that also occurs in
// the question of a record. If there is none, it returns zero. A name consists of
// several consecutive words, or is written like a name.
func (c *Citer) nameLine() int {
	if c.named >= 0 || !c.t.Record() {
		return max(c.named, 0)
	}
	c.named = 0
	var words, written []string
	for w := range strings.FieldsSeq(c.question) {
		w = strings.Trim(w, ".,;:!?()\"'¿¡")
		if n := value.Normal(w); n != "" && len(words) < maxAsked {
			words, written = append(words, n), append(written, w)
		}
	}
	for size := min(maxNamed, len(words)); size > 0 && c.named == 0; size-- {
		for i := 0; i+size <= len(words) && c.named == 0; i++ {
			first, _ := utf8.DecodeRuneInString(written[i])
			name := strings.Join(words[i:i+size], " ")
			if !unicode.IsUpper(first) && !unicode.IsDigit(first) || size == 1 && (i == 0 || len(name) < leastName) {
				continue
			}
			c.named = c.onlyLine(name)
		}
	}
	return c.named
}

// onlyLine returns the only line that contains a text, or the only one that has no other text:
// "Statistics II" beside "Statistics II for Engineers". If there is none, it returns zero.
func (c *Citer) onlyLine(text string) int {
	holding, whole := 0, 0 // lines
	at, own := 0, 0        // the last of them
	for n := 1; n <= len(c.g.Lines); n++ {
		line := Unlinked(c.g.Line(n))
		if value.Holds(line, text) == 0 {
			continue
		}
		holding, at = holding+1, n
		if bareTail(strings.TrimLeft(line, "# ")) == text {
			whole, own = whole+1, n
		}
	}
	switch {
	case holding == 1:
		return at
	case whole == 1:
		return own
	}
	return 0
}

// names reports whether a normal line contains all words of a field's name, or words
// with the same stem, such as recorded and recording.
func names(line, field string) bool {
	words := strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		word = strings.ToLower(word)
		return word != "is" && word != "has" && value.Holds(line, word) == 0 && !slices.ContainsFunc(value.Words(line), func(w string) bool { return cognate(w, word) })
	})
}

// cognate reports whether two words are equal except for an ending.
func cognate(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= leastStem && max(len(a), len(b))-n <= maxEnding
}
