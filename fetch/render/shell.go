// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// enough is a number of characters. A page with so much text needs no scripts.
const enough = 200

// places are the ids of elements that JavaScript frameworks fill.
var places = []string{"root", "app", "__next", "__nuxt", "___gatsby", "react-root", "main-app", "svelte", "q-app", "ember-app", "app-root"}

// loading are words that pages show while they load, in lower case.
var loading = []string{"loading", "please wait", "wird geladen", "lädt", "chargement", "cargando", "carregando", "caricamento", "laden", "загрузка", "読み込み中", "加载中", "載入中", "로딩"}

// needed is a word that occurs in each notice that scripts are needed, in lower
// case, because it is the same in all languages.
const needed = "javascript"

// isShell reports whether a document is empty without its scripts, as
// [NeedsScripts] describes.
func isShell(root *html.Node) bool {
	var text strings.Builder
	scripts, place, notice := false, false, false
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && !hidden(n):
			text.WriteString(n.Data)
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Script:
			scripts = scripts || isScript(n)
		case n.DataAtom == atom.Noscript:
			notice = notice || strings.Contains(strings.ToLower(dom.Text(n)), needed)
		case slices.Contains(places, dom.Attr(n, "id")) && strings.TrimSpace(dom.Text(n)) == "":
			place = true
		case strings.Contains(n.Data, "-") && n.FirstChild == nil: // a custom element
			place = true
		}
		if text.Len() > 8*enough {
			return false
		}
	}
	words := strings.ToLower(strings.Join(strings.Fields(text.String()), " "))
	if !scripts || utf8.RuneCountInString(words) >= enough {
		return false
	}
	notice = notice || strings.Contains(words, needed) // the parser may have moved the notice out of its noscript element
	return place || notice || words == "" || slices.ContainsFunc(loading, func(w string) bool {
		return utf8.RuneCountInString(words) <= utf8.RuneCountInString(w)+12 && strings.Contains(words, w)
	})
}

// isScript reports whether a script element contains code and not data.
func isScript(n *html.Node) bool {
	switch kind := strings.ToLower(strings.TrimSpace(dom.Attr(n, "type"))); kind {
	case "", "module", "text/javascript", "application/javascript", "text/babel":
		return true
	}
	return false
}

// hidden reports whether the page does not show the text node n.
func hidden(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Title, atom.Head:
			return true
		}
	}
	return false
}
