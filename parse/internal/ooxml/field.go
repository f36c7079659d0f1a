// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
)

// Field is the instruction of a field of Word.
type Field struct {
	Name string   // type in upper case, such as "HYPERLINK"
	Args []string // its arguments and switches
	code string   // what follows the type
}

// maxArgs is the maximum number of arguments of a field.
const maxArgs = 100

// ParseField divides the instruction of a field at its spaces. A text in quotation marks is one word.
func ParseField(instruction string) (f Field) {
	const spaces = " \t\r\n\u00A0"
	s := strings.TrimLeft(instruction, spaces)
	for s != "" && len(f.Args) < maxArgs {
		var word string
		if open := quoted(s); open > 0 {
			word, s = unquote(s[open:])
		} else {
			end := strings.IndexAny(s, spaces+`"“`)
			if end < 0 {
				end = len(s)
			}
			word, s = s[:end], s[end:]
		}
		if f.Name == "" {
			f.Name, f.code = strings.ToUpper(word), s
		} else {
			f.Args = append(f.Args, word)
		}
		s = strings.TrimLeft(s, spaces)
	}
	return f
}

// quoted returns the length of the quotation mark at the start of s, or 0.
func quoted(s string) int {
	switch {
	case s[0] == '"':
		return 1
	case strings.HasPrefix(s, "“"):
		return len("“")
	}
	return 0
}

// unquote returns the text up to the next quotation mark, without backslashes that quote
// others or quotation marks, and what follows the mark.
func unquote(s string) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case strings.HasPrefix(s[i:], "”"):
			return b.String(), s[i+len("”"):]
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"'):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// Href returns the target of the link that the result of the field is, or "" if it is not a link.
func (f Field) Href() string {
	switch f.Name {
	case "REF", "PAGEREF", "NOTEREF":
		if len(f.Args) > 0 {
			return doctree.Href("#" + f.Args[0])
		}
		return ""
	case "HYPERLINK":
	default:
		return ""
	}
	target, anchor := "", ""
	for i := 0; i < len(f.Args); i++ {
		switch strings.ToLower(f.Args[i]) {
		case `\l`:
			if i++; i < len(f.Args) {
				anchor = "#" + f.Args[i]
			}
		case `\o`, `\t`, `\s`:
			i++ // tooltip, frame
		case `\m`, `\n`, `\h`:
		default:
			if target == "" {
				target = f.Args[i]
			}
		}
	}
	return doctree.Href(target + anchor)
}

// Stores reports whether the result of the field is stored in the file but never shown: the
// field gives a name to a text, which other fields show.
func (f Field) Stores() bool { return f.Name == "SET" || f.Name == "ASK" }

// silent are the fields whose missing result is no loss: they show nothing, or only what depends on the
// program that shows the document, which are the numbers of pages and the current time.
const silent = " PAGE NUMPAGES SECTION SECTIONPAGES DATE TIME XE TC TA RD SET ASK NEXT NEXTIF SKIPIF ADVANCE PRINT PRIVATE BIDIOUTLINE ADDIN " +
	"FORMTEXT FORMCHECKBOX FORMDROPDOWN CONTROL HTMLCONTROL EMBED SHAPE "

// ruby returns a text with its pronunciation in parentheses, or "" if the field is a
// formula. Word 97 writes EQ \* jc2 \* hps10 \o\ad(\s\up 9(pronunciation),text).
func (f Field) ruby() string {
	_, s, ok := strings.Cut(f.code, `\s\up`)
	_, s, _ = strings.Cut(s, "(")
	above, text, _ := strings.Cut(s, ")")
	if text = strings.TrimRight(strings.TrimLeft(text, ",; "), ") "); !ok || text == "" || !strings.Contains(f.code, `\* jc`) {
		return ""
	}
	return text + "(" + above + ")"
}

// Alone returns what the field shows without a result: a formula in TeX, or a text. If
// unfilled is set, it would show a text that the file does not have.
func (f Field) Alone() (tex, text string, unfilled bool) {
	switch f.Name {
	case "":
	case "EQ":
		if text = f.ruby(); text == "" {
			tex, text = mathtex.Field(f.code)
		}
	case "SYMBOL":
		if len(f.Args) == 0 {
			break
		}
		font := ""
		if i := slices.Index(f.Args, `\f`); i >= 0 && i+1 < len(f.Args) {
			font = f.Args[i+1]
		}
		if code, err := strconv.ParseUint(f.Args[0], 0, 16); err == nil && code >= ' ' && code < 0xFFFE {
			text = Symbol(font, rune(code))
		}
	case "MACROBUTTON", "GOTOBUTTON": // the text that starts the macro follows its name
		if len(f.Args) > 1 {
			text = strings.Join(f.Args[1:], " ")
		}
	default:
		unfilled = !strings.Contains(silent, " "+f.Name+" ")
	}
	return tex, text, unfilled
}
