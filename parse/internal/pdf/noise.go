// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Recognised text is doubtful if the recognizer is less certain than
// minConfidence, or if fewer than minPlausible of at least fewestWords words
// can be words.
const (
	minConfidence = .5
	minPlausible  = .5
	fewestWords   = 8
)

// doubtful says why recognised text is probably noise, for example because the
// picture has handwriting. It returns "" if there is no sign of that.
// confidence is -1, or 0 by default, if the recognizer did not measure it.
func doubtful(words []string, confidence float64) string {
	if len(words) == 0 {
		return ""
	}
	if confidence > 0 && confidence < minConfidence {
		return fmt.Sprintf("The text was recognised with a confidence of %.0f %%: it may be wrong.", 100*confidence)
	}
	odd := 0
	for _, w := range words {
		if !plausible(w) {
			odd++
		}
	}
	if len(words) >= fewestWords && float64(len(words)-odd) < minPlausible*float64(len(words)) {
		return fmt.Sprintf("%d of %d recognised words have no form of a word: the text may be wrong.", odd, len(words))
	}
	return ""
}

// plausible reports whether s, without the punctuation around it, can be a
// word or a number. A single letter of an alphabet cannot, except for the few
// that are words.
func plausible(s string) bool {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
	letters, digits, others, marks := 0, 0, 0, 0
	upper := false // an upper case letter follows a lower case letter
	var last rune
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
			upper = upper || unicode.IsLower(last) && unicode.IsUpper(r)
		case unicode.IsDigit(r):
			digits++
		case unicode.IsMark(r):
			marks++
		default:
			others++
		}
		last = r
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case letters+digits == 0:
		return false
	case digits > 0 && letters == 0:
		return true // also dates, amounts and telephone numbers
	case letters+marks == 1 && first < 0x250:
		return strings.ContainsRune("aAIoOyYeEuUiàÀéÉôÔ", first)
	}
	return others <= 1+(letters+digits)/4 && !upper
}

// noise returns what doubtful says of a page that was recognised.
func (r *read) noise() string {
	words := r.words
	confidence := r.confidence
	sum, weight := 0.0, 0.0
	for _, s := range r.spots {
		sum += s.confidence * s.weight
		weight += s.weight
	}
	if weight > 0 {
		confidence = sum / weight
	}
	if r.markdown != "" {
		words = strings.FieldsFunc(r.markdown, func(c rune) bool { return unicode.IsSpace(c) || c == '|' || c == '#' })
		words = words[:min(len(words), maxWords)]
	}
	return doubtful(words, confidence)
}
