// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// output is where results go. It keeps the first error of a write, because a run that cannot
// write its results must not go on as if only one of them were bad. On a terminal, it leaves
// out what could control it: results are texts of sites.
type output struct {
	w        io.Writer
	terminal bool
	half     []byte // beginning of a character that the last write cut
	err      error  // of the first write that failed
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	text := p
	if o.terminal {
		whole := append(o.half, p...)
		n := complete(whole)
		o.half = bytes.Clone(whole[n:])
		text = bytes.Map(shown, whole[:n])
	}
	if err := o.write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what is left of a text that ends within a character.
func (o *output) flush() error {
	half := bytes.Map(shown, o.half)
	o.half = nil
	return o.write(half)
}

func (o *output) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := o.w.Write(text)
	if o.err == nil {
		o.err = err
	}
	return err
}

// complete returns the length of text without an incomplete character at its end.
func complete(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRune(text[i:]) {
				break
			}
			return i
		}
	}
	return len(text)
}

// shown maps characters of a text for a terminal: line ends and tabs stay. bytes.Map gives
// it U+FFFD for bytes that are not UTF-8, some of which would control a terminal too.
func shown(r rune) rune {
	if controls(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// controls reports whether a character can control a terminal, or change the order of its text.
func controls(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x61c || 0x200e <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
