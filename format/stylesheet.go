// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Limits for the style sheets of one page.
const (
	maxSheets      = 10
	maxSheetBytes  = 2 << 20 // all sheets together
	maxStyleRules  = 50_000
	maxDeclared    = 200_000
	maxStyleValue  = 4 << 10 // bytes
	maxStyleName   = 200     // bytes
	maxStyleDepth  = 16      // nested at-rules
	viewportWidth  = 1280    // px, for media queries
	rootFontPixels = 16
)

// A styleRule is a selector with its declarations.
type styleRule struct {
	selector string
	declared []declaration
}

// A declaration sets one property. Its value has folded white space and no
// !important.
type declaration struct {
	name, value string // name in lower case
	important   bool
}

// A stylesheet contains the rules of all sheets in order.
type stylesheet struct {
	rules    []styleRule
	faces    []string // families of @font-face
	imports  []string // URLs, as written
	declared int
	left     int // rules that were left out because of a limit
}

// read adds the rules of a sheet. It skips invalid rules, as CSS error recovery
// requires.
func (s *stylesheet) read(text string) { //nolint:gocognit // one case a kind of grammar
	p := css.NewParser(parse.NewInputString(text), false)
	var selectors []string
	var block *[]declaration
	depth, skipped, face := 0, 0, false // open at-rules, how many of them do not apply, inside @font-face
	var body []declaration
	for {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if !p.HasParseError() {
				return
			}
		case css.AtRuleGrammar:
			if strings.EqualFold(string(data), "@import") && skipped == 0 && len(s.imports) < maxSheets {
				s.imports = appendImport(s.imports, p.Values())
			}
		case css.BeginAtRuleGrammar:
			name := strings.ToLower(string(data))
			depth++
			face = name == "@font-face"
			counts := face || name == "@layer" || name == "@supports" || name == "@media" && mediaHolds(valueOf(p.Values()))
			if skipped > 0 || !counts || depth > maxStyleDepth {
				skipped++
			}
			if face {
				body, block = nil, &body
			}
		case css.EndAtRuleGrammar:
			depth--
			if skipped > 0 {
				skipped--
			}
			if face {
				for _, d := range body {
					if d.name == "font-family" && len(s.faces) < 50 {
						s.faces = append(s.faces, unquoted(d.value))
					}
				}
				face, block = false, nil
			}
		case css.BeginRulesetGrammar:
			selectors = selectorsOf(valueOf(p.Values()))
			body, block = nil, &body
		case css.EndRulesetGrammar:
			if skipped == 0 && len(body) > 0 {
				for _, one := range selectors {
					switch {
					case one == "":
					case len(s.rules) == maxStyleRules || len(one) > maxSelectorSize:
						s.left++
					default:
						s.rules = append(s.rules, styleRule{one, body})
					}
				}
			}
			selectors, block = nil, nil
		case css.DeclarationGrammar, css.CustomPropertyGrammar:
			if block != nil && skipped == 0 && s.declared < maxDeclared && len(data) <= maxStyleName {
				if d, ok := declare(string(data), p.Values()); ok {
					s.declared++
					*block = append(*block, d)
				}
			}
		}
	}
}

// selectorsOf splits a list of selectors at commas outside brackets.
func selectorsOf(s string) []string {
	var all []string
	start, depth := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			switch s[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
			if s[i] != ',' || depth > 0 {
				continue
			}
		}
		all = append(all, strings.TrimSpace(s[start:i]))
		start = i + 1
	}
	return all
}

// readInline returns the declarations of a style attribute.
func readInline(text string) []declaration {
	p := css.NewParser(parse.NewInputString(cut(text, 16<<10)), true)
	var all []declaration
	for {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if !p.HasParseError() {
				return all
			}
		case css.DeclarationGrammar, css.CustomPropertyGrammar:
			if d, ok := declare(string(data), p.Values()); ok && len(all) < 500 {
				all = append(all, d)
			}
		}
	}
}

func declare(name string, values []css.Token) (declaration, bool) {
	d := declaration{name: strings.ToLower(name), value: valueOf(values)}
	if strings.HasPrefix(name, "--") {
		d.name = name // names of variables are case-sensitive
	}
	lower := strings.ToLower(d.value)
	if i := strings.LastIndexByte(lower, '!'); i >= 0 && strings.TrimSpace(lower[i+1:]) == "important" {
		d.value, d.important = strings.TrimSpace(d.value[:i]), true
	}
	return d, d.value != "" && len(d.value) <= maxStyleValue
}

// valueOf joins tokens without the comments.
func valueOf(tokens []css.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		if b.Len() > maxStyleValue {
			break
		}
		switch t.TokenType {
		case css.CommentToken:
		case css.WhitespaceToken:
			b.WriteByte(' ')
		default:
			b.Write(t.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// appendImport adds the URL of an @import if its media query applies.
func appendImport(all []string, tokens []css.Token) []string {
	value := valueOf(tokens)
	ref, media, _ := strings.Cut(value, " ")
	ref = strings.TrimSuffix(strings.TrimPrefix(ref, "url("), ")")
	if ref = unquoted(ref); ref == "" || !mediaHolds(media) {
		return all
	}
	return append(all, ref)
}

// mediaHolds reports whether a media query applies to a screen of 1280 pixels
// with a light colour scheme. Unknown conditions do not apply.
func mediaHolds(query string) bool {
	query = strings.ToLower(strings.TrimSpace(query))
	if query == "" {
		return true
	}
	for part := range strings.SplitSeq(query, ",") {
		if mediaPart(strings.TrimSpace(part)) {
			return true
		}
	}
	return false
}

func mediaPart(query string) bool {
	holds := true
	rest, negated := strings.CutPrefix(query, "not ")
	for cond := range strings.SplitSeq(rest, " and ") {
		cond = strings.Trim(cond, " ()")
		name, val, _ := strings.Cut(cond, ":")
		name, val = strings.TrimSpace(name), strings.TrimSpace(val)
		px, ok := length(val, rootFontPixels, rootFontPixels)
		switch name {
		case "screen", "all", "only screen", "":
		case "min-width", "min-device-width":
			holds = holds && ok && px <= viewportWidth
		case "max-width", "max-device-width":
			holds = holds && ok && px >= viewportWidth
		case "prefers-color-scheme":
			holds = holds && val == "light"
		case "orientation":
			holds = holds && val == "landscape"
		case "hover", "any-hover":
			holds = holds && val != "none"
		case "pointer", "any-pointer":
			holds = holds && val != "coarse" && val != "none"
		case "prefers-reduced-motion":
			holds = holds && val == "no-preference"
		default:
			if !rangeHolds(cond) {
				holds = false
			}
		}
	}
	return holds != negated
}

// rangeHolds evaluates a range such as width >= 600px.
func rangeHolds(cond string) bool {
	for _, op := range []string{">=", "<=", ">", "<"} {
		left, right, ok := strings.Cut(cond, op)
		if !ok {
			continue
		}
		left, right = strings.TrimSpace(left), strings.TrimSpace(right)
		if left != "width" {
			return false
		}
		px, ok := length(right, rootFontPixels, rootFontPixels)
		return ok && (op[0] == '>') == (px <= viewportWidth)
	}
	return false
}

func unquoted(s string) string { return strings.Trim(strings.TrimSpace(s), `"' `) }
