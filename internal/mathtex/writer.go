// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTeX is the maximum length of a formula. The rest is omitted.
const maxTeX = 1 << 18

// writer builds TeX and separates commands from following letters.
type writer struct{ b strings.Builder }

// String returns the result without white space at both ends. A TeX space
// command at the end remains.
func (w *writer) String() string {
	s := strings.TrimSpace(w.b.String())
	if half(s) {
		return s + " "
	}
	return s
}

// complete returns tex without a TeX space command at the end.
func complete(tex string) string {
	tex = strings.TrimSpace(tex)
	for half(tex) {
		tex = strings.TrimSpace(tex[:len(tex)-1])
	}
	return tex
}

// half reports whether s ends in an unfinished command.
func half(s string) bool { return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1 }

// raw appends TeX.
func (w *writer) raw(s string) {
	if s == "" || w.b.Len() > maxTeX {
		return
	}
	if first, _ := utf8.DecodeRuneInString(s); isLetter(first) && w.inCommand() {
		w.b.WriteByte(' ')
	}
	w.b.WriteString(s)
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// inCommand reports whether the result ends in a command whose name a letter
// would extend.
func (w *writer) inCommand() bool {
	s := w.b.String()
	i := len(s)
	for i > 0 && isLetter(rune(s[i-1])) {
		i--
	}
	if i == len(s) || i == 0 || s[i-1] != '\\' {
		return false
	}
	backslashes := 0
	for i > 0 && s[i-1] == '\\' {
		backslashes++
		i--
	}
	return backslashes%2 == 1
}

// text appends characters of a formula.
func (w *writer) text(s string) {
	word := 0 // bytes of letters of other scripts before r
	for at, r := range s {
		tex := symbols[r]
		if tex == "" {
			tex = alphanumeric(r)
		}
		if tex == "" && r > 0x7F && unicode.IsLetter(r) {
			word += utf8.RuneLen(r)
			continue
		}
		w.foreign(s[at-word : at])
		word = 0
		if tex != "" {
			w.raw(tex)
			continue
		}
		w.rune(r)
	}
	w.foreign(s[len(s)-word:])
}

// foreign appends letters that have no sign in TeX.
func (w *writer) foreign(word string) {
	if word != "" {
		w.raw(`\text{` + word + `}`)
	}
}

// rune appends a character that is neither a letter of another script nor a symbol.
func (w *writer) rune(r rune) {
	switch {
	case strings.ContainsRune(`#$%&_{}`, r):
		w.raw(`\` + string(r))
	case r == '\u2061' || r == '\u2062' || r == '\u2063' || r == '\u2064' || r == '\u200B' || r == '\uFE00':
		// invisible operators
	case unicode.IsSpace(r):
		w.raw(" ")
	default:
		w.raw(string(r))
	}
}

// words appends text that is not a formula.
func (w *writer) words(s string) {
	if s == "" {
		return
	}
	w.raw(`\text{` + prose(s) + `}`)
}

// prose escapes special characters of text.
func prose(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash `, `{`, `\{`, `}`, `\}`, `#`, `\#`, `$`, `\$`, `%`, `\%`, `&`, `\&`, `_`, `\_`,
		`^`, `\textasciicircum `, `~`, `\textasciitilde `,
	).Replace(s)
}

// group returns tex in braces.
func group(tex string) string { return "{" + tex + "}" }

// script returns tex as a base for scripts. A single character or command needs
// no braces.
func script(tex string) string {
	if utf8.RuneCountInString(tex) == 1 {
		return tex
	}
	if name, ok := strings.CutPrefix(tex, `\`); ok && strings.IndexFunc(name, func(r rune) bool { return !isLetter(r) }) < 0 {
		return tex
	}
	if strings.HasPrefix(tex, `\left`) && strings.HasSuffix(tex, ")") && strings.Count(tex, `\left`) == 1 {
		return tex
	}
	return group(tex)
}

// functions are function names with a TeX command.
var functions = map[string]bool{
	"arccos": true, "arcsin": true, "arctan": true, "arg": true, "cos": true, "cosh": true, "cot": true, "coth": true,
	"csc": true, "deg": true, "det": true, "dim": true, "exp": true, "gcd": true, "hom": true, "inf": true, "ker": true,
	"lg": true, "lim": true, "liminf": true, "limsup": true, "ln": true, "log": true, "max": true, "min": true,
	"Pr": true, "sec": true, "sin": true, "sinh": true, "sup": true, "tan": true, "tanh": true,
}

// function returns the TeX of a function name, or "".
func function(name string) string {
	if strings.HasPrefix(name, "lim") {
		name = strings.Join(strings.Fields(name), "") // as in lim sup
	}
	if functions[name] {
		return `\` + name
	}
	return ""
}

// delimiter returns a bracket in the form for \left and \right, or "".
func delimiter(s string) string {
	switch s {
	case "{", "}":
		return `\` + s
	case "⟨", "〈", "<":
		return `\langle`
	case "⟩", "〉", ">":
		return `\rangle`
	case "⌈":
		return `\lceil`
	case "⌉":
		return `\rceil`
	case "⌊":
		return `\lfloor`
	case "⌋":
		return `\rfloor`
	case "‖", "∥":
		return `\|`
	case "∣":
		return "|"
	case "|", "(", ")", "[", "]", "/":
		return s
	case `\`:
		return `\backslash`
	case "⎰":
		return `\lmoustache`
	case "⎱":
		return `\rmoustache`
	case "⟮":
		return `\lgroup`
	case "⟯":
		return `\rgroup`
	case "⟦":
		return `\llbracket`
	case "⟧":
		return `\rrbracket`
	case "↑":
		return `\uparrow`
	case "↓":
		return `\downarrow`
	case "⇑":
		return `\Uparrow`
	case "⇓":
		return `\Downarrow`
	case "↕":
		return `\updownarrow`
	case "⇕":
		return `\Updownarrow`
	}
	return ""
}

// fence returns body between stretched delimiters. An empty delimiter means
// none. Characters that cannot be stretched keep their size.
func fence(left, right, body string) string {
	w := writer{}
	open, shut := delimiter(left), delimiter(right)
	if left != "" && open == "" || right != "" && shut == "" {
		w.text(left)
		w.raw(body)
		w.text(right)
		return w.String()
	}
	w.raw(`\left` + cmp.Or(open, "."))
	w.raw(body)
	w.raw(`\right` + cmp.Or(shut, "."))
	return w.String()
}

// environment returns the matrix environment that includes these brackets, or
// "".
func environment(left, right string) string {
	switch left + right {
	case "()":
		return "pmatrix"
	case "[]":
		return "bmatrix"
	case "{}":
		return "Bmatrix"
	case "||", "∣∣":
		return "vmatrix"
	case "‖‖", "∥∥":
		return "Vmatrix"
	case "{":
		if right == "" {
			return "cases"
		}
	}
	return ""
}

// raised returns tex as a superscript.
func raised(tex string) string {
	if tex != "" && strings.Trim(tex, "'") == "" || tex == `^{\circ}` {
		return tex // it already is a superscript
	}
	return "^" + group(tex)
}

// limits returns base with limits under and over it. Empty limits are omitted.
func limits(base, under, over string) string {
	name, _ := strings.CutPrefix(base, `\`)
	low, high := hasLimits(name), hasLimits(name)
	switch {
	case (name == "rightarrow" || name == "leftarrow") && over != "":
		if under != "" {
			over = "[" + under + "]" + group(over)
			return `\x` + name + over
		}
		return `\x` + name + group(over)
	case strings.HasPrefix(name, "underbrace{"):
		low = true
	case strings.HasPrefix(name, "overbrace{"):
		high = true
	}
	if over != "" && !high {
		base = `\overset` + group(over) + group(base)
	}
	if under != "" && !low {
		base = `\underset` + group(under) + group(base)
	}
	if under != "" && low {
		base += `_` + group(stacked(under))
	}
	if over != "" && high {
		base += `^` + group(stacked(over))
	}
	return base
}

// stacked returns tex with lines below each other if it has several lines, as
// the limits of large operators may have.
func stacked(tex string) string {
	const begin, end = `\begin{matrix}`, `\end{matrix}`
	lines, ok := strings.CutPrefix(strings.TrimSuffix(tex, end), begin)
	if !ok || !strings.HasSuffix(tex, end) || strings.Contains(lines, " & ") || strings.Contains(lines, `\begin`) {
		return tex
	}
	return `\substack` + group(lines)
}

// hasLimits reports whether the scripts of a command are placed under and over
// it.
func hasLimits(name string) bool {
	if functions[name] || strings.HasPrefix(name, "big") && isWord(name) {
		return true
	}
	switch name {
	case "sum", "prod", "coprod", "int", "iint", "iiint", "oint", "oiint", "oiiint":
		return true
	}
	return false
}

// decorated returns base with an accent and an empty rest if mark is an accent.
// Otherwise it returns base and tex unchanged.
func decorated(base, tex, mark string, command func(string) string) (decoratedBase, rest string) {
	c := command(mark)
	if c == "" || tex == "" || base == `\rightarrow` || base == `\leftarrow` {
		return base, tex
	}
	return accented(c, base), ""
}

// accented returns base with an accent, which is a wide one if base has several
// characters.
func accented(command, base string) string {
	if isWide(base) {
		switch command {
		case `\hat`:
			command = `\widehat`
		case `\tilde`:
			command = `\widetilde`
		case `\bar`:
			command = `\overline`
		case `\vec`:
			command = `\overrightarrow`
		}
	}
	return command + group(base)
}

// isWide reports whether tex has more than one character.
func isWide(tex string) bool {
	if script(tex) == tex {
		return false
	}
	name, letter, ok := strings.Cut(strings.TrimSuffix(tex, "}"), "{")
	return !ok || !isWord(strings.TrimPrefix(name, `\`)) || script(letter) != letter
}

// accentBelow is [accent] for marks below a base.
func accentBelow(mark string) string {
	switch mark {
	case "_", "\u0332", "\u0331", "\u0305", "¯", "‾", "―", "ˍ":
		return `\underline`
	case "⏟", "︸":
		return `\underbrace`
	}
	return ""
}

// accent returns the command of an accent or a brace, or "".
func accent(mark string) string {
	switch mark {
	case "\u0302", "^", "ˆ":
		return `\hat`
	case "\u0303", "~", "˜":
		return `\tilde`
	case "\u0304", "¯", "ˉ":
		return `\bar`
	case "\u0305", "‾", "―", "_":
		return `\overline`
	case "\u0306", "˘":
		return `\breve`
	case "\u0307", "˙":
		return `\dot`
	case "\u0308", "¨":
		return `\ddot`
	case "\u20DB":
		return `\dddot`
	case "\u0301", "´":
		return `\acute`
	case "\u0300", "`":
		return `\grave`
	case "\u030C", "ˇ":
		return `\check`
	case "\u030A", "˚":
		return `\mathring`
	case "\u20D7", "→":
		return `\vec`
	case "\u20D6", "←":
		return `\overleftarrow`
	case "\u20E1", "↔":
		return `\overleftrightarrow`
	case "\u0332":
		return `\underline`
	case "⏞", "︷":
		return `\overbrace`
	case "⏟", "︸":
		return `\underbrace`
	}
	return ""
}

// matrix returns rows as an environment. LibreOffice writes formulas as a stack
// of one row. Such a single cell without brackets needs no environment.
func matrix(environment string, rows [][]string) string {
	switch environment {
	case "matrix", "gathered", "aligned":
		if len(rows) == 1 && len(rows[0]) == 1 {
			return rows[0][0]
		}
	}
	lines := make([]string, len(rows))
	for i, cells := range rows {
		lines[i] = strings.Join(cells, " & ")
	}
	return `\begin{` + environment + `}` + strings.Join(lines, ` \\ `) + `\end{` + environment + `}`
}

// isLetters reports whether s consists of letters.
func isLetters(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isLetter(r) }) < 0
}
