// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"bytes"
	"strconv"
)

// kind is the kind of a token.
type kind uint8

const (
	end    kind = iota
	open        // {
	closed      // }
	word        // \b0: control word and number
	symbol      // \~ and \*: the character is in word
	char        // \'e9: the byte is in number
	text        // bytes
)

// token is one token of the document.
type token struct {
	kind   kind
	word   string
	number int
	given  bool // there is a number
	bytes  []byte
}

const (
	maxWord = 64 // bytes of a control word; longer ones are cut
	maxName = 32 // letters that RTF allows in a control word
)

// scanner divides the document into tokens.
type scanner struct {
	data []byte
	at   int

	binary, escapes, words int // faults; see damage
}

func (s *scanner) next() token {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '{':
			s.at++
			return token{kind: open}
		case '}':
			s.at++
			return token{kind: closed}
		case '\r', '\n', 0:
			s.at++
		case '\\':
			return s.control()
		default:
			n := bytes.IndexAny(s.data[s.at:], "{}\\\r\n\x00")
			if n < 0 {
				n = len(s.data) - s.at
			}
			piece := s.data[s.at : s.at+n]
			s.at += n
			return token{kind: text, bytes: piece}
		}
	}
	return token{}
}

// control reads the control word or symbol after a backslash.
func (s *scanner) control() token {
	s.at++
	if s.at >= len(s.data) {
		return token{}
	}
	c := s.data[s.at]
	if !isLetter(c) {
		s.at++
		switch c {
		case '\'':
			n, err := strconv.ParseUint(string(s.data[s.at:min(s.at+2, len(s.data))]), 16, 8)
			if err != nil {
				s.escapes++
				return s.next0()
			}
			s.at += 2
			return token{kind: char, number: int(n)}
		case '\r', '\n':
			return token{kind: word, word: "par"}
		}
		return token{kind: symbol, word: string(rune(c))}
	}
	from := s.at
	for s.at < len(s.data) && isLetter(s.data[s.at]) {
		s.at++
	}
	if s.at-from > maxName {
		s.words++
	}
	t := token{kind: word, word: string(s.data[from:min(s.at, from+maxWord)])}
	from = s.at
	if s.at < len(s.data) && s.data[s.at] == '-' {
		s.at++
	}
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		s.at++
	}
	if n, err := strconv.ParseInt(string(s.data[from:min(s.at, from+12)]), 10, 32); err == nil {
		t.number, t.given = int(n), true
	}
	if s.at < len(s.data) && s.data[s.at] == ' ' {
		s.at++
	}
	if t.word == "bin" && t.number > 0 {
		left := len(s.data) - s.at
		s.at += min(t.number, left) // binary data
		if rest := bytes.TrimLeft(s.data[s.at:min(s.at+16, len(s.data))], " \r\n"); t.number > left || len(rest) > 0 && rest[0] != '}' && rest[0] != '{' && rest[0] != '\\' {
			s.binary++
		}
	}
	return t
}

// next0 returns a token without meaning.
func (s *scanner) next0() token { return token{kind: word} }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
