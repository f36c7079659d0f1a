// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/value"
)

// Thing returns the URL of the page that is about the thing of a row, and a text that pages about
// things of this kind share: where their addresses begin, and their language. alone says that the
// row is the only one of its page. Then this is the page itself, if its first heading or its title
// is the key of the row. For another row it is the link whose text is the key, if links, which
// are those in the lines of the row, contain one such link. Without such a page, both are "".
func (p *Page) Thing(key any, alone bool, links []string) (url, kind string) {
	name := value.Canon(key)
	if name == "" {
		return "", ""
	}
	if alone {
		if p.named(name) {
			url = cmp.Or(value.Canonical(p.Rec.Final), p.Rec.URL)
		}
	} else {
		for _, l := range p.Rec.Links {
			if !slices.Contains(links, l.URL) || l.URL == url || value.Canon(l.Text) != name {
				continue
			}
			if url != "" {
				return "", ""
			}
			url = l.URL
		}
	}
	if url == "" {
		return "", ""
	}
	base, _, _ := strings.Cut(url, "?")
	return url, value.Shape(path.Dir(base)) + " " + p.Rec.Lang
}

// named reports whether the first heading or the title of the page is a name in canonical form.
func (p *Page) named(name string) bool {
	p.naming.Do(func() {
		p.names = append(p.names, value.Canon(p.Rec.Title))
		for _, line := range p.Main.Lines {
			if headingLevel(line) > 0 {
				p.names = append(p.names, value.Canon(PlainText(strings.TrimLeft(line, "# "))))
				break
			}
		}
	})
	return slices.Contains(p.names, name)
}
