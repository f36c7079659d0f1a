// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// tabs indexes the tabs of a page. A tab need not be in the view.
type tabs struct {
	byID, byPanel map[string]*html.Node
	lists         map[*html.Node][]*html.Node // tabs by tab list
}

// label sets the name of the tab panel src on its copy n, so that the Markdown
// contains it. On the page, the name is elsewhere.
func (p *projector) label(n, src *html.Node) {
	if dom.Attr(src, "aria-label") != "" {
		return
	}
	if p.tabs == nil {
		p.tabs = findTabs(p.page, p.page.in.Root)
	}
	tab := p.tabs.byID[dom.Attr(src, "aria-labelledby")]
	if tab == nil {
		tab = p.tabs.byPanel[dom.Attr(src, "id")]
	}
	if tab == nil {
		tab = p.tabs.beside(src)
	}
	if tab == nil {
		return
	}
	if name := tabName(tab); name != "" {
		n.Attr = append(slices.Clip(n.Attr), html.Attribute{Key: "aria-label", Val: name})
	}
}

// findTabs finds the tabs below root.
func findTabs(pg *page, root *html.Node) *tabs {
	t := &tabs{byID: map[string]*html.Node{}, byPanel: map[string]*html.Node{}, lists: map[*html.Node][]*html.Node{}}
	for n := root; n != nil; n = dom.Next(n, root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode || len(n.Attr) == 0 || dom.Attr(n, "role") != "tab" {
			continue
		}
		if id := dom.Attr(n, "id"); id != "" {
			t.byID[id] = n
		}
		if id := dom.Attr(n, "aria-controls"); id != "" {
			t.byPanel[id] = n
		}
		for list, up := n.Parent, 0; list != nil && up < 3; list, up = list.Parent, up+1 {
			if dom.Attr(list, "role") == "tablist" {
				t.lists[list] = append(t.lists[list], n)
				break
			}
		}
	}
	return t
}

// beside returns the tab of panel n by position: the panel's number in the
// preceding list of tabs. It is used if no attribute connects the two.
func (t *tabs) beside(n *html.Node) *html.Node {
	place, left := 0, 200
	for c := n.PrevSibling; c != nil && left > 0; c, left = c.PrevSibling, left-1 {
		if dom.Attr(c, "role") == "tabpanel" {
			place++
		}
	}
	at, left := n, 200
	for range 3 {
		for c := at.PrevSibling; c != nil && left > 0; c, left = c.PrevSibling, left-1 {
			if list := t.lists[c]; place < len(list) {
				return list[place]
			}
		}
		if at = at.Parent; at == nil {
			break
		}
	}
	return nil
}

// tabName returns the text of a tab on one line, limited to 200 bytes.
func tabName(n *html.Node) string {
	var b strings.Builder
	left := 50
	for c := n.FirstChild; c != nil && left > 0 && b.Len() < 200; c, left = dom.Next(c, n), left-1 {
		if c.Type == html.TextNode && c.Parent.DataAtom != atom.Style && c.Parent.DataAtom != atom.Script {
			b.WriteString(cut(c.Data, 200))
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
