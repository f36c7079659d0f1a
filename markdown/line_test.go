// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"
)

// shownTokens writes the tokens of a line: texts as they are, code between
// backticks, emphasis as <1 and 1>, where 1 is the style, links in brackets.
func shownTokens(l *line) string {
	var b strings.Builder
	for i, t := range l.toks {
		s := string(l.text[t.from:t.to])
		switch t.kind {
		case none:
		case text, raw:
			b.WriteString(s)
		case code:
			b.WriteString("`" + s + "`")
		case hardBreak:
			b.WriteString("/")
		case open:
			b.WriteByte('<')
			b.WriteByte('0' + byte(t.style))
		case closing:
			b.WriteByte('0' + byte(t.style))
			b.WriteByte('>')
		case linkOpen:
			b.WriteString("[" + t.dest + ":")
		case linkClose:
			b.WriteString("]")
		case image:
			b.WriteString("!" + t.dest)
		}
		if t.kind == open || t.kind == linkOpen {
			if mate := l.toks[t.mate]; mate.mate != i {
				b.WriteString("(no mate)")
			}
		}
	}
	return b.String()
}

// TestLine checks how a line collects text, breaks, emphasis and links.
func TestLine(t *testing.T) {
	bold, italic, struck := frame{style: strong}, frame{style: em}, frame{style: del}
	link := frame{link: true, dest: "/x"}
	for _, test := range []struct {
		name  string
		build func(l *line)
		want  string
	}{
		{"white space is folded", func(l *line) { l.add(" a \n\t b"); l.add("\r\fc ") }, "a b c"},
		{"a gap between elements", func(l *line) { l.add("a"); l.gap(); l.gap(); l.add("b"); l.gap() }, "a b"},
		{"no-break spaces stay", func(l *line) { l.add("a\u00a0 b") }, "a\u00a0 b"},
		{"NUL becomes a replacement character", func(l *line) { l.add("a\x00b") }, "a\ufffdb"},
		{"other controls are dropped", func(l *line) { l.add("a\x01b") }, "ab"},
		{"invalid UTF-8", func(l *line) { l.add("a\xffb") }, "a\ufffdb"},
		{"breaks are folded", func(l *line) {
			l.br()
			l.add("a ")
			l.br()
			l.br()
			l.add(" b")
			l.br()
		}, "a/b"},
		{"emphasis", func(l *line) { l.push(bold); l.add(" a "); l.pop(); l.add("b") }, "<2a2> b"},
		{"empty emphasis", func(l *line) { l.push(bold); l.add(" "); l.pop(); l.add("b") }, "b"},
		{"adjacent emphasis of one kind is joined", func(l *line) {
			l.push(bold)
			l.add("a")
			l.pop()
			l.push(bold)
			l.add("b")
			l.pop()
		}, "<2ab2>"},
		{"adjacent emphasis of two kinds", func(l *line) {
			l.push(bold)
			l.add("a")
			l.pop()
			l.push(italic)
			l.add("b")
			l.pop()
		}, "<2a2><1b1>"},
		{"nested emphasis", func(l *line) { l.push(bold); l.push(italic); l.add("a"); l.pop(); l.pop() }, "<2<1a1>2>"},
		{"strikethrough does not nest", func(l *line) { l.push(struck); l.push(struck); l.add("a"); l.pop(); l.pop() }, "<3a3>"},
		{"a link", func(l *line) { l.push(link); l.add("a"); l.pop() }, "[/x:a]"},
		{"links do not nest", func(l *line) {
			l.push(link)
			l.push(frame{link: true, dest: "/y"})
			l.add("a")
			l.pop()
			l.pop()
		}, "[/x:a]"},
		{"code", func(l *line) { l.addCode("a  b"); l.endCode() }, "`a  b`"},
		{"lines of code", func(l *line) { l.addCode("\n a\n  b\n"); l.endCode() }, "`a b`"},
		{"text around lines of code", func(l *line) { l.add("x"); l.addCode("\na\n"); l.endCode(); l.add("y") }, "x `a` y"},
		{"text after code", func(l *line) { l.addCode("a"); l.endCode(); l.add(" b") }, "`a` b"},
	} {
		var l line
		test.build(&l)
		l.end()
		if got := shownTokens(&l); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestLineReopens checks that emphasis that is open at the end of a line
// continues in the next one.
func TestLineReopens(t *testing.T) {
	var l line
	l.push(frame{style: strong})
	l.push(frame{link: true, dest: "/x"})
	l.add("a")
	l.end()
	if got, want := shownTokens(&l), "<2[/x:a]2>"; got != want {
		t.Errorf("first line: got %q, want %q", got, want)
	}
	l.reset()
	if !l.empty() {
		t.Error("a reset line is not empty")
	}
	l.add("b")
	l.pop()
	l.add("c")
	l.end()
	if got, want := shownTokens(&l), "<2[/x:b]c2>"; got != want {
		t.Errorf("second line: got %q, want %q", got, want)
	}
}

// TestLineDepth checks that emphasis beyond maxFrames is dropped and that its
// text stays.
func TestLineDepth(t *testing.T) {
	var l line
	const depth = 3 * maxFrames
	for i := range depth {
		l.push(frame{style: em + style(i%2)})
	}
	l.add("a")
	for range depth {
		l.pop()
	}
	if got := strings.Count(shownTokens(&l), "<"); got != maxFrames || string(l.text) != "a" {
		t.Errorf("%d delimiters around %q, want %d", got, l.text, maxFrames)
	}
}

// TestLineEmpty checks which lines count as empty.
func TestLineEmpty(t *testing.T) {
	for _, test := range []struct {
		name  string
		build func(l *line)
		want  bool
	}{
		{"new", func(*line) {}, true},
		{"white space", func(l *line) { l.add(" \n") }, true},
		{"invisible characters", func(l *line) { l.add("\u00a0\u200b\ufeff") }, true},
		{"a letter", func(l *line) { l.add("a") }, false},
		{"a letter beyond ASCII", func(l *line) { l.add("é") }, false},
		{"code", func(l *line) { l.addCode(" ") }, false},
		{"an image", func(l *line) { l.piece(token{kind: image, target: l.target(target{dest: "/i"})}, "") }, false},
	} {
		var l line
		test.build(&l)
		if got := l.empty(); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

// TestLineTargets checks that tokens keep their targets while more are added.
func TestLineTargets(t *testing.T) {
	var l line
	var all []*target
	for i := range 500 {
		all = append(all, l.target(target{dest: strings.Repeat("x", i)}))
	}
	for i, one := range all {
		if len(one.dest) != i {
			t.Fatalf("target %d is %q", i, one.dest)
		}
	}
}
