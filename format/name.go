// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bylineLabels are words in bylines that are not names, in lower case.
var bylineLabels = []string{
	"author", "authors", "the author", "via", "updated", "published", "posted", "guide", "by", "text", "editor", "staff", "share", "follow",
	"mon", "tue", "wed", "thu", "fri", "sat", "sun", "view all posts", "read more", "edited by", "name", "op", "member", "admin", "topic author", "first name", "last name", "username", "written", "content",
	"undefined", "null", "none", "default", "category", "home", "shop", "account", "review", "reviews", "skip to content", "skip to main content", "get in touch", "hi", "hello",
}

// authorName returns the name in a byline, without "by" and the like. It returns ""
// if s is something else.
func authorName(s string) string {
	s = clean(s)
	if len(s) > 4*maxAuthorName*utf8.UTFMax {
		return ""
	}
	for again := true; again; {
		again = false
		for _, lead := range []string{"by:", "by ", "post by ", "posts by ", "articles by ", "view all posts by ", "via ", "written by", "posted by", "published by", "author:", "authors:", "author ", "von ", "par ", "por ", "di ", "door ", "от ", "автор:", "|", "-", "–", "—", "•", "·", ":", ","} {
			if len(s) >= len(lead) && strings.EqualFold(s[:len(lead)], lead) {
				s, again = strings.TrimSpace(s[len(lead):]), true
			}
		}
	}
	for _, end := range []string{" | ", " • ", " · ", " – ", " — ", "\u00a0| ", " on ", " » ", " - ", " Updated", " Published", " Posted", " Last updated", " Reviewed by"} {
		if k := strings.Index(s, end); k > 0 {
			s = s[:k]
		}
	}
	// A date, or a number of articles, with the month before it.
	if k := strings.IndexAny(s, "0123456789"); k > 0 && s[k-1] == ' ' {
		s = strings.TrimRight(s[:k], " ,")
		if j := strings.LastIndexByte(s, ' '); monthOf(strings.TrimSuffix(s[j+1:], ".")) > 0 {
			s = strings.TrimSuffix(strings.TrimRight(s[:j+1], " ,"), " at")
		}
	}
	s = strings.Trim(s, " ,;|-–—•·:")
	if strings.EqualFold(s, "by") || utf8.RuneCountInString(s) > maxAuthorName || strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || strings.HasPrefix(s, "@") && !strings.Contains(s, " ") {
		return ""
	}
	if slices.Contains(bylineLabels, strings.ToLower(s)) || strings.HasSuffix(strings.ToLower(s), " by") || strings.HasSuffix(s, " from") {
		return ""
	}
	if strings.Count(s, ".") > 1 && !strings.ContainsAny(s, " @") {
		return "" // a variable of a template, such as page.extra.author
	}
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	// The name of an account may consist of digits for the most part.
	if letters < 2 || digits > letters/2 && strings.Contains(s, " ") {
		return ""
	}
	return s
}

// particles are words in names that begin with a small letter.
var particles = []string{
	"and", "und", "et", "y", "e", "&", "von", "van", "der", "den", "de", "la", "le", "du", "da", "dos", "di", "del", "della", "bin", "al", "el", "ter", "ten", "af", "av", "zu",
}

// isFullName reports whether s looks like the full name of a person: two words or more, each
// of which begins with a capital or is a particle. The first word is not an article, as in "By The
// Numbers".
func isFullName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || words[0] == "The" || words[0] == "A" || words[0] == "An" {
		return false
	}
	return !slices.ContainsFunc(words, func(word string) bool {
		first, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLower(first) && !slices.Contains(particles, word)
	})
}

// capitalized returns name if it has at most five words and begins with a capital. It cuts
// off what follows a comma if this makes the name too long, such as the role of an author.
func capitalized(name string) string {
	if before, _, ok := strings.Cut(name, ","); ok && len(strings.Fields(name)) > 5 && strings.Contains(before, " ") {
		name = before
	}
	first, _ := utf8.DecodeRuneInString(name)
	if len(strings.Fields(name)) > 5 || !unicode.IsUpper(first) {
		return ""
	}
	return name
}
