// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/pattern"
	"example.com/curlew/internal/sorting"
)

// Parse parses a list of selectors. The error is an [*Error].
//
// Pseudo-elements are unknown, because no element matches one. Dynamic states
// (:hover, :focus, :visited) match nothing. The only namespace syntax is *|tag.
// An invalid selector within :is or :where makes the whole list invalid.
func Parse(text string) (*Selector, error) {
	p := &parser{s: text}
	if len(text) > MaxLength {
		return nil, p.fail(ErrTooLarge, "selector is longer than "+strconv.Itoa(MaxLength)+" bytes")
	}
	list, err := p.list(false)
	if err != nil {
		return nil, err
	}
	if p.i < len(p.s) {
		return nil, p.unexpected("combinator or end")
	}
	return &Selector{text: text, list: list}, nil
}

type parser struct {
	s         string
	i         int // position
	depth     int // of nested lists
	compounds int
}

func (p *parser) fail(kind error, reason string) *Error {
	return &Error{Offset: p.i, Reason: reason, Err: kind}
}

// list parses selectors separated by commas. Relative ones may start with a
// combinator.
func (p *parser) list(relative bool) ([]chain, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(ErrTooLarge, "selectors are nested too deep")
	}
	defer func() { p.depth-- }()
	var all []chain
	for {
		c, err := p.chain(relative)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if !p.take(',') {
			return all, nil
		}
	}
}

func (p *parser) chain(relative bool) (chain, error) {
	var c chain
	comb := byte(0)
	p.space()
	if relative {
		comb = ' '
		if k := p.peek(); isCombinator(k) {
			comb = k
			p.i++
			p.space()
		}
	}
	for {
		tests, err := p.compound()
		if err != nil {
			return nil, err
		}
		c = append(c, step{comb, tests})
		comb = 0
		if p.space() {
			comb = ' '
		}
		switch k := p.peek(); {
		case p.i >= len(p.s) || k == ',' || k == ')':
			return c, nil
		case isCombinator(k):
			comb = k
			p.i++
			p.space()
		}
		if comb == 0 {
			return nil, p.unexpected("combinator or end")
		}
	}
}

func isCombinator(c byte) bool { return c == '>' || c == '+' || c == '~' }

// compound parses the simple selectors of one element, and moves the cheap ones to the
// front.
func (p *parser) compound() ([]test, error) {
	if p.compounds++; p.compounds > maxCompounds {
		return nil, p.fail(ErrTooLarge, "selector has too many parts")
	}
	var tests []test
	start := p.i
	switch c := p.peek(); c {
	case '*':
		p.i++
		if !p.take('|') || p.take('*') {
			break
		}
		fallthrough
	default:
		if c == '#' || c == '.' || c == '[' || c == ':' {
			break
		}
		name, err := p.identifier("selector")
		if err != nil {
			return nil, err
		}
		tests = append(tests, test{kind: isTag, name: lower(name), raw: name})
	}
	for {
		var t test
		var err error
		switch p.peek() {
		case '#':
			p.i++
			t.kind = isID
			t.name, err = p.name("identifier")
		case '.':
			p.i++
			t.kind = isClass
			t.name, err = p.identifier("identifier")
		case '[':
			t, err = p.attribute()
		case ':':
			t, err = p.pseudo()
		default:
			if p.i == start {
				return nil, p.unexpected("selector")
			}
			sorting.Stable(tests, func(a, b test) int { return cmp.Compare(a.kind, b.kind) })
			return tests, nil
		}
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
}

// attribute parses [name] or [name op value flag].
func (p *parser) attribute() (t test, err error) {
	p.i++
	p.space()
	if p.peek() == '*' && strings.HasPrefix(p.s[p.i:], "*|") {
		p.i += 2
	}
	name, err := p.identifier("identifier")
	if err != nil {
		return t, err
	}
	t = test{kind: hasAttribute, name: lower(name), raw: name}
	p.space()
	if p.take(']') {
		return t, nil
	}
	t.kind = attributeTest
	switch c := p.peek(); {
	case c == '=':
		t.op = c
		p.i++
	case p.i+1 < len(p.s) && p.s[p.i+1] == '=' && strings.IndexByte("!~|^$*#", c) >= 0:
		t.op = c
		p.i += 2
	default:
		return t, p.unexpected("operator")
	}
	p.space()
	switch c := p.peek(); {
	case t.op == '#':
		t.re, t.size, err = p.pattern()
	case c == '"' || c == '\'':
		t.val, err = p.quoted()
	default:
		t.val, err = p.identifier("identifier")
	}
	if err != nil {
		return t, err
	}
	p.space()
	switch p.peek() {
	case 'i', 'I':
		t.fold = true
		p.i++
	case 's', 'S':
		p.i++
	}
	p.space()
	if !p.take(']') {
		return t, p.unexpected("]")
	}
	if t.fold && t.op != '=' && t.op != '!' {
		t.val = strings.ToLower(t.val)
	}
	return t, nil
}

// states are pseudo-classes for dynamic states, which match nothing.
var states = map[string]bool{
	"active": true, "focus": true, "focus-visible": true, "focus-within": true, "hover": true, "target": true, "target-within": true, "visited": true,
}

// plain are pseudo-classes without arguments.
var plain = []struct {
	name      string
	kind      kind
	b         int
	last, kin bool
}{
	{name: "any-link", kind: isLink},
	{name: "checked", kind: isChecked},
	{name: "disabled", kind: isDisabled},
	{name: "empty", kind: isEmpty},
	{name: "enabled", kind: isEnabled},
	{name: "first-child", kind: isNth, b: 1},
	{name: "first-of-type", kind: isNth, b: 1, kin: true},
	{name: "input", kind: isInput},
	{name: "last-child", kind: isNth, b: 1, last: true},
	{name: "last-of-type", kind: isNth, b: 1, last: true, kin: true},
	{name: "link", kind: isLink},
	{name: "only-child", kind: isOnly},
	{name: "only-of-type", kind: isOnly, kin: true},
	{name: "optional", kind: isOptional},
	{name: "required", kind: isRequired},
	{name: "root", kind: isRoot},
	{name: "scope", kind: isRoot},
}

// pseudo parses a pseudo-class.
func (p *parser) pseudo() (t test, err error) {
	p.i++
	at := p.i
	if p.peek() == ':' {
		return t, p.fail(ErrUnknown, "pseudo-elements are not supported")
	}
	name, err := p.identifier("identifier")
	if err != nil {
		return t, err
	}
	name = lower(name)
	if states[name] {
		return test{kind: isNever}, nil
	}
	for _, c := range plain {
		if c.name == name {
			return test{kind: c.kind, b: c.b, last: c.last, kin: c.kin}, nil
		}
	}
	read, ok := functions[name]
	if !ok {
		p.i = at
		return t, p.fail(ErrUnknown, "unknown pseudo-class or pseudo-element "+strconv.Quote(name[:min(len(name), 100)]))
	}
	if !p.take('(') {
		return t, p.unexpected("(")
	}
	p.space()
	if t, err = read(p, name); err != nil {
		return t, err
	}
	p.space()
	if !p.take(')') {
		return t, p.unexpected(")")
	}
	return t, nil
}

// functions parse the arguments of pseudo-classes.
var functions map[string]func(p *parser, name string) (test, error)

func init() { //nolint:gochecknoinits // the functions read lists, which read functions
	functions = map[string]func(*parser, string) (test, error){
		"is": (*parser).selectors, "where": (*parser).selectors, "not": (*parser).selectors, "has": (*parser).having, "haschild": (*parser).having,
		"nth-child": (*parser).nth, "nth-last-child": (*parser).nth, "nth-of-type": (*parser).nth, "nth-last-of-type": (*parser).nth,
		"contains": (*parser).containing, "containsown": (*parser).containing,
		"matches": (*parser).matching, "matchesown": (*parser).matching,
		"lang": (*parser).languages,
	}
}

func (p *parser) selectors(name string) (test, error) {
	t := test{kind: isAny, zero: name == "where"}
	if name == "not" {
		t.kind = isNone
	}
	var err error
	t.list, err = p.list(false)
	t.own = single(t.list)
	return t, err
}

// single reports whether every chain is one compound.
func single(list []chain) bool {
	return !slices.ContainsFunc(list, func(c chain) bool { return len(c) > 1 })
}

// having parses the relative selectors of :has. Those of :haschild apply to
// children.
func (p *parser) having(name string) (test, error) {
	list, err := p.list(name == "has")
	if name == "haschild" {
		list = []chain{{{comb: '>', tests: []test{{kind: isAny, list: list, own: single(list)}}}}}
	}
	return test{kind: isHaving, list: list}, err
}

func (p *parser) containing(name string) (t test, err error) {
	if c := p.peek(); c == '"' || c == '\'' {
		t.val, err = p.quoted()
	} else {
		t.val, err = p.identifier("identifier")
	}
	t.kind, t.val = contains, strings.ToLower(t.val)
	if name == "containsown" {
		t.kind = containsOwn
	}
	return t, err
}

func (p *parser) matching(name string) (t test, err error) {
	if t.kind = matches; name == "matchesown" {
		t.kind = matchesOwn
	}
	t.re, t.size, err = p.pattern()
	return t, err
}

// languages parses the list of :lang, which works like :is.
func (p *parser) languages(string) (test, error) {
	t := test{kind: isAny, own: true}
	for {
		one := test{kind: isLang}
		var err error
		if c := p.peek(); c == '"' || c == '\'' {
			one.val, err = p.quoted()
		} else {
			one.val, err = p.identifier("identifier")
		}
		if err != nil {
			return t, err
		}
		t.list = append(t.list, chain{{tests: []test{one}}})
		p.space()
		if !p.take(',') {
			break
		}
		p.space()
	}
	if len(t.list) == 1 {
		return t.list[0][0].tests[0], nil
	}
	return t, nil
}

// nth parses an+b, and the optional list of selectors that children must match
// to be counted.
func (p *parser) nth(name string) (t test, err error) {
	t = test{kind: isNth, last: strings.HasPrefix(name, "nth-last"), kin: strings.HasSuffix(name, "of-type")}
	if t.a, t.b, err = p.formula(); err != nil || t.kin {
		return t, err
	}
	at := p.i
	if p.space() && len(p.s) > p.i+2 && strings.EqualFold(p.s[p.i:p.i+2], "of") && !isNameByte(p.s[p.i+2]) {
		p.i += 2
		t.kind = isNthOf
		t.list, err = p.list(false)
		return t, err
	}
	p.i = at
	return t, nil
}

// formula parses an+b, odd, or even.
func (p *parser) formula() (a, b int, err error) {
	rest := lower(p.s[p.i:])
	for name, n := range map[string]int{"odd": 1, "even": 0} {
		if strings.HasPrefix(rest, name) && (len(rest) == len(name) || !isNameByte(rest[len(name)])) {
			p.i += len(name)
			return 2, n, nil
		}
	}
	sign := 1
	if p.take('-') {
		sign = -1
	} else {
		p.take('+')
	}
	n, ok, err := p.integer()
	if err != nil {
		return 0, 0, err
	}
	if c := p.peek(); c != 'n' && c != 'N' {
		if !ok {
			return 0, 0, p.unexpected("number, odd, or even")
		}
		return 0, sign * n, nil
	}
	p.i++
	if a = sign; ok {
		a = sign * n
	}
	at := p.i
	p.space()
	switch c := p.peek(); c {
	case '+', '-':
		p.i++
		p.space()
		if b, ok, err = p.integer(); err != nil || !ok {
			return 0, 0, cmp.Or[error](err, p.unexpected("number"))
		}
		if c == '-' {
			b = -b
		}
	default:
		p.i = at
	}
	return a, b, nil
}

// pattern parses a regular expression up to the closing parenthesis of its
// function.
func (p *parser) pattern() (*regexp.Regexp, int, error) {
	open, i := 0, p.i
scan:
	for ; i < len(p.s); i++ {
		switch p.s[i] {
		case '(', '[':
			open++
		case ')', ']':
			if open--; open < 0 {
				break scan
			}
		}
	}
	if i == len(p.s) || i == p.i {
		return nil, 0, p.fail(ErrSyntax, "expected a regular expression and its end")
	}
	text := p.s[p.i:i]
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, p.fail(ErrSyntax, "invalid regular expression")
	}
	size := pattern.Steps(tree)
	if size > maxPattern {
		return nil, 0, p.fail(ErrTooLarge, "regular expression is too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, 0, p.fail(ErrSyntax, "invalid regular expression")
	}
	p.i = i
	return re, size, nil
}
