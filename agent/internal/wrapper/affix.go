// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Limits of the search for values within texts.
const (
	maxAround = 160  // bytes of a text
	maxWithin = 4    // words of a value within a text
	maxWords  = 12   // words of a text within a text
	maxTried  = 2000 // parts of texts that are tried for a field
	leastName = 4    // bytes of a word after which a field is called
)

// affix is what stands around the value within the text of an element, on all pages of a
// template: " / 5" after a rating. If other values stand in the text too, it is what stands
// between them, and it must stand there as often as on the pages that taught it.
type affix struct {
	before, after  string
	place, befores int    // the value stands behind this one of so many; zero: before is the beginning of the text
	afters         int    // of what follows the value; zero: after is the end of the text
	tail           string // of a number: what follows it in its clause, because a unit may stand there
	lang           string // of the tail
	scaled         bool   // the tail may be a scale, such as "/ 5"
	separator      string // of a list: what stands between its items
	signs          string // within its items
	words          int    // of its longest item
	split          *split // of what stands there; nil if all of it is the value
}

// cut returns the value that stands between the two parts of the affix, or false if they do not
// stand around it.
func (a *affix) cut(text string) (string, bool) {
	inner, ok := a.part(text)
	if ok && a.split != nil {
		inner, _, ok = a.split.divide(inner)
	}
	return inner, ok
}

// part returns the text between the two parts of the affix, or false if they do not stand around
// it.
func (a *affix) part(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, a.before)
	if a.place > 0 {
		rest, ok = text, strings.Count(text, a.before) == a.befores
		for range a.place {
			_, rest, _ = strings.Cut(rest, a.before)
		}
	}
	if !ok {
		return "", false
	}
	if a.afters == 0 {
		return strings.CutSuffix(rest, a.after)
	}
	if strings.Count(rest, a.after) != a.afters {
		return "", false
	}
	inner, _, _ := strings.Cut(rest, a.after)
	return inner, inner != "" && (a.tail == "" || sameTail(a.tailOf(rest[len(inner):]), a.tail))
}

// Ends of a clause, and figures within one.
var (
	clauseEnd  = regexp.MustCompile(`[,;()|·•]|[.:] `)
	figures    = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*`)
	numberNext = regexp.MustCompile(`^\s+[-+]?[0-9]`)
	ratio      = regexp.MustCompile(`^\s*/\s*[0-9]+(?:[.,][0-9]+)*`)
)

// tailOf returns what follows a number in its clause, with other numbers left open, also those in
// words and the lack of something. The number behind a stroke is kept, unless it is known not to be
// the scale.
func (a *affix) tailOf(rest string) string {
	if a.scaled && ratio.MatchString(rest) {
		return rest
	}
	clause := rest
	if at := clauseEnd.FindStringIndex(figures.ReplaceAllStringFunc(rest, func(s string) string { return strings.Repeat("0", len(s)) })); at != nil {
		clause = rest[:at[1]]
	}
	said, _ := value.Spoken(value.Normal(clause), a.lang, nil)
	words := strings.Fields(figures.ReplaceAllString(said, "0"))
	for i, w := range words {
		if value.Denies(w) {
			words[i] = "0"
		}
	}
	return strings.Join(words, " ")
}

// sameTail reports whether two tails have the same words, except for endings: "in 0 bedrooms" and
// "in 0 bedroom".
func sameTail(a, b string) bool {
	const least, ending = 4, 2 // bytes
	return slices.EqualFunc(strings.Fields(a), strings.Fields(b), func(a, b string) bool {
		a, b = strings.TrimRight(a, ".,;:)"), strings.TrimRight(b, ".,;:)")
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		return a == b || plural(a, b) || plural(b, a) || n >= least && max(len(a), len(b))-n <= ending
	})
}

// plural reports whether the second word is the English plural of the first one.
func plural(a, b string) bool {
	stem, y := strings.CutSuffix(a, "y")
	return a+"s" == b || y && stem+"ies" == b
}

// span is where a value stands in a text.
type span struct {
	text     string
	from, to int
}

func (s span) before() string { return s.text[:s.from] }
func (s span) after() string  { return s.text[s.to:] }

// spans returns where a value stands in a text that contains more than the value. A long one has a word more
// than it needs. tried counts the parts of texts that were tried.
func spans(p *grounding.Page, f *outline.Field, text string, want any, long bool, tried *int) []span {
	if len(text) > maxAround {
		return nil
	}
	most := maxWithin
	if _, ok := want.(string); ok && outline.KindOf(f.Node) == "string" {
		most = maxWords
	}
	var out []span
	starts, ends := borders(text)
	for _, i := range starts {
		words, short := 0, long
		for _, j := range ends {
			if j <= i || i == 0 && j == len(text) {
				continue
			}
			if words++; words > most || *tried == maxTried {
				break
			}
			*tried++
			if statesValue(p, f, text[i:j], want) {
				out = append(out, span{text, i, j})
				if !short {
					break
				}
				short = false
			}
		}
	}
	return out
}

// between returns what stands around the value on all seeds that have one, within the texts
// that a rule selects: as much as they have in common, and only the signs beside the value. Numbers of
// which some are in words may have another word behind them, "twice" and "three times", and so may those
// with a unit: "80 grader" and "70 °C".
func (r *rule) between(f *outline.Field, having []Seed, known map[string][]span, tried *int) []affix {
	for _, long := range []bool{false, true} {
		all, worded := r.spansOf(f, having, long, known, tried)
		if out := around(f, all, having); len(out) > 0 || !worded && !measured(f) {
			return out
		}
	}
	return nil
}

// measured reports whether a field wants its numbers in a unit.
func measured(f *outline.Field) bool {
	_, unit := f.Wants()
	return unit != value.Unit{}
}

// spansOf returns where the value stands in the text that a rule selects on each seed, and whether one of them may
// have it in words. If one has no such place, it returns nothing.
func (r *rule) spansOf(f *outline.Field, having []Seed, long bool, known map[string][]span, tried *int) (all [][]span, worded bool) {
	for _, s := range having {
		text, count := r.only(s.Page)
		if count != 1 {
			return nil, false
		}
		key := s.Page.Rec.ID + "\x00" + text
		if long {
			key = s.Page.Rec.ID + "\x01" + text
		}
		found, ok := known[key]
		if !ok {
			if want := s.Row[f.Name].Value; mayContain(s.Page, f, text, want) {
				found = spans(s.Page, f, text, want, long, tried)
			}
			known[key] = found
		}
		if len(found) == 0 {
			return nil, false
		}
		_, number := s.Row[f.Name].Value.(float64)
		worded = worded || number && !slices.ContainsFunc(found, func(s span) bool { return figured(s.text[s.from:s.to]) })
		all = append(all, found)
	}
	return all, worded
}

// around returns what stands around one place of the value on each of the seeds.
func around(f *outline.Field, all [][]span, having []Seed) []affix {
	if len(all) == 0 {
		return nil
	}
	var out []affix
	for _, first := range all[0] {
		chosen := []span{first}
		for _, others := range all[1:] {
			best, most := others[0], -1
			for _, s := range others {
				if n := len(commonSuffix([]span{first, s})) + len(commonPrefix([]span{first, s})); n > most {
					best, most = s, n
				}
			}
			chosen = append(chosen, best)
		}
		before, after := commonSuffix(chosen), commonPrefix(chosen)
		for _, a := range []affix{{before: before, after: after}, {before: signsAtEnd(before), after: signsAtStart(after)}} {
			if a.learn(f, chosen, having) && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
		for _, wide := range [][]span{widened(f, chosen, having, false), widened(f, chosen, having, true)} {
			if len(wide) == 0 || len(out) > 0 {
				continue
			}
			if a := (affix{before: commonSuffix(wide), after: commonPrefix(wide)}); a.learn(f, wide, having) {
				out = append(out, a)
			}
		}
		if a, ok := divided(f, chosen, having); ok && len(out) == 0 {
			out = append(out, a)
		}
	}
	return out
}

// widened returns places that contain a number and the rest of its clause: "24 hours". If whole is true, they
// contain the whole clause: "part-time at 18 hours". If one of them cannot be read as a value, it returns nothing.
func widened(f *outline.Field, all []span, having []Seed, whole bool) []span {
	kind := outline.KindOf(f.Node)
	if kind != "number" && kind != "integer" {
		return nil
	}
	var out []span
	for i, s := range all {
		c := s.clause()
		if !whole {
			c.from = s.from
		}
		if !statesValue(having[i].Page, f, c.text[c.from:c.to], having[i].Row[f.Name].Value) {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// learn completes an affix with how often its parts stand in the texts of the seeds. It returns
// false if they do not mark the value.
func (a *affix) learn(f *outline.Field, all []span, having []Seed) bool {
	whole := func(part func(s span) string, want string) bool {
		return !slices.ContainsFunc(all, func(s span) bool { return part(s) != want })
	}
	if !whole(span.before, a.before) {
		if a.before == "" {
			return false
		}
		a.place, a.befores = strings.Count(all[0].before(), a.before), strings.Count(all[0].text, a.before)
	}
	if !whole(span.after, a.after) {
		if a.after == "" {
			return false
		}
		a.afters = strings.Count(all[0].after(), a.after)
		if kind := outline.KindOf(f.Node); kind == "number" || kind == "integer" {
			a.lang, a.scaled = having[0].Page.Rec.Lang, !beside(f, all, having)
			if a.tail = a.tailOf(all[0].after()); unitless(f, all, a.after) {
				a.tail = ""
			}
		}
	}
	return !slices.ContainsFunc(all, func(s span) bool {
		inner, ok := a.cut(s.text)
		return !ok || inner != s.text[s.from:s.to]
	})
}

// unitless reports whether no unit of a number can stand behind what follows it on all seeds: the field
// is called after a word there, as in "12 beds in 3 rooms", or the values end with units of their own
// and another number comes next, as in "59.1°S 30.4°W".
func unitless(f *outline.Field, all []span, after string) bool {
	words := value.Words(value.Normal(after))
	if len(words) > 0 && len(words[0]) >= leastName && value.ShareStem(canons(words[:1]), canons(f.Words())) {
		return true
	}
	return strings.TrimSpace(after) == "" && !slices.ContainsFunc(all, func(s span) bool {
		last, _ := utf8.DecodeLastRuneInString(s.text[:s.to])
		return unicode.IsDigit(last) || !numberNext.MatchString(s.after())
	})
}

// beside reports whether the number behind the stroke after a value is the value of another field on
// all seeds, as in "63/91 (kW/hp)".
func beside(f *outline.Field, all []span, having []Seed) bool {
	for i, s := range all {
		text := strings.TrimLeft(ratio.FindString(s.after()), "/ ")
		other := false
		for name, c := range having[i].Row {
			v, number := c.Value.(float64)
			other = other || number && name != f.Name && text == strconv.FormatFloat(v, 'f', -1, 64)
		}
		if !other {
			return false
		}
	}
	return true
}

// commonSuffix returns with what the texts before the values end, from the beginning of a word.
func commonSuffix(all []span) string {
	out := all[0].before()
	for _, s := range all[1:] {
		b := s.before()
		n := 0
		for n < min(len(out), len(b)) && out[len(out)-1-n] == b[len(b)-1-n] {
			n++
		}
		out = out[len(out)-n:]
	}
	for out != "" {
		first, size := utf8.DecodeRuneInString(out)
		inside := func(s span) bool {
			last, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(s.before(), out))
			return value.WordRune(last)
		}
		if first != utf8.RuneError && (!value.WordRune(first) || !slices.ContainsFunc(all, inside)) {
			break
		}
		out = out[size:]
	}
	return out
}

// commonPrefix returns with what the texts after the values begin, to the end of a word.
func commonPrefix(all []span) string {
	out := all[0].after()
	for _, s := range all[1:] {
		b := s.after()
		n := 0
		for n < min(len(out), len(b)) && out[n] == b[n] {
			n++
		}
		out = out[:n]
	}
	for out != "" {
		last, size := utf8.DecodeLastRuneInString(out)
		inside := func(s span) bool {
			first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s.after(), out))
			return value.WordRune(first)
		}
		if last != utf8.RuneError && (!value.WordRune(last) || !slices.ContainsFunc(all, inside)) {
			break
		}
		out = out[:len(out)-size]
	}
	return out
}

// dividing are the signs that separate what is beside them.
const dividing = ",;.:()[]|·•×–—"

// signsAtEnd returns the end of a text from its last sign that separates, or the whole text if
// it has none.
func signsAtEnd(s string) string {
	i := strings.LastIndexAny(s, dividing)
	if i < 0 {
		return s
	}
	return s[strings.LastIndexFunc(s[:i], func(r rune) bool { return value.WordRune(r) || unicode.IsSpace(r) })+1:]
}

// signsAtStart returns the beginning of a text to its first sign that separates, or the whole
// text if it has none.
func signsAtStart(s string) string {
	i := strings.IndexAny(s, dividing)
	if i < 0 {
		return s
	}
	if n := strings.IndexFunc(s[i:], value.WordRune); n >= 0 {
		return s[:i+n]
	}
	return s
}

// borders returns the places of a text at which a value may begin, and at which it may end:
// the ends of words, and those of what a sign such as a stroke or a bracket separates.
func borders(text string) (starts, ends []int) {
	divides := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/()[]|·•×:;–—", r) }
	before := ' '
	for i, r := range text {
		if divides(before) && !divides(r) {
			starts = append(starts, i)
		}
		if !divides(before) && (divides(r) || (r == ',' || r == '.') && endsWord(text[i+1:])) {
			ends = append(ends, i)
		}
		before = r
	}
	if last, _ := utf8.DecodeLastRuneInString(text); text != "" && !divides(last) {
		ends = append(ends, len(text))
	}
	return starts, ends
}

// endsWord reports whether a comma or a full stop before rest ends a word.
func endsWord(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r)
}

// read returns the value of a text that the rule has selected, or nil if it has none.
func (r *rule) read(p *grounding.Page, f *outline.Field, text string) any {
	inner, ok := r.cut(text)
	if !ok {
		return nil
	}
	if isTexts(f) {
		return r.items(inner)
	}
	return alone(p, f, inner)
}

// states reports whether a text that the rule has selected contains a value of the field
// where the rule expects it.
func (r *rule) states(p *grounding.Page, f *outline.Field, text string, want any) bool {
	inner, ok := r.cut(text)
	if ok && isTexts(f) {
		return sameTexts(r.items(inner), want)
	}
	return ok && statesValue(p, f, inner, want)
}

// mayContain reports whether a text can contain a value of the field besides other words.
func mayContain(p *grounding.Page, f *outline.Field, text string, want any) bool {
	switch outline.KindOf(f.Node) {
	case "number", "integer", "date":
		if _, said := spoken(p, f, text); said || figured(text) || f.Mentions(value.Normal(text)) {
			return true
		}
		return value.Agree(want, 0.0) && slices.ContainsFunc(value.Words(value.Normal(text)), value.Denies)
	case "string":
		w, _ := want.(string)
		return w != "" && value.Holds(value.Normal(text), value.Normal(w)) > 0
	}
	return false
}
