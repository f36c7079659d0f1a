// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// labels returns the names of tab panels, and empty names for lists of tabs
// that contain the panels. The name of a panel is its aria-label. Without one
// it is the text of the tab that the panel refers to by id, or that refers to
// the panel. Otherwise, if there are as many tabs as panels, it is the text of
// the tab with the same number.
func labels(panels, tabs []*html.Node) map[*html.Node]string {
	byID, byPanel := map[string]*html.Node{}, map[string]*html.Node{}
	for _, t := range tabs {
		if id := dom.Attr(t, "id"); id != "" {
			byID[id] = t
		}
		if id := dom.Attr(t, "aria-controls"); id != "" {
			byPanel[id] = t
		}
	}
	names := map[*html.Node]string{}
	for i, p := range panels {
		if list := tabListAround(p); list != nil {
			names[list] = ""
			continue
		}
		if s := dom.Attr(p, "aria-label"); s != "" {
			names[p] = foldSpace(s)
			continue
		}
		tab := byID[dom.Attr(p, "aria-labelledby")]
		if tab == nil {
			tab = byPanel[dom.Attr(p, "id")]
		}
		if tab == nil && len(byPanel) == 0 && len(tabs) == len(panels) {
			tab = tabs[i]
		}
		if tab != nil {
			names[p] = textOf(tab, 200)
		}
	}
	return names
}

// tabListAround returns the list of tabs that contains the panel n, or nil.
// Accordions have this structure. Their tabs are headings of the panels, and
// remain.
func tabListAround(n *html.Node) *html.Node {
	for range 6 {
		if n = n.Parent; n == nil {
			return nil
		}
		if dom.Attr(n, "role") == "tablist" {
			return n
		}
	}
	return nil
}

// isAllTabs reports whether a list of tabs has no text outside of its tabs, such as a link to another page.
func isAllTabs(list *html.Node) bool {
	const most = 1000 // nodes that are looked at
	steps := 0
	for n := list; n != nil; {
		if steps++; steps > most || n.Type == html.TextNode && foldSpace(n.Data) != "" {
			return false
		}
		if n.Type == html.ElementNode && dom.Attr(n, "role") == "tab" {
			n = dom.After(n, list)
		} else {
			n = dom.Next(n, list)
		}
	}
	return true
}

// panel writes the tab panel n below its name in bold.
func (w blockWriter) panel(n *html.Node, name string) {
	w.paragraph()
	if name != "" {
		w.line.push(frame{style: strong})
		w.line.add(name)
		w.line.pop()
		w.paragraph()
	}
	w.walk(n)
	w.paragraph()
}
