// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// alertOf returns the kind of GFM alert that a class name stands for, or "".
func alertOf(word string) string {
	switch word {
	case "note", "info", "information", "seealso", "abstract", "summary", "question", "example", "todo", "primary", "secondary":
		return "NOTE"
	case "tip", "hint", "success", "check", "done":
		return "TIP"
	case "important":
		return "IMPORTANT"
	case "warning", "warn", "attention":
		return "WARNING"
	case "caution", "danger", "error", "failure", "bug", "critical":
		return "CAUTION"
	}
	return ""
}

// callout returns the kind of GFM alert that n is, or "". It reads the class
// names that Sphinx, MkDocs, Docusaurus, VitePress, Bootstrap, Asciidoctor,
// GitBook, MDN, Obsidian and GitHub use.
func callout(n *html.Node) string {
	if kind := strings.ToLower(dom.Attr(n, "data-callout")); kind != "" {
		if a := alertOf(kind); a != "" {
			return a
		}
		return "NOTE"
	}
	if n.DataAtom == atom.Aside && dom.Attr(n, "role") == "note" {
		return "NOTE"
	}
	class := dom.Attr(n, "class")
	if class == "" {
		return ""
	}
	family, kind := "", ""
	for word := range strings.FieldsSeq(class) {
		word = strings.ToLower(word)
		name := word
		for _, mark := range []string{"theme-", "markdown-", "bs-", "md-"} {
			name = strings.TrimPrefix(name, mark)
		}
		switch name {
		case "admonition", "admonitionblock", "callout", "alert", "notice", "hint", "notecard", "custom-block":
			family = name
			continue
		}
		for _, mark := range []string{"admonition-", "callout-", "alert--", "alert-", "notice--", "notice-"} {
			if rest, ok := strings.CutPrefix(name, mark); ok && alertOf(rest) != "" {
				family, name = strings.TrimRight(mark, "-"), rest
				break
			}
		}
		if a := alertOf(strings.TrimPrefix(name, "style-")); a != "" && kind == "" {
			kind = a
		}
	}
	switch {
	case family == "":
		return ""
	case kind == "" && family == "hint":
		return "TIP"
	case kind == "" && (family == "admonition" || family == "callout"):
		return "NOTE"
	}
	return kind
}

// calloutTitle returns the title element of the callout n, or nil.
func calloutTitle(n *html.Node) *html.Node {
	left := 12 // elements to look at; the title comes first
	for c := n.FirstChild; c != nil && left > 0; c = dom.Next(c, n) {
		if c.Type != html.ElementNode {
			continue
		}
		left--
		title := false
		words(c, func(word string) bool {
			word = strings.ToLower(word)
			title = strings.HasSuffix(word, "-title") || strings.HasSuffix(word, "-heading") || strings.Contains(word, "admonitionheading") ||
				word == "title" || word == "icon" && c.DataAtom == atom.Td
			return !title
		})
		if title {
			return c
		}
	}
	return nil
}

// alert writes the callout n as a quote that begins with its kind. It leaves
// out a title that only repeats the kind.
func (w blockWriter) alert(n *html.Node, kind string) {
	w.paragraph()
	if w.level >= maxNesting {
		w.walk(n)
		w.paragraph()
		return
	}
	outer, mark := w.c, len(w.out)
	head, prefix := label, "> [!"+kind+"]"
	if w.options.Flavor == CommonMark {
		head, prefix = nothing, "> "
	}
	title := calloutTitle(n)
	shown := false
	if title != nil {
		name := strings.TrimRight(textOf(title, 32), ": ")
		shown = alertOf(strings.ToLower(name)) == "" && !strings.EqualFold(name, "notes") && name != ""
		w.skipped = append(w.skipped, title)
	}
	empty := false
	w.nested(quote, prefix, []byte("> "), false, container{last: head}, func() {
		switch {
		case shown:
			w.bold(title)
		case head == nothing:
			w.line.push(frame{style: strong})
			w.line.add(kind[:1] + strings.ToLower(kind[1:]))
			w.line.pop()
			w.paragraph()
		}
		w.walk(n)
		w.paragraph()
		empty = w.c.last == label
	})
	if title != nil {
		w.skipped = w.skipped[:len(w.skipped)-1]
	}
	if empty {
		w.out, w.c = w.out[:mark], outer
	}
}

// bold writes the content of n as a paragraph in bold.
func (w blockWriter) bold(n *html.Node) {
	w.oneLine++
	w.line.push(frame{style: strong})
	w.walk(n)
	w.line.pop()
	w.oneLine--
	w.paragraph()
}
