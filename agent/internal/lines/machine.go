// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Limits for what is added to the lines of a page.
const (
	maxStated = 40
	maxDated  = 200

	maxDatedLines = 5000
	maxDatedLine  = 1000 // bytes

	leastShown = 4 // bytes of a text that hardly stands on a page with another meaning
)

// Dated adds to lines the days that only programs are told: those of elements whose text has no year.
// So "Sat 14 Mar" becomes "Sat 14 Mar (2026-03-14)". A text with several days stays as it is.
func Dated(lines []string, texts []journal.Text) {
	days := map[string]string{} // by the text of the element; empty: several
	for i, t := range texts {
		if t.Attr != "datetime" || i+1 == len(texts) || len(days) == maxDated {
			continue
		}
		next, day := texts[i+1], t.Value[:min(len(t.Value), len("2026-03-14"))]
		list := value.Dates(day)
		if next.Path != t.Path || next.Attr != "" || len(list) != 1 || list[0].Text(value.OrderOpen) != day {
			continue
		}
		if text := value.Normal(next.Value); len(value.Dates(text)) > 0 || !list[0].Named(text) {
			continue
		}
		if known, ok := days[next.Value]; ok && known != day {
			day = ""
		}
		days[next.Value] = day
	}
	known := slices.SortedFunc(maps.Keys(days), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for i := range lines[:min(len(lines), maxDatedLines)] {
		for _, text := range known {
			line, day := lines[i], days[text]
			at := strings.Index(line[:min(len(line), maxDatedLine)], text)
			if day == "" || at < 0 || longer(line, at, len(text)) || slices.ContainsFunc(value.Dates(value.Normal(line)), func(d value.Day) bool { return d.Text(value.OrderOpen) == day }) {
				continue // or the line has the year elsewhere
			}
			lines[i] = line[:at+len(text)] + " (" + day + ")" + line[at+len(text):]
		}
	}
}

// longer reports whether a text of a line is part of a longer word or number.
func longer(line string, at, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	after, _ := utf8.DecodeRuneInString(line[at+n:])
	return value.WordRune(before) || value.WordRune(after)
}

// sideTypes are types of things that a page describes besides its subject.
var sideTypes = []string{"WebSite", "WebPage", "BreadcrumbList", "ListItem", "SearchAction", "ImageObject", "SiteNavigationElement", "CollectionPage", "ItemList", "meta"}

// IsAside reports whether types are those of something besides the subject of a page.
func IsAside(types string) bool {
	return slices.ContainsFunc(strings.Fields(types), func(kind string) bool { return slices.Contains(sideTypes, kind) })
}

// Stated returns what the structured data of a page states about its subject, and the page does not
// show, with a line for each: "brand: Hollybank". The subject is the only thing with the name of the first heading.
func Stated(facts []journal.Fact, shown []string) []journal.Text {
	i := slices.IndexFunc(shown, func(l string) bool { return strings.HasPrefix(l, "# ") })
	if i < 0 {
		return nil
	}
	head, thing := value.Canon(shown[i][len("# "):]), 0
	for _, f := range facts {
		name := f.Path == "name" || f.Path == "headline"
		switch {
		case f.Thing == 0 || f.Thing == thing || f.Type == "" || !name || IsAside(f.Type) || value.Canon(f.Value) != head:
		case thing > 0:
			return nil
		default:
			thing = f.Thing
		}
	}
	var out []journal.Text
	all := value.Normal(strings.Join(shown, "\n"))
	for _, f := range facts {
		text := strings.Join(strings.Fields(f.Value), " ")
		switch {
		case f.Thing != thing || thing == 0 || text == "" || len(text) > maxShort || len(out) == maxStated:
		case strings.Contains(text, "://") || len(text) > leastShown && value.Holds(all, value.Normal(text)) > 0:
		default:
			out = append(out, journal.Text{Path: "data", Label: f.Path, Value: text})
		}
	}
	return out
}
