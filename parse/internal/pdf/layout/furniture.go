// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Some short texts look like headings by their size or weight, but name the
// journal, the publisher or the authors.

// imprints are the forms of lines that name a journal, a publisher or an
// address.
var imprints = regexp.MustCompile(`(?i)^(doi[: ]|https?://|www\.|©|\(c\) ?\d|copyright\b|downloaded from\b|issn\b|isbn\b|received:? \d|all rights reserved)|\bvol(\.|ume) ?\d+,? ?\(?(no|issue|nr|iss)\b|\b(e-?)?issn:? ?\d{4}|\bdoi:? ?10\.|^page \d+( of \d+)?$`)

// maxImprint is the length of a text in bytes above which it is not an
// imprint.
const maxImprint = 200

// isImprint reports whether a text names a journal, a publisher, an address
// or a page.
func isImprint(text string) bool {
	return len(text) <= maxImprint && imprints.MatchString(text)
}

// byline reports whether b names authors: at least two names, one of them
// with initials or all of them with marks of footnotes.
func byline(b *Block) bool {
	if len(b.Lines) > 3 {
		return false
	}
	text := b.Text()
	if len(text) > maxImprint || !strings.ContainsAny(text, ",&;") && !strings.Contains(text, " and ") {
		return false
	}
	names, initials := 0, false
	for part := range strings.FieldsFuncSeq(strings.NewReplacer(" and ", ",", "&", ",", ";", ",").Replace(text), func(r rune) bool { return r == ',' }) {
		words := strings.Fields(part)
		if len(words) == 0 || isNumeric(part) {
			continue
		}
		proper := 0
		for _, w := range words {
			r, n := utf8.DecodeRuneInString(w)
			proper += count(unicode.IsUpper(r))
			initials = initials || unicode.IsUpper(r) && w[n:] == "."
		}
		if proper < len(words)-1 || proper < 2 || len(words) > 5 {
			return false
		}
		names++
	}
	return names > 1 && (initials || marks(b) >= names)
}

// marks counts the superscripts of b.
func marks(b *Block) int {
	n := 0
	var tokens []token
	for i := range b.Lines {
		tokens = b.Lines[i].tokens(tokens[:0], nil)
		for _, t := range tokens {
			n += count(t.rise > 0)
		}
	}
	return n
}
