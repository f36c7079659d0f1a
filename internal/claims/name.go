// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"maps"
	"slices"
	"strings"
)

// Limits of the comparison of names.
const (
	maxLines  = 50_000 // sentences of a source; names in later ones belong to anything
	maxNames  = 40     // of a claim; one with more lists things, and is not compared
	maxRun    = 8      // words of a name; a longer run is a title
	maxAbout  = 40     // sentences behind a name that may go on about it
	maxOwned  = 4000   // sentences about a name; the page is about one with more as a whole
	maxTold   = 500    // sentences that have a word; one in more tells nothing apart
	maxTied   = 64     // words of a part of a claim
	leastTied = 2      // words of a claim that tie it to a sentence about something else
	roleWords = 2      // words that one for a role counts for
	manyNouns = 4      // where more than one word of so many has a capital letter, nouns have them
)

// line is a sentence of a source as far as it is about somebody or something.
type line struct {
	level int  // of a heading, or 0
	named bool // it contains a name
	owned bool // it contains a name, or one stands before it
	goes  bool // it begins with a pronoun, so that it goes on about what stands before it
	row   bool // it is one of a table
}

// name is a run of words with capital letters in a claim.
type name struct {
	words []string
	at    int          // its first token
	lines map[int]bool // of the source that contain it
	owns  map[int]bool // that may be about it; empty if nothing is known, or all may be
}

// namesIn returns the names of a sentence: runs of two and more words with capital letters, and, unless nouns
// have them too, single such words within it.
func namesIn(all []token, nouns bool) (out []name) {
	for i := 0; i < len(all); {
		n := name{at: i}
		for j := i; j < len(all) && all[j].capital && all[j].content() && units[all[j].text] == "" && (j == i || !all[j].cut); j++ {
			n.words = append(n.words, all[j].text)
		}
		if len(n.words) > 1 || len(n.words) == 1 && i > 0 && !nouns {
			out = append(out, n)
		}
		i += max(len(n.words), 1)
	}
	return out
}

// readNames adds a sentence to those whose names are compared.
func (s *Source) readNames(sentence string, all []token) {
	at := len(s.lines)
	if at == maxLines {
		return
	}
	add := func(word string) {
		if own := s.mentions[word]; word != "" && (len(own) == 0 || own[len(own)-1] != at) {
			s.mentions[word] = append(own, at)
		}
	}
	for i, t := range all {
		if !t.content() {
			continue
		}
		add(t.text)
		add(roles[t.text])
		if i > 0 && !t.cut {
			s.inner++
			if t.capital {
				s.capitals++
			}
		}
	}
	level, named := len(sentence)-len(strings.TrimLeft(sentence, "#")), len(namesIn(all, false)) > 0
	s.lines = append(s.lines, line{level, named, named || at > 0 && s.lines[at-1].owned, len(all) > 0 && pronouns[all[0].text], strings.HasPrefix(sentence, "|")})
}

// place finds the lines of a name, and those that may be about it: these, the ones around them without a name,
// those below a heading with it, and those of a table whose first row has it. If no line has the whole name, its
// last word stands for it. If these are too many, the text as a whole is about the name, and owns is nil.
func (s *Source) place(n *name) {
	n.lines, n.owns = map[int]bool{}, map[int]bool{}
	if len(n.words) > maxRun {
		return
	}
	rarest := slices.MinFunc(n.words, func(a, b string) int { return len(s.mentions[a]) - len(s.mentions[b]) })
	for _, at := range s.mentions[rarest][:min(len(s.mentions[rarest]), maxOwned)] {
		if !slices.ContainsFunc(n.words, func(w string) bool { return !has(s.mentions[w], at) }) {
			n.lines[at] = true
		}
	}
	if last := s.mentions[n.words[len(n.words)-1]]; len(n.lines) == 0 {
		for _, at := range last[:min(len(last), maxOwned)] {
			n.lines[at] = true
		}
	}
	steps := 0
	for at := range n.lines {
		for i := at - 1; i >= max(0, at-maxAbout) && !s.lines[i].named && !s.lines[i].goes && s.lines[i+1].level == 0; i-- {
			n.owns[i] = true
		}
		level := s.lines[at].level
		for i := at; i < len(s.lines) && (level > 0 || i < at+maxAbout); i++ {
			own := s.lines[i]
			ends := own.named || own.level > 0
			if level > 0 {
				ends = own.level > 0 && own.level <= level
			}
			if ends && i > at && (!own.row || !s.heads(at, i)) {
				break
			}
			if steps++; steps > maxOwned {
				n.owns = nil
				return
			}
			n.owns[i] = true
		}
	}
}

// has reports whether sorted numbers have one of them.
func has(all []int, n int) bool {
	_, ok := slices.BinarySearch(all, n)
	return ok
}

// heads reports whether line at is the first row of the table that line i is a row of. All lines between them
// are known to belong to line at.
func (s *Source) heads(at, i int) bool {
	return s.lines[at].row && s.lines[i-1].row && (at == 0 || !s.lines[at-1].row)
}

// misnames reports whether a name of a claim belongs to other things in the text. It compares the words of the
// claim part by part, as commas and words such as "and" divide it. A part without a name is about those of the part
// before it. The name is wrong if one sentence that is not about it has more of these words than all sentences about
// it together. Parts that deny or compare something are not compared. A summary may join what the source says of
// several names if two of them stand in one sentence.
func (s *Source) misnames(all []token, question string) bool {
	found := namesIn(all, manyNouns*s.capitals > s.inner)
	if len(found) == 0 || len(found) > maxNames {
		return false
	}
	for i := range found {
		s.place(&found[i])
	}
	if question == "" {
		found = joined(found)
	}
	if n := found[0]; len(found) == 1 && !untied(all) && s.tied(n.owns, slices.Concat(all[:n.at], all[n.at+len(n.words):], tokens(question))) {
		return true
	}
	last := found[:1]
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && !all[end].cut {
			end++
		}
		var here []name
		for _, n := range found {
			if n.at >= start && n.at < end {
				here = append(here, n)
			}
		}
		if len(here) > 0 {
			last = here
		}
		for _, n := range last {
			if untied(all[start:end]) {
				break
			}
			about := all[start:end]
			if n.at >= start && n.at < end {
				about = slices.Concat(all[start:n.at], all[n.at+len(n.words):end])
			}
			if s.tied(n.owns, about) {
				return true
			}
		}
		start = end
	}
	return false
}

// untied reports whether words say something of a name that no sentence about it need have, because they deny or
// compare something.
func untied(all []token) bool {
	return slices.ContainsFunc(all, func(t token) bool { return negates(t.text) || t.text == "than" })
}

// joined returns names of which each also owns the lines about those that stand in one line with it.
func joined(found []name) []name {
	out := slices.Clone(found)
	for i := range out {
		n := &out[i]
		n.owns = maps.Clone(n.owns)
		for _, other := range found {
			if !meets(n.lines, other.lines) {
				continue
			}
			if len(n.owns) == 0 || len(other.owns) == 0 { // it is about all
				n.owns = nil
				break
			}
			maps.Copy(n.owns, other.owns)
		}
	}
	return out
}

// meets reports whether two sets have an element in common.
func meets(a, b map[int]bool) bool {
	for at := range a {
		if b[at] {
			return true
		}
	}
	return false
}

// tied reports whether the words that a claim says of a name tie it to a sentence about another one rather than
// to those about it. A word that these have ties it to them, whatever other sentences have it.
func (s *Source) tied(owns map[int]bool, about []token) bool {
	if len(owns) == 0 {
		return false
	}
	own, others := 0, map[int]int{}
	seen := map[string]bool{}
	for _, t := range about {
		word, ok := s.find(t.text)
		weight := 1
		if role := roles[t.text]; role != "" && len(s.mentions[role]) > 0 {
			word, ok, weight = role, true, roleWords
		}
		lines := s.mentions[word]
		if !ok || seen[word] || len(seen) == maxTied || len(lines) > maxTold || !t.content() || t.counted() {
			continue
		}
		seen[word] = true
		if slices.ContainsFunc(lines, func(at int) bool { return owns[at] }) {
			own += weight
			continue
		}
		for _, at := range lines {
			others[at] += weight
		}
	}
	for at, words := range others {
		if words >= leastTied && words > own && s.lines[at].owned {
			return true
		}
	}
	return false
}
