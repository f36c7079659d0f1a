// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Limits of the search for values within texts.
const (
	maxAround = 80  // bytes of a text
	maxWithin = 4   // words of a value within a text
	maxTried  = 800 // parts of texts that are tried for a field of a page
)

// affix is what stands around the value within the text of an element, on all pages of a
// template: " / 5" after a rating.
type affix struct{ before, after string }

// cut returns the text between the two parts of the affix, or false if they do not stand
// around it.
func (a affix) cut(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, a.before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, a.after)
}

// affixes returns what stands around a value in a text that contains more than the value.
// tried counts the parts of texts that were tried.
func affixes(p *grounding.Page, f *outline.Field, text string, want any, tried *int) []affix {
	if len(text) > maxAround {
		return nil
	}
	var out []affix
	starts, ends := borders(text)
	for _, i := range starts {
		words := 0
		for _, j := range ends {
			if j <= i || i == 0 && j == len(text) {
				continue
			}
			if words++; words > maxWithin || *tried == maxTried {
				break
			}
			*tried++
			if statesValue(p, f, text[i:j], want) {
				out = append(out, affix{text[:i], text[j:]})
				break
			}
		}
	}
	return out
}

// borders returns the places of a text at which a value may begin, and at which it may end:
// the ends of words, and those of what a sign such as a stroke or a bracket separates.
func borders(text string) (starts, ends []int) {
	divides := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/()[]|·:;–—", r) }
	before := ' '
	for i, r := range text {
		if divides(before) && !divides(r) {
			starts = append(starts, i)
		}
		if !divides(before) && divides(r) {
			ends = append(ends, i)
		}
		before = r
	}
	if last, _ := utf8.DecodeLastRuneInString(text); text != "" && !divides(last) {
		ends = append(ends, len(text))
	}
	return starts, ends
}

// read returns the value of a text that the rule has selected, or nil if it has none.
func (r rule) read(p *grounding.Page, f *outline.Field, text string) any {
	inner, ok := r.cut(text)
	if !ok {
		return nil
	}
	return alone(p, f, inner)
}

// states reports whether a text that the rule has selected contains a value of the field
// where the rule expects it.
func (r rule) states(p *grounding.Page, f *outline.Field, text string, want any) bool {
	inner, ok := r.cut(text)
	return ok && statesValue(p, f, inner, want)
}

// mayContain reports whether a text can contain a value of the field besides other words.
func mayContain(f *outline.Field, text string, want any) bool {
	switch outline.KindOf(f.Node) {
	case "number", "integer", "date":
		return strings.ContainsFunc(text, unicode.IsDigit)
	case "string":
		w, _ := want.(string)
		return w != "" && value.Holds(value.Normal(text), value.Normal(w)) > 0
	}
	return false
}
