// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Block is a maximal run of text that no block-level element interrupts. Its groups of
// fields are filled in one after the other.
type Block struct {
	place
	counts
	surroundings
	echoes
}

// A place describes where a block is in the tree. It does not depend on the text. Except
// for End and apart, it is complete when the block is opened.
type place struct {
	near, far mark      // marks of the innermost four elements around, and of all elements around
	path      [2]uint64 // hash of the tags of all elements around, and of the tags and classes of the innermost three

	First, End int32 // range of nodes that contains its text, half-open

	home  int32 // the innermost block-level element around
	class int32 // class of home, see classOf
	depth int32 // number of elements around

	said         Votes  // what the lexicon says of the names of the elements around
	tags         uint32 // kinds of elements around, see tagOf
	tenth, third int32  // smallest elements around with a tenth and a third of the page's text
	level        int8   // 1 to 6 in a heading, otherwise 0
	traits
}

// traits are what is true of a block or not.
type traits struct {
	stripped bool // [Index.Strip] strips it
	bold     bool // it begins in b or strong
	apart    bool // it only leads to other pages of a series (see isTurn) or asks for consent (see consents)
}

// counts describe the text of a block. They depend only on the text, and on the words in
// which the page describes itself.
type counts struct {
	runes, linked, words         int32 // linked: runes in links
	punct, commas, digits, upper int32
	wide                         int32  // characters of scripts that do not separate words by spaces
	inTitle, inAbout, inData     int32  // words that are also in the title, the description and the structured data of the page
	last                         rune   // last character that is not white space
	text                         uint64 // hash of the words
	price                        bool   // it contains a currency sign
}

// surroundings describe what is around a block. They are valid after all blocks were cut.
type surroundings struct {
	homes   [3]int32 // the nearest elements around, each with at least twice the text of the one before
	links   int32    // links in it, and the link around it
	heading int32    // number of the last heading before it, or -1
}

// echoes say which other blocks of the page are like a block. They are valid after
// [Page.repeat].
type echoes struct {
	shape, look int32 // number of the first block with the same path[0], and with the same path[1]
	twin        int32 // number of the first block with the same text
	copies      int32 // blocks with the same text before it, in the order of repeat
	seen, again int32 // runs of four words that also occur before it, and after it
	run         int32 // index of its first run in Page.quads
}

// Kinds of elements around a block, each of which is a feature.
const (
	tagNav uint32 = 1 << iota
	tagHeader
	tagFooter
	tagAside
	tagMain
	tagArticle
	tagSection
	tagForm
	tagTable
	tagItem
	tagQuote
	tagFigure
	tagPre
	tagDetails
	tagLink
	tagLabel
	tagDl
	tagHeading
	tagTime
	tagAddress
	tagInert // role of a dialog and the like
	tagList

	tagCount = iota
)

func tagOf(a atom.Atom) uint32 {
	switch a {
	case atom.Nav:
		return tagNav
	case atom.Header:
		return tagHeader
	case atom.Footer:
		return tagFooter
	case atom.Aside:
		return tagAside
	case atom.Main:
		return tagMain
	case atom.Article:
		return tagArticle
	case atom.Section:
		return tagSection
	case atom.Form:
		return tagForm
	case atom.Table:
		return tagTable
	case atom.Li:
		return tagItem
	case atom.Ul, atom.Ol, atom.Menu:
		return tagList
	case atom.Blockquote:
		return tagQuote
	case atom.Figure, atom.Figcaption:
		return tagFigure
	case atom.Pre:
		return tagPre
	case atom.Details, atom.Summary:
		return tagDetails
	case atom.A:
		return tagLink
	case atom.Label:
		return tagLabel
	case atom.Dl:
		return tagDl
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return tagHeading
	case atom.Time:
		return tagTime
	case atom.Address:
		return tagAddress
	}
	return 0
}

// roleOf is tagOf for the role attribute.
func roleOf(role string) uint32 {
	switch role {
	case "navigation", "menu", "menubar", "tablist":
		return tagNav
	case "banner":
		return tagHeader
	case "contentinfo":
		return tagFooter
	case "complementary":
		return tagAside
	case "search":
		return tagForm
	case "dialog", "alertdialog":
		return tagInert
	case "main":
		return tagMain
	case "article":
		return tagArticle
	case "listitem":
		return tagItem
	}
	return 0
}

// isInline reports whether an element is part of a line of text.
func isInline(n *html.Node) bool {
	if n.Namespace != "" {
		return true
	}
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Br, atom.Cite, atom.Code,
		atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Img, atom.Input, atom.Ins, atom.Kbd,
		atom.Label, atom.Mark, atom.Math, atom.Nobr, atom.Picture, atom.Q, atom.Rb, atom.Rp, atom.Rt, atom.Rtc,
		atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Source, atom.Span, atom.Strike, atom.Strong, atom.Sub,
		atom.Sup, atom.Svg, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, atom.Script:
		return true
	}
	return false
}

// Classes that rules use.
const (
	classParagraph = 1
	classQuote     = 2
	classCode      = 3
	classSense     = 8
	classTerm      = 9
	classItem      = 11
	classCell      = 12
	classHead      = 13
	classDiv       = 14
)

// classOf returns the class of a block-level element. Elements that are more likely to
// contain prose have smaller numbers.
func classOf(a atom.Atom) int32 {
	switch a {
	case atom.P:
		return classParagraph
	case atom.Blockquote:
		return classQuote
	case atom.Pre:
		return classCode
	case atom.H1:
		return 4
	case atom.H2:
		return 5
	case atom.H3:
		return 6
	case atom.H4, atom.H5, atom.H6:
		return 7
	case atom.Dd:
		return classSense
	case atom.Dt:
		return classTerm
	case atom.Figcaption, atom.Caption:
		return 10
	case atom.Li:
		return classItem
	case atom.Td:
		return classCell
	case atom.Th:
		return classHead
	case atom.Div:
		return classDiv
	case atom.Section, atom.Article, atom.Main:
		return 15
	case atom.Summary:
		return 16
	}
	return 17
}

const prime = 1099511628211 // FNV-1a

// step adds a character to a hash of a word.
func step(word uint64, r rune) uint64 {
	return (word ^ uint64(r)) * prime //nolint:gosec // no rune of a string is negative
}

// mix returns a hash of two hashes.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

func hashString(s string) uint64 {
	h := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	rest := uint64(0)
	for i := range len(s) {
		rest = rest<<8 | uint64(s[i])
	}
	return mix(h, rest+1)
}

// Classes of bytes.
const (
	isSpace = 1 << iota
	isLower
	isUpper
	isDigit
	isPunct

	isLetter = 1 << 7 // the first byte of a character that is not white space
)

var kinds = func() (t [256]uint8) {
	for i := range t {
		switch c := byte(i); {
		case c >= 'a' && c <= 'z' || c == '_':
			t[c] = isLower | isLetter
		case c == ' ' || c >= '\t' && c <= '\r' && c != '\v':
			t[c] = isSpace
		case c >= 'A' && c <= 'Z':
			t[c] = isUpper | isLetter
		case c >= '0' && c <= '9':
			t[c] = isDigit | isLetter
		case c > ' ' && c < 0x7f:
			t[c] = isPunct | isLetter
		case c < 0x80 || c >= 0xc0:
			t[c] = isLetter
		}
	}
	return t
}()

// scan adds the counts of the text s to b.
func (p *Page) scan(b *Block, s string, linked bool) {
	const seed = 14695981039346656037
	word := uint64(seed)
	var runes int32
	end := func() {
		if word == seed {
			return
		}
		b.words++
		b.text = mix(b.text, word)
		p.quad(b.words, word)
		b.inTitle += p.title.has(word)
		b.inAbout += p.about.has(word)
		if p.told {
			b.inData += p.data.has(word)
		}
		word = seed
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch kinds[c] &^ isLetter {
			case isSpace:
				end()
				continue
			case isLower:
				word = (word ^ uint64(c)) * prime
			case isUpper:
				b.upper++
				word = (word ^ uint64(c|0x20)) * prime
			case isDigit:
				b.digits++
				word = (word ^ uint64(c)) * prime
			case isPunct:
				end()
				switch c {
				case ',':
					b.commas++
				case '$':
					b.price = true
				}
				b.punct++
			default:
				end()
				continue
			}
			runes++
			b.last = rune(c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == 0xa0 || r == 0x3000 || r >= 0x2000 && r <= 0x200f:
			end()
			continue
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if r >= 0x2e80 && r < 0xfb00 {
				b.wide++
			}
			word = step(word, r)
		default:
			end()
			b.punct++
			switch r {
			case '，', '、', '،':
				b.commas++
			case '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '₫', '฿':
				b.price = true
			}
		}
		runes++
		b.last = r
	}
	end()
	b.runes += runes
	if linked {
		b.linked += runes
	}
}

// A wordSet is a set of hashes of words: a Bloom filter with one hash function. It may
// report words that were not added. Its length is a power of two.
type wordSet []uint64

func (s wordSet) add(text string, limit int) {
	const seed = 14695981039346656037
	word := uint64(seed)
	for _, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			word = step(word, r|0x20)
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_':
			word = step(word, r)
		case word != seed:
			s.put(word)
			word = seed
			if limit--; limit == 0 {
				return
			}
		}
	}
	if word != seed {
		s.put(word)
	}
}

func (s wordSet) put(word uint64) {
	h := word ^ word>>29
	s[int(h>>6&(1<<20-1))&(len(s)-1)] |= 1 << (h % 64)
}

func (s wordSet) has(word uint64) int32 {
	h := word ^ word>>29
	return int32(s[int(h>>6&(1<<20-1))&(len(s)-1)] >> (h % 64) & 1)
}

// Text returns the text of block i as it is written on the page.
func (p *Page) Text(i int) string {
	var s strings.Builder
	b := &p.Blocks[i]
	for id := b.First; id < b.End; {
		n := p.ix.Nodes[id]
		switch {
		case n.Type == html.TextNode:
			s.WriteString(n.Data)
		case p.hidden.Has(id), p.ix.isFold(id), n.DataAtom == atom.Svg, n.DataAtom == atom.Script:
			id = p.ix.End[id]
			continue
		case n.DataAtom == atom.Br:
			s.WriteByte('\n')
		}
		id++
	}
	return s.String()
}

// Stripped reports whether [Index.Strip] strips b.
func (b *Block) Stripped() bool { return b.stripped }

// Alike reports whether the elements around blocks i and j have the same tags.
func (p *Page) Alike(i, j int) bool { return p.Blocks[i].shape == p.Blocks[j].shape }
