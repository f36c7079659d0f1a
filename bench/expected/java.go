// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// expectation is a string that a test expects of a document.
type expectation struct{ document, text string }

// token is an identifier, a sign or, if it begins with a quote, a string of Java.
type token string

func (t token) isString() bool { return strings.HasPrefix(string(t), `"`) }

func (t token) text() string {
	if t.isString() {
		return string(t[1:])
	}
	return ""
}

var javaTokens = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\[^u]|\\u+[0-9a-fA-F]{4})'|[\pL_$][\pL\pN_$]*|[0-9][\w.]*|\S`)

// tokens reads Java without its comments.
func tokens(source string) (all []token) {
	for _, t := range javaTokens.FindAllString(source, -1) {
		switch {
		case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "/*"):
			continue
		case t[0] == '"' || t[0] == '\'' && len(t) > 1:
			t = `"` + unescaped(t[1:len(t)-1])
		}
		all = append(all, token(t))
	}
	return all
}

var escape = regexp.MustCompile(`\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|.)`)

// unescaped returns the content of a string of Java.
func unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		switch c := e[1]; {
		case c == 'u':
			n, _ := strconv.ParseUint(e[len(e)-4:], 16, 16) // the expression fits
			return string(rune(n))
		case '0' <= c && c <= '7':
			n, _ := strconv.ParseUint(e[1:], 8, 16)
			return string(rune(n))
		}
		return strings.NewReplacer("n", "\n", "t", "\t", "r", "\r", "b", "\b", "f", "\f").Replace(e[1:])
	})
}

// test is the state for reading the tests of one class.
type test struct {
	find      func(name string) string // returns the path of a document, or ""
	constants map[token]string         // strings by the name of the variable
	setUp     string                   // the document that the set-up of the class names
	several   bool                     // the set-up names several
	inSetUp   bool                     // in this method
	document  string                   // the document that was named last
	written   map[string]bool          // strings outside assertions
	all       []expectation
}

// expectations returns what the assertions of a class expect.
func expectations(source string, find func(name string) string) []expectation {
	t := test{find: find, constants: map[token]string{}, written: map[string]bool{}}
	all, depth := tokens(source), 0
	for i := 0; i < len(all); i++ {
		switch {
		case all[i] == "{":
			if depth++; depth == 2 {
				t.begin(all[:i])
			}
		case all[i] == "}":
			depth--
		case all[i].isString():
			value, n := t.expression(all[i:])
			t.name(value, depth)
			i += n - 1
		case strings.HasPrefix(string(all[i]), "assert") && i+1 < len(all) && all[i+1] == "(":
			args, n := arguments(all[i+2:])
			for _, arg := range args { // a document may be opened within an assertion
				if value, m := t.expression(arg); m != len(arg) {
					for _, a := range arg {
						t.open(a.text())
					}
				} else {
					t.open(value)
				}
			}
			t.assert(string(all[i]), args)
			i += n + 1
		case i+2 < len(all) && all[i+1] == "=" && (all[i+2].isString() || t.constants[all[i+2]] != ""):
			if value, n := t.expression(all[i+2:]); i+2+n < len(all) && all[i+2+n] == ";" {
				t.constants[all[i]] = value
				if depth >= 2 {
					t.open(value)
				}
				i += n + 1
			}
		case t.constants[all[i]] != "":
			t.open(t.constants[all[i]])
		}
	}
	return slices.DeleteFunc(t.all, func(e expectation) bool { return t.written[e.text] })
}

// begin begins a method whose head is at the end of all.
func (t *test) begin(all []token) {
	t.document = t.setUp
	if t.several {
		t.document = ""
	}
	head := all[max(0, len(all)-12):]
	t.inSetUp = slices.ContainsFunc(head, func(x token) bool {
		return x == "setUp" || x == "Before" || x == "BeforeClass" || x == "initialize" || x == "init"
	})
}

// name handles a string outside assertions.
func (t *test) name(value string, depth int) {
	if !t.open(value) && depth >= 2 {
		t.written[value] = true
	}
}

// open reports whether value names a document, which is the current one then.
func (t *test) open(value string) bool {
	if len(value) < 4 || strings.ContainsAny(value, "\n\t") {
		return false
	}
	path := t.find(value)
	if path == "" {
		return false
	}
	t.document = path
	if t.inSetUp {
		t.several = t.several || t.setUp != "" && t.setUp != path
		t.setUp = path
	}
	return true
}

// expression reads strings and constants that are joined by "+". n is the number of its
// tokens, or 0 if there is none.
func (t *test) expression(all []token) (value string, n int) {
	for n < len(all) {
		switch {
		case all[n].isString():
			value += all[n].text()
		case t.constants[all[n]] != "":
			value += t.constants[all[n]]
		default:
			return value, max(n-1, 0)
		}
		if n++; n >= len(all) || all[n] != "+" {
			return value, n
		}
		n++
	}
	return value, n
}

// arguments splits the arguments of a call. n is the number of tokens to its end.
func arguments(all []token) (args [][]token, n int) {
	depth, start := 0, 0
	for n, t := range all {
		switch t {
		case "(", "[", "{":
			depth++
		case "]", "}":
			depth--
		case ",":
			if depth == 0 {
				args, start = append(args, all[start:n]), n+1
			}
		case ")":
			if depth--; depth < 0 {
				return append(args, all[start:n]), n + 1
			}
		}
	}
	return args, len(all)
}

// Words in the expression with which a string is compared: about text, and about what is
// not in it.
var (
	aboutText = regexp.MustCompile(`(?i)text|string|content|title|author|subject|comment|body|paragraph|footer|header|label|formatcellvalue|keywords`)
	notText   = regexp.MustCompile(`(?i)formula|style|font|message|getname|sheetname|partname|format[^c]|class|mime|type|reference|range|url|path|xpath|xml|color|bullet|bytes|application|dump|macro`)
)

// markup matches what a program writes around a text, and what only its format has.
var markup = regexp.MustCompile(`</?[a-zA-Z!][^>]*>?.*|\{\\rtf|^PID_|&["A-Z]|\x13|^\.[a-z]+$|="|[;}]$|^[A-Z]{1,2}[0-9]+$`)

// assert handles an assertion.
func (t *test) assert(name string, args [][]token) {
	if t.document == "" {
		return
	}
	var value string
	switch name {
	case "assertEquals", "assertContains", "assertStartsWith", "assertEndsWith", "assertContainsIgnoreCase":
		if name == "assertEquals" && len(args) == 3 {
			args = args[1:] // the first is a message
		}
		if len(args) < 2 {
			return
		}
		args = args[:2]
		at := slices.IndexFunc(args, func(a []token) bool { v, n := t.expression(a); return n == len(a) && v != "" })
		if at < 0 {
			return
		}
		value, _ = t.expression(args[at])
		if other := joined(args[1-at]); name == "assertEquals" && !aboutText.MatchString(other) || notText.MatchString(other) {
			return
		}
	case "assertTrue":
		arg := args[len(args)-1]
		at := slices.IndexFunc(arg, func(x token) bool { return x == "contains" || x == "startsWith" || x == "endsWith" })
		if at < 2 || at+2 >= len(arg) || slices.Contains(arg, "!") || slices.Contains(arg, "|") || notText.MatchString(joined(arg[:at])) {
			return
		}
		value, _ = t.expression(arg[at+2:])
	default:
		return
	}
	letters := strings.IndexFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if letters >= 0 && len(squeezed(value)) > 1 && t.find(value) == "" && !markup.MatchString(value) {
		t.all = append(t.all, expectation{t.document, value})
	}
}

// joined returns tokens as a text.
func joined(all []token) string {
	var b strings.Builder
	for _, t := range all {
		b.WriteString(string(t) + " ")
	}
	return b.String()
}
