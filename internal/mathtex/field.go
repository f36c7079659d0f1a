// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxArguments = 30 // maximum depth of nested switches

// Field converts an EQ field of Word, whose instruction is given without the
// name (ECMA-376 part 1, 17.16.5.17). It returns TeX. If the field only shows
// the pronunciation above a word, it returns text with the pronunciation in
// brackets.
func Field(instruction string) (tex, text string) {
	p := eqField{s: instruction}
	for strings.HasPrefix(strings.TrimSpace(p.s), `\*`) { // formatting of the result
		_, rest, ok := strings.Cut(p.s, `\o`)
		if !ok {
			return "", ""
		}
		p.s = `\o` + rest
	}
	all := p.part("")
	if all.ruby {
		return "", all.text
	}
	return complete(all.tex), ""
}

// eqField is the rest of an instruction.
type eqField struct {
	s     string
	depth int
}

// eqPart is an argument of a switch.
type eqPart struct {
	tex, text string
	raised    bool // only a superscript or subscript
	ruby      bool // only a word and its pronunciation
}

// part reads up to one of the characters in ends or a list separator, or to the
// end.
func (p *eqField) part(ends string) eqPart {
	var w writer
	var text strings.Builder
	var only eqPart
	parts, brackets := 0, 0
	for p.s != "" {
		r, size := utf8.DecodeRuneInString(p.s)
		if brackets == 0 && strings.ContainsRune(ends, r) {
			break
		}
		p.s = p.s[size:]
		next, width := utf8.DecodeRuneInString(p.s)
		switch {
		case r == '\\' && unicode.IsLetter(next):
			only = p.command()
			w.raw(only.tex)
			text.WriteString(only.text)
			parts++
			continue
		case r == '\\' && p.s != "":
			r, p.s = next, p.s[width:]
		case r == '(':
			brackets++
		case r == ')' && brackets > 0:
			brackets--
		}
		if !unicode.IsSpace(r) || w.b.Len() > 0 && p.s != "" {
			w.text(string(r))
		}
		text.WriteRune(r)
		if !unicode.IsSpace(r) {
			parts += 2
		}
	}
	if parts == 1 {
		return only
	}
	return eqPart{tex: w.String(), text: strings.TrimSpace(text.String())}
}

// command reads a switch after its backslash, with its options and arguments.
func (p *eqField) command() eqPart {
	name := unicode.ToLower(rune(p.s[0]))
	p.s = p.s[1:]
	options := p.options()
	if p.depth++; p.depth > maxArguments || !strings.HasPrefix(p.s, "(") {
		p.depth--
		return eqPart{}
	}
	var args []eqPart
	for p.s != "" && p.s[0] != ')' {
		p.s = p.s[1:]
		args = append(args, p.part(",;)"))
	}
	p.s = strings.TrimPrefix(p.s, ")")
	p.depth--
	return apply(name, options, args)
}

// options reads the options of a switch: names with a number or a character.
func (p *eqField) options() map[string]string {
	options := map[string]string{}
	for {
		p.s = strings.TrimLeft(p.s, " \u00A0")
		rest, ok := strings.CutPrefix(p.s, `\`)
		end := strings.IndexFunc(rest, func(r rune) bool { return !isLetter(r) })
		if !ok || end <= 0 {
			return options
		}
		name := strings.ToLower(rest[:end])
		rest = rest[end:]
		if strings.HasSuffix(name, "c") && len(name) == 2 && name != "ac" { // \lc\{
			rest = strings.TrimPrefix(rest, `\`)
			_, size := utf8.DecodeRuneInString(rest)
			options[name], p.s = rest[:size], rest[size:]
			continue
		}
		value := strings.TrimLeft(rest, " ")
		end = strings.IndexFunc(value, func(r rune) bool { return r != '-' && r != '.' && (r < '0' || r > '9') })
		if end < 0 {
			end = len(value)
		}
		options[name], p.s = value[:end], value[end:]
	}
}

// apply returns the result of a switch for its arguments.
func apply(name rune, options map[string]string, args []eqPart) eqPart {
	at := func(i int) string {
		if i < len(args) {
			return args[i].tex
		}
		return ""
	}
	has := func(option string) bool { _, ok := options[option]; return ok }
	var list, texts []string
	for _, a := range args {
		list, texts = append(list, a.tex), append(texts, a.text)
	}
	all := eqPart{text: strings.Join(texts, "")}
	switch name {
	case 'f':
		all.tex = `\frac` + group(at(0)) + group(at(1))
	case 'r':
		switch {
		case len(args) < 2:
			all.tex = `\sqrt` + group(at(0))
		case at(0) == "":
			all.tex = `\sqrt` + group(at(1))
		default:
			all.tex = `\sqrt[` + at(0) + `]` + group(at(1))
		}
	case 's':
		all.raised = true
		all.tex = raised(strings.Join(list, ","))
		if has("do") {
			all.tex = "_" + group(strings.Join(list, ","))
		}
	case 'o':
		return overstrike(args)
	case 'b':
		all.tex = inBrackets(options, strings.Join(list, ","))
	case 'a':
		columns := 0
		for _, c := range options["co"] {
			columns = min(columns*10+int(c-'0'), 64)
		}
		columns = max(columns, 1)
		var rows [][]string
		for i := 0; i < len(list); i += columns {
			rows = append(rows, list[i:min(i+columns, len(list))])
		}
		all.tex = matrix("matrix", rows)
	case 'i':
		var w writer
		switch {
		case options["fc"]+options["vc"] != "":
			w.text(options["fc"] + options["vc"])
		case has("su"):
			w.raw(`\sum`)
		case has("pr"):
			w.raw(`\prod`)
		default:
			w.raw(`\int`)
		}
		if at(0) != "" {
			w.raw("_" + group(at(0)))
		}
		if at(1) != "" {
			w.raw("^" + group(at(1)))
		}
		w.raw(group(at(2)))
		all.tex = w.String()
	case 'x':
		all.tex = `\boxed` + group(at(0))
		if has("to") && !has("bo") {
			all.tex = `\overline` + group(at(0))
		} else if has("bo") && !has("to") {
			all.tex = `\underline` + group(at(0))
		}
	case 'd': // moves the following text
	default:
		all.tex = strings.Join(list, ",")
	}
	return all
}

// inBrackets returns body in the brackets of a \b switch.
func inBrackets(options map[string]string, body string) string {
	left, right := options["lc"], options["rc"]
	if c := options["bc"]; c != "" {
		left, right = c, c
		if p, ok := partners[c]; ok {
			right = p
		}
	}
	if left+right == "" {
		left, right = "(", ")"
	}
	const begin, end = `\begin{matrix}`, `\end{matrix}`
	rows, ok := strings.CutPrefix(strings.TrimSuffix(body, end), begin)
	if name := environment(left, right); name != "" && ok && strings.HasSuffix(body, end) && !strings.Contains(rows, `\begin`) {
		return `\begin{` + name + `}` + rows + `\end{` + name + `}`
	}
	return fence(left, right, body)
}

// overstrike returns characters on top of each other: a word with its
// pronunciation, a character with an accent, or other characters at the same
// place.
func overstrike(args []eqPart) eqPart {
	base, mark := eqPart{}, eqPart{}
	for _, a := range args {
		if a.raised {
			mark = a
			continue
		}
		base.tex, base.text = base.tex+a.tex, base.text+a.text
	}
	if mark.tex == "" || base.tex == "" {
		return eqPart{tex: base.tex + mark.tex, text: base.text}
	}
	if isForeign(base.text) && strings.IndexFunc(mark.text, unicode.IsLetter) >= 0 {
		return eqPart{tex: base.tex, text: base.text + "(" + mark.text + ")", ruby: true}
	}
	sub, sup := strings.CutPrefix(mark.tex, "_")
	tex := strings.TrimPrefix(sub, "^")
	tex = strings.TrimSuffix(strings.TrimPrefix(tex, "{"), "}")
	if sup {
		tex, under := decorated(base.tex, tex, mark.text, accentBelow)
		return eqPart{tex: limits(tex, under, ""), text: base.text}
	}
	tex, over := decorated(base.tex, tex, mark.text, accent)
	return eqPart{tex: limits(tex, "", over), text: base.text}
}

// isForeign reports whether s consists of letters that do not occur in
// formulas.
func isForeign(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < 0x2E80 || !unicode.IsLetter(r) }) < 0
}
