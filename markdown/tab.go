// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"golang.org/x/net/html"
)

// labels returns the names of tab panels: what aria-label says, else the text
// of the tab that the panel or the tab itself names by id, else of the tab of
// the same number, where there are as many tabs as panels.
func labels(panels, tabs []*html.Node) map[*html.Node]string {
	byID, byPanel := map[string]*html.Node{}, map[string]*html.Node{}
	for _, t := range tabs {
		if id := value(t, "id"); id != "" {
			byID[id] = t
		}
		if id := value(t, "aria-controls"); id != "" {
			byPanel[id] = t
		}
	}
	names := map[*html.Node]string{}
	for i, p := range panels {
		if s := value(p, "aria-label"); s != "" {
			names[p] = foldSpace(s)
			continue
		}
		tab := byID[value(p, "aria-labelledby")]
		if tab == nil {
			tab = byPanel[value(p, "id")]
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

// panel writes the tab panel n below its name in bold.
func (w *writer) panel(n *html.Node, name string) {
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
