// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"math"
	"math/bits"
	"slices"
	"unicode"
)

// Limits of the comparison of numbers.
const (
	maxFigures = 100_000 // numbers of a source that are read; what stands in later sentences supports no number
	maxSaid    = 200     // numbers of a claim; one with more is not supported
	maxPlaces  = 100     // of one number; a number in more places belongs to many things
	maxWithin  = 2000    // clauses of one word that are compared

	farMore = 2 // times as many words, and two more, tie a number to another sentence
)

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// counted reports whether a token is a number, in digits or as a word.
func (t token) counted() bool {
	_, ok := numerals[t.text]
	return t.number || ok
}

// names reports whether one of the tokens says something that is not a unit.
func names(all []token) bool {
	return slices.ContainsFunc(all, func(t token) bool { return t.content() && !t.counted() && units[t.text] == "" })
}

// scopes splits a sentence where a negation ends: "a pool but no sauna".
func scopes(all []token) (out [][]token) {
	start := 0
	for i, t := range all {
		if turning[t.text] && i > start {
			out = append(out, all[start:i])
			start = i
		}
	}
	return append(out, all[start:])
}

// clausesOf returns the parts of a sentence that have a number each: "Standard CHF 9" and "Express
// CHF 19". It returns the indexes of their tokens. Only marks and words such as "and" with a word
// between the numbers separate parts. A part that begins with its number goes on with the start of
// the first one: "Adults pay 12 euros and 6 euros for children". A row of a table is one part.
func clausesOf(all []token, row bool) (out [][]int) {
	start, last := 0, -1
	var head []int
	add := func(end int) {
		var part []int
		if len(out) == 0 {
			for i := 0; i < end && !all[i].counted(); i++ {
				head = append(head, i)
			}
		} else if first := start + slices.IndexFunc(all[start:], token.counted); !names(all[start:first]) {
			part = slices.Clone(head)
		}
		for i := start; i < end; i++ {
			part = append(part, i)
		}
		out = append(out, part)
		start = end
	}
	for i, t := range all {
		if !t.counted() {
			continue
		}
		if !row && last >= 0 && names(all[last:i]) {
			if at := slices.IndexFunc(all[last+1:i+1], func(t token) bool { return t.cut }); at >= 0 {
				add(last + 1 + at)
			}
		}
		last = i
	}
	if last >= 0 {
		add(len(all))
	}
	return out
}

// counts reports whether the numbers of a claim stand in the text, in the same units and beside the
// words that the claim puts them to.
func (s *Source) counts(all []token, given *Source, question string) bool {
	for i := range all {
		if m := monthOf(all, i); m > 0 && !s.months[m] && len(s.numbers[float64(m)]) == 0 && (!given.months[m] || s.dated()) {
			return false
		}
	}
	return !eachFigure(all, question, func(f *figure, c *counting, own, first, asked []token) bool {
		return c.said > maxSaid || !s.count(f, c, given, own, first, asked)
	})
}

// eachFigure reports whether ok holds for one of the numbers of a claim. It gets the other words of its clause,
// of the first one, and of the question.
func eachFigure(all []token, question string, ok func(f *figure, c *counting, own, first, asked []token) bool) bool {
	var c counting
	for _, t := range all {
		c.compares = c.compares || comparing[t.text]
		c.lessens = c.lessens || lessening[t.text]
	}
	asked := tokens(question)
	var first []token
	for n, part := range clausesOf(all, false) {
		var own []token
		c.beside = nil
		for _, i := range part {
			if !all[i].counted() {
				own = append(own, all[i])
				continue
			}
			f := figureAt(all, i)
			f.dated = i > 0 && all[i-1].number || i+1 < len(all) && all[i+1].number
			c.beside = append(c.beside, f)
		}
		if n == 0 {
			first = own
		}
		for _, f := range c.beside {
			if c.said++; ok(f, &c, own, first, asked) {
				return true
			}
		}
	}
	return false
}

// counting is what a claim says besides one of its numbers.
type counting struct {
	said              int       // numbers
	beside            []*figure // in the same clause
	compares, lessens bool
}

// says reports whether the clause of the claim has a number with one of the values of f.
func (c *counting) says(f *figure) bool {
	return slices.ContainsFunc(c.beside, func(g *figure) bool {
		return slices.ContainsFunc(g.values, func(v float64) bool { return slices.Contains(f.values, v) })
	})
}

// dated reports whether the text names a month.
func (s *Source) dated() bool { return slices.Contains(s.months[1:], true) }

// count reports whether a number of a claim that stands with some words is supported.
func (s *Source) count(f *figure, c *counting, given *Source, own, first, asked []token) bool {
	places := s.places(f, c.lessens)
	switch {
	case len(places) > maxPlaces:
		return true
	case len(places) > 0:
		return !s.misfits(f, c, places, own, first, asked)
	case f.dated && slices.ContainsFunc(f.values, func(v float64) bool { return v >= 1 && v <= 12 && s.months[int(v)] }):
		return true
	case !f.weak && len(given.places(f, true)) == 0:
		return false
	case c.compares && !f.year():
		return true
	}
	return !slices.ContainsFunc(s.figures, func(g placed) bool { return f.rivals(g.figure) })
}

// misfits reports whether a number belongs to other things at all its places than in the claim.
func (s *Source) misfits(f *figure, c *counting, places []int, own, first, asked []token) bool {
	return s.mixed(f, c, places, own, false) || s.mixed(f, c, places, slices.Concat(own, first), true) ||
		len(asked) > 0 && s.mixed(f, c, places, slices.Concat(own, asked), false)
}

// places returns the indexes of the numbers of the text that f may be.
func (s *Source) places(f *figure, lessens bool) (out []int) {
	add := func(v float64, plain bool) {
		for _, i := range s.numbers[math.Abs(v)] {
			g := s.figures[i]
			signed := lessens || s.lessened || slices.Contains(g.values, v)
			if signed && f.agree(g.figure) && (!plain || g.scale == 0) && !slices.Contains(out, i) && len(out) <= maxPlaces {
				out = append(out, i)
			}
		}
	}
	for _, v := range f.values {
		add(v, false)
		if f.scale > 0 && s.scales[f.scale] { // the head of a column says "in millions"
			add(v/math.Pow10(f.scale), true)
		}
	}
	return out
}

// mixed reports whether a number belongs to other things in the text than in a claim that has it
// beside some words: each place of the number names something else, and another number of the same
// kind stands with more of these words. If the clauses are joined, each also has the words of the first
// one of its sentence: "Express costs CHF 19 and takes 2 days".
func (s *Source) mixed(f *figure, c *counting, places []int, beside []token, joined bool) bool {
	masks := map[int]uint64{}
	var pure uint64 // the words that are not units
	n := 0
	seen := map[string]bool{}
	for _, t := range beside {
		word, ok := s.find(t.text)
		if !ok || seen[word] || n == 64 || !t.content() && units[word] == "" {
			continue
		}
		seen[word] = true
		within := s.within[word]
		for _, at := range within[:min(len(within), maxWithin)] {
			masks[at] |= 1 << n
		}
		if units[word] == "" {
			pure |= 1 << n
		}
		n++
	}
	if joined {
		own := masks
		masks = map[int]uint64{}
		for at := range s.clauses {
			if m := own[at] | own[s.clauses[at].first]; m != 0 {
				masks[at] = m
			}
		}
	}
	return !slices.ContainsFunc(places, func(i int) bool {
		return !s.misplaced(f, c, i) && !s.dominated(c, i, masks, pure, joined)
	})
}

// misplaced reports whether a place of f has other words beside it, and another number has those of f,
// in the same clause, or anywhere if this clause does not have them: "300 employees since 1999" is not
// "1999 employees".
func (s *Source) misplaced(f *figure, c *counting, i int) bool {
	g := s.figures[i]
	if f.beside(g.figure) {
		return false
	}
	within := s.within[f.after]
	if slices.Contains(within, g.clause) {
		within = []int{g.clause}
	}
	for _, at := range slices.Concat(within, []int{g.clause}) {
		for _, other := range s.clauses[at].figures {
			if h := s.figures[other].figure; f.beside(h) && !c.says(h) {
				return true
			}
		}
	}
	return false
}

// dominated reports whether a clause with another number fits the claim clearly better than the clause
// of number i. Such a clause has all words of the claim that the clause of number i has, and others of the claim
// too, or it stands in another sentence and has far more of them.
func (s *Source) dominated(c *counting, i int, masks map[int]uint64, pure uint64, joined bool) bool {
	g := s.figures[i]
	own := s.clauses[g.clause]
	mask := masks[g.clause]
	if joined && own.first != g.clause {
		own.words += s.clauses[own.first].words
	}
	if own.words <= bits.OnesCount64(mask&pure) {
		return false // it names nothing else
	}
	for at, m := range masks {
		other := s.clauses[at]
		alike := mask != 0 || other.sentence == own.sentence || other.row && own.row
		all := alike && m&mask == mask && m&pure&^mask != 0
		near := max(other.sentence-own.sentence, own.sentence-other.sentence) < 2
		if !all && (near || bits.OnesCount64(m&pure) < farMore*(1+bits.OnesCount64(mask&pure))) {
			continue
		}
		if slices.ContainsFunc(other.figures, func(j int) bool {
			h := s.figures[j].figure
			return (!all || h.unit == g.unit && h.year() == g.year()) && !c.says(h)
		}) {
			return true
		}
	}
	return false
}
