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
	boxes map[*html.Node]consentBox // elements around buttons that were looked at
	steps int                       // nodes below them
}

// A consentBox is an element around a button.
type consentBox struct {
	words int  // that it shows
	about bool // its texts are about consent
}

// isConsentWall reports whether what a page shows is hardly more than a box with a button that accepts and a text about
// cookies or personal data. total is the number of words of the page. A page without text whose frame belongs to a
// program for consent is one, too.
func isConsentWall(root *html.Node, total int) bool {
	const few = 12 // words besides the box
	if total <= briefFrame {
		for n := Next(root, root); n != nil; n = Next(n, root) {
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
// with their numbers of words.
func ConsentBoxes(nodes iter.Seq[*html.Node]) map[*html.Node]int {
	boxes := map[*html.Node]int{}
	w := wall{boxes: map[*html.Node]consentBox{}}
	for n := range nodes {
		if n.Type == html.ElementNode && isButton(n) && begins(label(n), accepting) {
			if box, words := w.around(n); box != nil {
				boxes[box] = words
			}
		}
	}
	return boxes
}

// briefFrame is the number of words up to which a page may only be the surroundings of a frame.
const briefFrame = 60

// isConsentFrame reports whether a frame belongs to a program for consent.
func isConsentFrame(n *html.Node) bool {
	names := strings.ToLower(Attr(n, "id") + " " + Attr(n, "title") + " " + Attr(n, "src"))
	return slices.ContainsFunc([]string{"sp_message", "sp consent", "privacy-mgmt.", "consent message", "cmp-iframe", "consent-iframe", "cookie-consent", "/cmp/", "cmpui"}, func(s string) bool { return strings.Contains(names, s) })
}

// around returns the smallest element around a button that is about consent, and its number of words, or nil.
func (w *wall) around(button *html.Node) (*html.Node, int) {
	const least = 12 // words of a box
	for n := button.Parent; n != nil && n.Type == html.ElementNode; n = n.Parent {
		box, ok := w.boxes[n]
		if !ok {
			box = w.read(n)
			w.boxes[n] = box
		}
		if box.words > briefMissing {
			break
		}
		if box.words >= least && box.about {
			return n, box.words
		}
	}
	return nil, 0
}

// read reads the texts of n. They are about consent if one word in 60 is: a page with more text than a request for
// consent has is about something else. Elements with too many nodes count as too large, and so do all after a million
// nodes, which is more than the surroundings of thousands of buttons have.
func (w *wall) read(n *html.Node) (box consentBox) {
	const share, nodes, all = 60, 4096, 1 << 20
	found, other := 0, false
	left := min(nodes, all-w.steps)
	for d := Next(n, n); d != nil; d = Next(d, n) {
		if left--; left < 0 || box.words > briefMissing {
			return consentBox{words: briefMissing + 1}
		}
		w.steps++
		switch {
		case d.DataAtom == atom.Article:
			other = true
		case d.Type != html.TextNode:
		default:
			words := wordsShown(d)
			if box.words += words; words == 0 {
				continue
			}
			for word := range strings.FieldsSeq(strings.ToLower(d.Data)) {
				if slices.ContainsFunc(consenting, func(s string) bool { return strings.Contains(word, s) }) {
					found++
				}
			}
		}
	}
	box.about = found > 0 && share*found >= box.words && !other
	return box
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

// label returns the text of a button in lower case, or "" if it has more words or nodes than a button.
func label(n *html.Node) string {
	const most, nodes = 120, 512 // bytes
	s := Attr(n, "value")
	if n.DataAtom != atom.Input {
		s = ""
		left := nodes
		for d := Next(n, n); d != nil; d = Next(d, n) {
			if d.Type == html.TextNode && len(s) <= most {
				s = strings.TrimLeft(s+d.Data, " \t\n")
			}
			if left--; left < 0 {
				return ""
			}
		}
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
