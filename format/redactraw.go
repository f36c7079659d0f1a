// SPDX-License-Identifier: Apache-2.0

package format

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A rawMarker puts marks in HTML source and leaves everything else unchanged.
type rawMarker struct {
	r      *redactor
	raw    string
	text   []byte // text of the current block, with character references decoded
	pieces []rawPiece
	out    strings.Builder
	done   int // raw is copied to out up to here
}

// A rawPiece maps a piece of a block's text, which starts at at, to its place
// in raw. If the lengths differ, the piece is a character reference or an
// escape, and is replaced as a whole.
type rawPiece struct{ at, from, to, length int }

// maskedRaw returns HTML source without personal data.
func (r *redactor) maskedRaw(raw string) (out string, err error) {
	switch {
	case !r.on:
		return raw, nil
	case r.failed:
		return "", errRedact
	}
	defer func() {
		if v := recover(); v != nil {
			out, err = "", errRedact
		}
	}()
	w := rawMarker{r: r, raw: unmarked(raw)}
	w.run()
	return finished(w.out.String(), true), nil
}

func (w *rawMarker) run() {
	z := html.NewTokenizer(strings.NewReader(w.raw))
	at := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		start := at
		at = min(at+len(z.Raw()), len(w.raw))
		switch kind {
		case html.TextToken:
			w.read(start, at)
			continue
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			n := html.Node{Type: html.ElementNode, DataAtom: atom.Lookup(name)}
			if n.DataAtom == atom.Br {
				w.text = append(w.text, '\n')
			} else if breaks(&n) {
				w.flush()
			}
			if kind == html.EndTagToken {
				continue
			}
		}
		w.tag(start, at)
	}
	w.read(at, len(w.raw)) // the rest, where the tokenizer stopped
	w.flush()
	w.out.WriteString(w.raw[w.done:])
}

// read adds the text from start to end. It decodes character references and the
// escapes in scripts, and leaves out tags inside scripts.
func (w *rawMarker) read(start, end int) {
	for start < end {
		n := strings.IndexAny(w.raw[start:end], `&<\`)
		if n < 0 {
			n = end - start
		}
		if n > 0 {
			w.pieces = append(w.pieces, rawPiece{len(w.text), start, start + n, n})
			w.text = append(w.text, w.raw[start:start+n]...)
			start += n
			continue
		}
		s, n := special(w.raw[start:min(end, start+64)])
		w.pieces = append(w.pieces, rawPiece{len(w.text), start, start + n, len(s)})
		w.text = append(w.text, s...)
		start += n
	}
}

// special decodes the reference, escape or tag that s begins with. It returns
// the decoded text and the number of bytes read.
func special(s string) (meaning string, n int) {
	switch {
	case s[0] == '&':
		if n = strings.IndexByte(s[:min(len(s), 32)], ';') + 1; n > 0 {
			return html.UnescapeString(s[:n]), n
		}
	case s[0] == '<':
		if n = strings.IndexByte(s, '>') + 1; n > 2 && (s[1] == '/' || s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z') {
			return "", n
		}
	case len(s) >= 6 && s[1] == 'u':
		if r, err := strconv.ParseUint(s[2:6], 16, 16); err == nil {
			return string(rune(r)), 6
		}
	case len(s) >= 2 && s[1] == '/':
		return "/", 2
	case len(s) >= 2 && (s[1] == 'n' || s[1] == 't' || s[1] == 'r'):
		return " ", 2
	}
	return s[:1], 1
}

// tag puts marks in a tag or comment. If anything changes, it flushes the text
// before the tag first, to keep the order.
func (w *rawMarker) tag(start, end int) {
	s := w.raw[start:end]
	plain := html.UnescapeString(s)
	if plain != s && len(w.r.find(&w.r.finder, plain, false)) > len(w.r.find(&w.r.finder, s, false)) {
		s = plain // references hide personal data, so write the tag decoded
	}
	if marked := w.r.marked(s, false); marked != w.raw[start:end] {
		w.flush()
		w.out.WriteString(w.raw[w.done:start] + marked)
		w.done = end
	}
}

// flush marks the current block and starts the next one.
func (w *rawMarker) flush() {
	s := string(w.text)
	// Source text can contain line breaks anywhere, so treat them as spaces.
	folded := strings.Map(func(r rune) rune {
		if r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)
	for _, sp := range w.r.find(&w.r.finder, folded, false) {
		mark := string(w.r.mark(nil, sp.Entity, utf8.RuneCountInString(s[sp.Start:sp.End])))
		first := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].at > sp.Start }) - 1
		for i := max(first, 0); i < len(w.pieces) && w.pieces[i].at < sp.End; i++ {
			p := w.pieces[i]
			from, to := p.from, p.to
			if p.length == p.to-p.from {
				from += max(0, sp.Start-p.at)
				to = p.from + min(p.length, sp.End-p.at)
			}
			if from < w.done {
				continue
			}
			w.out.WriteString(w.raw[w.done:from] + mark)
			w.done, mark = max(to, from), ""
		}
	}
	w.text, w.pieces = w.text[:0], w.pieces[:0]
}
