// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// accepting are beginnings of words on buttons with which readers accept something, in lower case.
var accepting = []string{
	"accept", "agree", "allow", "consent", "akzept", "zustimm", "einverst", "erlaub", "autoris", "acept", "aceit", "permit", "accett", "acconsent",
	"akkoord", "toestaan", "zgadzam", "akcept", "zezw", "godkän", "tillåt", "godta", "godkend", "tillad", "hyväksy", "přijm", "souhlas", "prija",
	"elfogad", "прин", "соглас", "αποδοχ", "αποδέχ", "συμφων", "kabul", "prihvat", "同意", "接受", "許可", "동의", "수락", "موافق", "قبول",
}

// consenting are parts of words with which pages ask for consent to the use of data, in lower case.
var consenting = []string{
	"cookie", "consent", "einwilligung", "zustimmung", "datenschutz", "privacy", "données", "donnees", "toestemming", "gegevens", "zgod", "zgód", "samtyck", "samtykke",
	"suostumu", "evästei", "souhlas", "hozzájárul", "ciasteczk", "соглас", "персональ", "συγκατάθεσ", "çerez", "kolačić", "datos", "dados", "dati", "同意", "クッキー", "쿠키",
}

// A wall finds the requests for consent of a page.
type wall struct {
	words map[*html.Node]int // below elements around buttons, as far as they were counted
	steps int                // elements around buttons that were looked at
}

// isConsentWall reports whether what a page shows is hardly more than a box with a button that accepts and a text about
// cookies or personal data. total is the number of words of the page. A page without text whose frame belongs to a
// program for consent is one, too.
func isConsentWall(root *html.Node, total int) bool {
	const few = 12 // words besides the box
	if total <= briefFrame {
		for n := range root.Descendants() {
			if n.DataAtom == atom.Iframe && isConsentFrame(n) {
				return true
			}
		}
	}
	for _, words := range ConsentBoxes(root.Descendants()) {
		if total-words <= max(few, words/4) {
			return true
		}
	}
	return false
}

// ConsentBoxes returns the smallest elements that have a button that accepts and a text about cookies or personal data,
// with their numbers of words. It looks at a bounded number of buttons.
func ConsentBoxes(nodes iter.Seq[*html.Node]) iter.Seq2[*html.Node, int] {
	const boxes, buttons = 8, 128
	return func(yield func(*html.Node, int) bool) {
		w := wall{words: map[*html.Node]int{}}
		left, more := boxes, buttons
		for n := range nodes {
			if n.Type != html.ElementNode || !isButton(n) {
				continue
			}
			if begins(label(n), accepting) {
				if box, words := w.around(n); box != nil && !yield(box, words) {
					return
				}
				left--
			}
			if more--; left == 0 || more == 0 {
				return
			}
		}
	}
}

// briefFrame is the number of words up to which a page may only be the surroundings of a frame.
const briefFrame = 60

// isConsentFrame reports whether a frame belongs to a program for consent.
func isConsentFrame(n *html.Node) bool {
	names := strings.ToLower(Attr(n, "id") + " " + Attr(n, "title") + " " + Attr(n, "src"))
	return slices.ContainsFunc([]string{"sp_message", "sp consent", "privacy-mgmt.", "consent message", "cmp-iframe", "consent-iframe", "cookie-consent", "/cmp/", "cmpui"}, func(s string) bool { return strings.Contains(names, s) })
}

// around returns the smallest element around a button that is about consent, and its number of words, or nil.
func (w *wall) around(button *html.Node) (box *html.Node, words int) {
	const up, least = 64, 12 // elements around, and words of a box
	for box := button.Parent; box != nil && box.Type == html.ElementNode; box = box.Parent {
		words := w.count(box)
		if words >= least && words <= briefMissing && w.isAbout(box) {
			return box, words
		}
		if w.steps++; w.steps > up || words > briefMissing {
			break
		}
	}
	return nil, 0
}

// count returns the number of words that n shows.
func (w *wall) count(n *html.Node) int {
	if words, ok := w.words[n]; ok {
		return words
	}
	words := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			words += wordsShown(d)
		}
	}
	w.words[n] = words
	return words
}

// isAbout reports whether the texts of a box are about consent. One word in 60 is: a page with
// more text than a request for consent has is about something else.
func (w *wall) isAbout(box *html.Node) bool {
	const share = 60
	found, other := 0, false
	for d := range box.Descendants() {
		switch {
		case d.DataAtom == atom.Article:
			other = true
		case d.Type == html.TextNode && wordsShown(d) > 0:
			for word := range strings.FieldsSeq(strings.ToLower(d.Data)) {
				if slices.ContainsFunc(consenting, func(s string) bool { return strings.Contains(word, s) }) {
					found++
				}
			}
		}
	}
	return found > 0 && share*found >= w.count(box) && !other
}

// isButton reports whether n is a button, or a link that looks like one.
func isButton(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button:
		return true
	case atom.Input:
		kind := strings.ToLower(Attr(n, "type"))
		return kind == "submit" || kind == "button"
	case atom.A, atom.Div, atom.Span:
		return strings.EqualFold(Attr(n, "role"), "button") || n.DataAtom == atom.A && (namesButton(Attr(n, "class")) || namesButton(Attr(n, "id")))
	}
	return false
}

// namesButton reports whether names of an element say that it is a button.
func namesButton(names string) bool {
	names = strings.ToLower(names)
	return strings.Contains(names, "btn") || strings.Contains(names, "button") || strings.Contains(names, "accept") || strings.Contains(names, "agree")
}

// label returns the text of a button in lower case, or "" if it has more words than a button.
func label(n *html.Node) string {
	const most = 120 // bytes
	s := Attr(n, "value")
	if n.DataAtom != atom.Input {
		s = Text(n)
	}
	if s = strings.TrimSpace(s); len(s) > most {
		return ""
	}
	return strings.ToLower(s)
}

// begins reports whether a word of s begins with one of parts. Scripts without spaces need not begin a word.
func begins(s string, parts []string) bool {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return r == ' ' || r == '\'' || r == '’' || r == '\n' || r == '\t' || r == '\u00a0'
	}) {
		if slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(word, p) || p[0] >= 0xe0 && strings.Contains(word, p) }) {
			return true
		}
	}
	return false
}
