// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/dom"
)

// Marks of pages that are not what was asked for.
var (
	wallMarks = []string{
		"verify you are human", "are you a robot", "checking your browser", "enable javascript and cookies to continue", "unusual traffic",
		"access denied", "captcha", "just a moment", "attention required", "request blocked", "pardon our interruption",
	}
	lostMarks = []string{
		"404", "not found", "page does not exist", "page doesn't exist", "nicht gefunden", "introuvable", "no encontrada", "non trovata", "não encontrada",
		"niet gevonden", "не найдена", "見つかりません", "找不到",
	}
)

const (
	shortPage = 3000 // characters of a page that a wall or an error is
	emptyPage = 200  // of main text below which scripts are at work
)

// trouble returns why a page is not read, decided without a model.
func trouble(p *Page, rec *journal.PageRecord) (kind finding.IssueKind, why string) {
	size := 0
	for _, line := range rec.Main {
		size += len(line)
	}
	text := value.Normal(value.Clip(strings.Join(rec.Main, " "), shortPage))
	title := value.Normal(rec.Title)
	marked := func(marks []string, s string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(s, m) })
	}
	switch {
	case p.Status == 404 || p.Status == 410:
		return finding.IssueNotFound, "the site has no such page"
	case p.Status == 401 || p.Status == 403 || p.Status == 429 || p.Status == 503:
		return finding.IssueBlocked, "the site refuses to show the page"
	case p.Status >= 400:
		return finding.IssueUnreadable, "the site answered with an error"
	case size < shortPage && (marked(wallMarks, title) || size < shortPage/3 && marked(wallMarks, text)):
		return finding.IssueBlocked, "the site checks for robots"
	case size < shortPage && marked(lostMarks, title) && !strings.ContainsAny(title, "0123456789") || size < shortPage && (strings.HasPrefix(title, "404") || strings.Contains(title, "page not found")):
		return finding.IssueNotFound, "the site says that there is no such page"
	case size < emptyPage && !p.Rendered && p.Root != nil && needsScripts(p.Root):
		return finding.IssueScripts, "the page is made by scripts"
	case size == 0 && len(rec.Links) == 0:
		return finding.IssueUnreadable, "the page is empty"
	}
	return "", ""
}

// roots are the ids of elements that frameworks fill.
var roots = []string{"root", "app", "__next", "__nuxt", "react-root", "main-app", "svelte", "q-app"}

// needsScripts reports whether a page has scripts and an element, still empty,
// for what they make.
func needsScripts(root *html.Node) bool {
	scripts, empty := false, false
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Script:
			scripts = true
		case atom.Div, atom.Main, atom.Section:
			if slices.Contains(roots, dom.Attr(n, "id")) && strings.TrimSpace(dom.Text(n)) == "" {
				empty = true
			}
		}
		if strings.HasPrefix(n.Data, "app-") && n.FirstChild == nil {
			empty = true
		}
	}
	return scripts && empty
}

// language returns what a page says its language is, in lower case.
func language(root *html.Node) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.Html {
			return strings.ToLower(value.Clip(strings.TrimSpace(dom.Attr(n, "lang")), 20))
		}
		if n.Type == html.ElementNode && n.DataAtom == atom.Body {
			break
		}
	}
	return ""
}
