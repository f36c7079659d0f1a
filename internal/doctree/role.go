// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strconv"
	"strings"
)

// Role is the meaning of a paragraph style.
type Role uint8

// Roles. Character styles may be Code too.
const (
	Plain Role = iota
	Title
	Subtitle
	Quote
	Code
	Contents  // an entry of a table of contents
	Continues // continues the previous list item
	Term
	Definition // of the preceding term
)

// RoleOf returns the role of the style with this name, in any letter case, and
// the depth of an entry of contents, from 0. Built-in styles have these names
// in files whatever the language of the program is. Plain Text only describes
// the look: people use it for letters, so it is code only if the text looks
// like code.
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
	case "subtitle": // may be based on the style of titles
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
