// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strconv"
	"strings"
)

// Role is what the paragraphs of a style are.
type Role uint8

// The roles. Styles of Code may be of characters too.
const (
	Plain Role = iota
	Title
	Subtitle
	Quote
	Code
	Contents  // an entry of a table of contents
	Continues // the item of a list before it
	Term
	Definition // of a term before it
)

// RoleOf returns the role of the style of that name, in any case, and the depth
// of an entry of contents, from 0. Built-in styles have these names in files
// whatever the language of the program. Plain Text is a look: letters have it,
// and programs only where they look like some.
func RoleOf(name string) (role Role, depth int) {
	name = strings.TrimSuffix(strings.ToLower(name), " tight")
	for _, prefix := range []string{"toc ", "contents "} {
		if n, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.Atoi(n); err == nil {
				return Contents, max(0, min(n, 9)-1)
			}
		}
	}
	switch name {
	case "title":
		return Title, 0
	case "subtitle": // which may be based on the title
		return Subtitle, 0
	case "definition term", "list heading":
		return Term, 0
	case "definition", "definition definition", "list contents":
		return Definition, 0
	case "quote", "intense quote", "block text", "blockquote", "block quote", "block quotation", "quotations":
		return Quote, 0
	case "html preformatted", "source code", "preformatted text", "macro text", "macro", "code", "code block", "listing",
		"html code", "html typewriter", "html sample", "html keyboard", "verbatim char", "source text", "code char", "inline code",
		"sourcecode", "program listing", "computer code", "verbatim":
		return Code, 0
	}
	// LibreOffice: List 1 Cont. and Numbering 1 Cont.
	if strings.HasPrefix(name, "list continue") || strings.HasSuffix(name, " cont.") {
		return Continues, 0
	}
	return Plain, 0
}
