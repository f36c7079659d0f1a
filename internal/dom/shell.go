// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// enough is a number of characters. A page with so much text needs no scripts.
const enough = 200

// places contains the ids of elements that JavaScript frameworks fill.
var places = []string{"root", "app", "__next", "__nuxt", "___gatsby", "react-root", "main-app", "svelte", "q-app", "ember-app", "app-root"}

// loading contains words that pages show while they load, in lower case.
var loading = []string{"loading", "please wait", "wird geladen", "lädt", "chargement", "cargando", "carregando", "caricamento", "laden", "загрузка", "読み込み中", "加载中", "載入中", "로딩"}

// needed is a word that occurs in each notice that scripts are needed, in lower
// case, because it is the same in all languages.
const needed = "javascript"

// IsShell reports whether a document is empty without its scripts. Such a document has
// scripts, hardly any text, and one of these: an element that scripts usually fill, a
// notice that JavaScript is needed, or no text except a notice that the page is
// loading. It is not a form beside custom elements, a page that shows all of its
// content to readers without scripts, or a page that consists of frames. All packages
// that need to know this call IsShell.
func IsShell(root *html.Node) bool {
	if root == nil {
		return false
	}
	var shown, instead strings.Builder // text that readers with and without scripts see
	var seen signs
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.Type != html.TextNode {
			seen.note(n)
			continue
		}
		text := &shown
		switch placeOf(n) {
		case atom.Noscript:
			text = &instead
		case 0:
		default:
			continue
		}
		for word := range strings.FieldsSeq(n.Data) {
			text.WriteString(word)
			text.WriteByte(' ')
		}
		if text.Len() > 8*enough {
			return false
		}
	}
	words := strings.ToLower(strings.TrimSpace(shown.String()))
	if !seen.scripts || seen.frames || utf8.RuneCountInString(words) >= enough {
		return false
	}
	if seen.place || strings.Contains(strings.ToLower(instead.String()), needed) || strings.Contains(words, needed) { // the parser may have moved the notice out of its noscript element
		return true
	}
	return words == "" || seen.custom && !seen.form || slices.ContainsFunc(loading, func(w string) bool {
		return utf8.RuneCountInString(words) <= utf8.RuneCountInString(w)+12 && strings.Contains(words, w)
	})
}

// signs are properties of elements from which IsShell decides.
type signs struct {
	scripts bool
	place   bool // an empty element with the id of a framework, or an empty main element
	custom  bool // an empty custom element
	form    bool // an input field
	frames  bool // frames instead of a body
}

// note records the signs of n, if it is an element.
func (s *signs) note(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.DataAtom {
	case atom.Script:
		s.scripts = s.scripts || isScript(n) || Attr(n, "id") == "__NEXT_DATA__"
	case atom.Link:
		s.scripts = s.scripts || Attr(n, "rel") == "modulepreload" || Attr(n, "as") == "script"
	case atom.Input:
		s.form = s.form || !strings.EqualFold(Attr(n, "type"), "hidden")
	case atom.Textarea:
		s.form = true
	case atom.Frame:
		s.frames = true
	}
	switch {
	case slices.Contains(places, Attr(n, "id")) && isBlank(n), n.DataAtom == atom.Main && isBlank(n) && !isDrawn(n):
		s.place = true
	case strings.Contains(n.Data, "-") && n.FirstChild == nil:
		s.custom = true
	}
}

// isBlank reports whether the first nodes below n contain no text. It looks at more
// nodes than an empty element of a framework ever has.
func isBlank(n *html.Node) bool {
	left := 1000
	for d := Next(n, n); d != nil; d = Next(d, n) {
		if left--; left == 0 || d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" {
			return false
		}
	}
	return true
}

// isDrawn reports whether n has a picture, a frame, a field or the like. Of an element with a thousand
// nodes or more, it is assumed.
func isDrawn(n *html.Node) bool {
	left := 1000
	for d := Next(n, n); d != nil; d = Next(d, n) {
		if left--; left == 0 {
			return true
		}
		switch d.DataAtom {
		case atom.Img, atom.Svg, atom.Video, atom.Audio, atom.Iframe, atom.Object, atom.Embed, atom.Input, atom.Button, atom.Select, atom.Textarea:
			return true
		}
	}
	return false
}

// LinkedData is the name that [Embedded] returns for JSON-LD.
const LinkedData = "JSON-LD"

// states contains the texts by which scripts with data of a page are recognized, in the script, its
// type or its id, and the names of these kinds of data.
var states = []struct{ mark, name string }{
	{"__NEXT_DATA__", "__NEXT_DATA__"},
	{"__next_f", "__next_f"},
	{"__NUXT", "__NUXT__"},
	{"__APOLLO_STATE__", "__APOLLO_STATE__"},
	{"__INITIAL_STATE__", "__INITIAL_STATE__"},
	{"__PRELOADED_STATE__", "__PRELOADED_STATE__"},
	{"__INITIAL_DATA__", "__INITIAL_DATA__"},
	{"__remixContext", "__remixContext"},
	{"__reactRouterContext", "__reactRouterContext"},
	{"__REACT_QUERY_STATE__", "__REACT_QUERY_STATE__"},
	{"__staticRouterHydrationData", "__staticRouterHydrationData"},
	{"id=ng-state", "ng-state"},
	{"id=serverApp-state", "ng-state"},
	{"__sveltekit", "__sveltekit"},
	{island, island},
	{pageAttribute + "={", pageAttribute},
	{"/" + PageData, PageData},
	{"application/ld+json", LinkedData},
}

// island is the element in which Astro embeds the data of a part that scripts make.
const island = "astro-island"

// pageAttribute is the attribute in which Inertia embeds the data of the page.
const pageAttribute = "data-page"

// PageData is the name that [Embedded] returns if a link element leads to the file in which Gatsby has the data of the
// page.
const PageData = "page-data.json"

// Embedded returns the names of the kinds of data that are embedded in scripts
// and elements of a document, in a fixed order.
func Embedded(root *html.Node) []string {
	found := make([]bool, len(states))
	look := func(s string) {
		for i := range states {
			found[i] = found[i] || strings.Contains(s, states[i].mark)
		}
	}
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.DataAtom != atom.Script {
			switch {
			case n.Data == island && Attr(n, "props") != "":
				look(n.Data)
			case n.DataAtom == atom.Link:
				look(Attr(n, "href"))
			case strings.HasPrefix(Attr(n, pageAttribute), "{"):
				look(pageAttribute + "={")
			}
			continue
		}
		look("id=" + Attr(n, "id"))
		if Attr(n, pageAttribute) != "" {
			look(pageAttribute + "={")
		}
		look(strings.ToLower(Attr(n, "type")))
		for c := range n.ChildNodes() {
			look(c.Data)
		}
	}
	var names []string
	for i, s := range states {
		if found[i] && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// isScript reports whether a script element contains code and not data.
func isScript(n *html.Node) bool {
	switch kind := strings.ToLower(strings.TrimSpace(Attr(n, "type"))); kind {
	case "", "module", "text/javascript", "application/javascript", "text/babel":
		return true
	}
	return false
}

// placeOf returns the element around the text node n because of which the page does not
// show it. If there are several, it is the outermost one, except for noscript. If the
// page shows the text, it is 0.
func placeOf(n *html.Node) (place atom.Atom) {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Script, atom.Style, atom.Template, atom.Title, atom.Head:
			return p.DataAtom
		case atom.Noscript:
			place = p.DataAtom
		}
	}
	return place
}
