// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of the options of a dish.
const (
	maxGroups  = 30
	maxOptions = 100
)

// groups reads the options of a dish: its add-ons, in groups or alone.
func (r *menuReader) groups(item *structured.Node) []OptionGroup {
	var all []OptionGroup
	for _, n := range item.Nodes("menuAddOn", "hasMenuItemOption", "addOn") {
		if len(all) == maxGroups {
			break
		}
		g := OptionGroup{Name: clean(n.Text("name"))}
		inner := n.Nodes("hasMenuItem", "hasMenuItemOption", "itemListElement")
		if inner == nil { // an option without a group
			if g.Name != "" {
				all = append(all, OptionGroup{Options: []Option{r.option(n)}})
			}
			continue
		}
		for _, o := range inner[:min(len(inner), maxOptions)] {
			if one := r.option(o); one.Name != "" {
				g.Options = append(g.Options, one)
			}
		}
		if g.Options != nil {
			all = append(all, g)
		}
	}
	return joinOptions(all)
}

// joinOptions joins the options without a group to one group.
func joinOptions(all []OptionGroup) []OptionGroup {
	first := -1
	kept := all[:0]
	for _, g := range all {
		if g.Name != "" {
			kept = append(kept, g)
			continue
		}
		if first < 0 {
			first = len(kept)
			kept = append(kept, g)
		} else if len(kept[first].Options) < maxOptions {
			kept[first].Options = append(kept[first].Options, g.Options...)
		}
	}
	return kept
}

func (r *menuReader) option(n *structured.Node) Option {
	o := Option{Name: clean(n.Text("name"))}
	for _, offer := range n.Nodes("offers") {
		if o.Price == nil {
			o.Price = machinePrice(offer.Text("price", "lowPrice"), offer.Text("priceCurrency"), r.lang)
		}
	}
	return o
}

// diets are the tokens by which menus mark dishes, with the schema.org names of
// the diets.
var diets = []struct{ token, name string }{
	{"v", "VegetarianDiet"},
	{"veg", "VegetarianDiet"},
	{"vegetarian", "VegetarianDiet"},
	{"vegetarisch", "VegetarianDiet"},
	{"végétarien", "VegetarianDiet"},
	{"vg", "VeganDiet"},
	{"ve", "VeganDiet"},
	{"vgn", "VeganDiet"},
	{"vegan", "VeganDiet"},
	{"gf", "GlutenFreeDiet"},
	{"gluten free", "GlutenFreeDiet"},
	{"gluten-free", "GlutenFreeDiet"},
	{"glutenfrei", "GlutenFreeDiet"},
	{"sans gluten", "GlutenFreeDiet"},
	{"df", "LowLactoseDiet"},
	{"lf", "LowLactoseDiet"},
	{"dairy free", "LowLactoseDiet"},
	{"dairy-free", "LowLactoseDiet"},
	{"laktosefrei", "LowLactoseDiet"},
	{"h", "HalalDiet"},
	{"halal", "HalalDiet"},
	{"k", "KosherDiet"},
	{"kosher", "KosherDiet"},
}

// diet returns the diet that a token means, or "". The legend of the page overrides the
// usual meanings.
func (r *menuReader) diet(token string) string {
	key := strings.ToLower(strings.TrimSpace(token))
	if meaning, ok := r.legend[key]; ok {
		key = meaning
	}
	for _, d := range diets {
		if d.token == key {
			return d.name
		}
	}
	return ""
}

// readLegend reads the legend of the page, such as "V = vegan" or "(GF) gluten
// free".
func (r *menuReader) readLegend(root *html.Node) {
	r.legend = map[string]string{}
	for n := root; n != nil; n = dom.Next(n, root) {
		r.page.steps.Take(1 + len(n.Data)/64)
		if n.Type != html.TextNode || len(n.Data) > 500 || !strings.ContainsAny(n.Data, "=:–-)") {
			continue
		}
		for part := range strings.FieldsFuncSeq(n.Data, func(c rune) bool { return c == ',' || c == ';' || c == '|' || c == '·' || c == '•' }) {
			token, meaning, ok := strings.Cut(part, "=")
			for _, sep := range []string{":", ")", " – ", " - "} {
				if !ok {
					token, meaning, ok = strings.Cut(part, sep)
				}
			}
			token = strings.ToLower(strings.Trim(token, " ()[]*\n\t"))
			meaning = strings.ToLower(strings.Trim(meaning, " .\n\t"))
			if ok && token != "" && len(token) <= 3 && len(r.legend) < 30 && slices.ContainsFunc(diets, func(d struct{ token, name string }) bool {
				return d.token == meaning && len(d.token) > 3
			}) {
				r.legend[token] = meaning
			}
		}
	}
}

// dish reads a record: the first text is the name, the other texts except the
// price are the description. Diets, energy and images have fields of their own.
func (r *menuReader) dish(record, price *html.Node, p *Price) Dish {
	d := Dish{Price: p}
	var rest []string
	for n := record; n != nil; {
		if n == price {
			n = behind(n, record)
			continue
		}
		if n.DataAtom == atom.Img && n.Type == html.ElementNode {
			if name := r.diet(dom.Attr(n, "alt")); name != "" {
				d.addDiet(name)
			} else {
				d.Images = r.picture(d.Images, dom.Attr(n, "src"), clean(dom.Attr(n, "alt")))
			}
		}
		if n.Type == html.TextNode {
			s := r.marked(&d, strings.Trim(clean(n.Data), " .…-–·|"))
			switch {
			case s == "":
			case d.Name == "":
				d.Name = s
			default:
				rest = append(rest, s)
			}
		}
		n = dom.Next(n, record)
	}
	d.Description = strings.Join(rest, " ")
	if record.DataAtom == atom.Body || record == price {
		return Dish{}
	}
	if ref := linkOf(record); ref != "" {
		d.URL = r.page.base.resolve(ref)
	}
	return d
}

// linkOf returns the reference of the only link in a record. It is empty if there
// is no link or more than one.
func linkOf(record *html.Node) string {
	ref := ""
	for n := record; n != nil; n = dom.Next(n, record) {
		if n.DataAtom == atom.A && n.Type == html.ElementNode {
			if ref != "" {
				return ""
			}
			ref = dom.Attr(n, "href")
		}
	}
	if s := scheme(ref); ref == "" || ref[0] == '#' || s != "" && s != "http" && s != "https" {
		return ""
	}
	return ref
}

func (d *Dish) addDiet(name string) {
	if !slices.Contains(d.Dietary, name) {
		d.Dietary = append(d.Dietary, name)
	}
}

// marked removes the diets and the energy from a text of a dish, sets them in d, and
// returns the rest. It reads texts such as "V, GF", tokens in brackets, and "650 kcal".
func (r *menuReader) marked(d *Dish, s string) string {
	if s == "" {
		return s
	}
	if names := r.tokens(s); names != nil {
		for _, name := range names {
			d.addDiet(name)
		}
		return ""
	}
	for range 4 {
		open := strings.LastIndexAny(s, "([")
		if open < 0 {
			break
		}
		inner, after, ok := strings.Cut(s[open+1:], map[byte]string{'(': ")", '[': "]"}[s[open]])
		names := r.tokens(inner)
		if !ok || names == nil {
			break
		}
		for _, name := range names {
			d.addDiet(name)
		}
		s = strings.Trim(strings.TrimSpace(s[:open])+" "+strings.TrimSpace(after), " .…-–·|,")
	}
	lower := strings.ToLower(s)
	for _, unit := range []string{" kcal", "kcal", " calories", " cal"} {
		i := strings.Index(lower, unit)
		if i <= 0 || len(lower) != len(s) {
			continue
		}
		start := i
		for start > 0 && s[start-1] >= '0' && s[start-1] <= '9' {
			start--
		}
		if n, err := strconv.ParseFloat(s[start:i], 64); err == nil && n > 0 && n < 1e5 {
			d.Calories = n
			s = strings.Trim(strings.TrimRight(s[:start], " (")+strings.TrimLeft(s[i+len(unit):], ")"), " .…-–·|,")
		}
		break
	}
	return s
}

// tokens returns the diets of a text that consists of tokens; nil for other texts.
func (r *menuReader) tokens(s string) []string {
	if len(s) > 60 {
		return nil
	}
	var names []string
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool {
		return c == ',' || c == '/' || c == '|' || c == '·' || c == '•' || c == ';' || c == '&'
	}) {
		if name := r.diet(part); name != "" {
			names = append(names, name)
			continue
		}
		words := strings.Fields(part)
		for _, word := range words {
			name := r.diet(word)
			if name == "" || len(word) < 2 && len(words) > 1 && r.legend[strings.ToLower(word)] == "" {
				return nil
			}
			names = append(names, name)
		}
	}
	return names
}
