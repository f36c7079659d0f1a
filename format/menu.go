// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of one menu.
const (
	maxDishes    = 2000
	maxRecord    = 600 // bytes of text of one dish
	fewestDishes = 3   // fewer priced records are not a menu
	surely       = .5  // confidence below which a model is asked
)

// Menu is the menu of a restaurant.
type Menu struct {
	IsMenu     bool          `json:"isMenu"`
	Confidence float64       `json:"confidence"` // 0 to 1
	Merchant   *Merchant     `json:"merchant,omitempty"`
	Currency   string        `json:"currency,omitempty"` // ISO 4217
	SourceURL  string        `json:"sourceUrl,omitempty"`
	Sections   []MenuSection `json:"sections"` // at least one
}

// Merchant is the restaurant of a menu.
type Merchant struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // schema.org type, such as Restaurant
}

// MenuSection is a part of a menu.
type MenuSection struct {
	Name        string `json:"name,omitempty"` // empty if the page has none
	ID          string `json:"id,omitempty"`
	Description string `json:"description,omitempty"`
	Items       []Dish `json:"items"`
}

// Dish is one item of a menu.
type Dish struct {
	Name         string        `json:"name"`
	ID           string        `json:"id,omitempty"`
	Description  string        `json:"description,omitempty"`
	Images       []Picture     `json:"images,omitzero"`
	Price        *Price        `json:"price,omitempty"`
	Availability *Availability `json:"availability,omitempty"`
	Dietary      []string      `json:"dietary,omitzero"`   // schema.org names, such as VegetarianDiet
	Calories     float64       `json:"calories,omitempty"` // kcal
	OptionGroups []OptionGroup `json:"optionGroups,omitzero"`
	Identifiers  *Identifiers  `json:"identifiers,omitempty"`
	URL          string        `json:"url,omitempty"`       // absolute
	SourceURL    string        `json:"sourceUrl,omitempty"` // URL of the page
}

// OptionGroup is a group of options of a dish.
type OptionGroup struct {
	Name    string   `json:"name,omitempty"`
	Options []Option `json:"options"`
}

// Option is one option; its price is a surcharge.
type Option struct {
	Name  string `json:"name"`
	Price *Price `json:"price,omitempty"`
}

// Identifiers are the merchant's identifiers of a dish.
type Identifiers struct {
	MerchantItemID string `json:"merchantItemId"`
}

// makeMenu makes the menu form from structured data. If there is none, it reads the
// names and prices under the headings of a page that calls itself a menu or belongs to a
// restaurant. If that finds no menu with confidence, it asks a model.
func makeMenu(ctx context.Context, b *builder) error {
	r := menuReader{productReader: productReader{page: &b.page, lang: b.doc.Metadata.Language}, left: maxDishes}
	g := b.page.structured()
	m := r.schema(g.Linked())
	if m == nil {
		m = r.schema(g.Micro())
	}
	if m == nil && r.announced() {
		m = r.shown()
	}
	if w, _ := b.models.writer(); w != nil && (m == nil || m.Confidence < surely) {
		if better := b.models.menu(ctx); better != nil {
			better.Confidence = surely
			m = better
		}
	}
	if m == nil {
		b.warnings.add("No menu was found in the data of the page.")
		return nil
	}
	m.IsMenu, m.Merchant, m.SourceURL = true, r.merchant(g), b.page.in.URL
	for _, s := range m.Sections {
		for _, d := range s.Items {
			if d.Price != nil {
				m.Currency = cmp.Or(m.Currency, d.Price.Currency)
			}
		}
		for i := range s.Items {
			s.Items[i].SourceURL = b.page.in.URL
		}
	}
	if err := maskedValue(&b.redactor, m); err != nil {
		return err
	}
	b.doc.Menu = m
	return nil
}

// A menuReader reads the menu of one page.
type menuReader struct {
	productReader
	left int // dishes that may still be added
	priced,
	dishes int
	legend map[string]string // meaning of tokens by the legend of the page, in lower case
}

// places are the schema.org types of restaurants.
var places = []string{"Restaurant", "FoodEstablishment", "CafeOrCoffeeShop", "BarOrPub", "Bakery", "FastFoodRestaurant", "IceCreamShop", "Brewery", "Winery"}

// merchant returns the restaurant, or nil if the structured data has none.
func (r *menuReader) merchant(g *structured.Graph) *Merchant {
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			if name := clean(n.Text("name")); name != "" && n.Is(places...) {
				return &Merchant{Name: name, Type: n.Types[0]}
			}
		}
	}
	return nil
}

// schema reads Menu, MenuSection and MenuItem. It returns nil if there is no item.
func (r *menuReader) schema(nodes []*structured.Node) *Menu {
	m := &Menu{}
	taken := map[*structured.Node]bool{}
	choices := map[*structured.Node]bool{}
	for _, n := range nodes {
		for _, c := range n.Nodes("menuAddOn") {
			choices[c] = true
		}
	}
	for _, n := range nodes {
		if n.Is("MenuSection") && !choices[n] {
			r.section(m, n, taken)
		}
	}
	for _, n := range nodes {
		if n.Is("Menu") {
			r.section(m, n, taken) // items outside of sections
		}
	}
	if len(m.Sections) == 0 {
		return nil
	}
	m.Confidence = share(r.priced, r.dishes)
	return m
}

// section adds the items of n, except those that an earlier section has.
func (r *menuReader) section(m *Menu, n *structured.Node, taken map[*structured.Node]bool) {
	s := MenuSection{ID: cut(n.ID, 200), Description: plain(n.Text("description"))}
	if n.Is("MenuSection") {
		s.Name = clean(n.Text("name"))
	}
	for _, item := range n.Nodes("hasMenuItem") {
		name := clean(item.Text("name"))
		if name == "" || taken[item] || r.left == 0 {
			continue
		}
		taken[item] = true
		r.left--
		d := Dish{Name: name, ID: cut(item.ID, 200), Description: plain(item.Text("description")), Images: r.pictures(item)}
		for _, o := range item.Nodes("offers") {
			if d.Price == nil {
				d.Price = machinePrice(o.Text("price", "lowPrice"), o.Text("priceCurrency"), r.lang)
				d.Availability = readAvailability(o.Text("availability"))
			}
		}
		for _, diet := range item.Texts("suitableForDiet") {
			d.Dietary = append(d.Dietary, diet[strings.LastIndexAny(diet, "/#")+1:])
		}
		d.OptionGroups = r.groups(item)
		if sku := item.Text("sku", "identifier", "productID"); sku != "" {
			d.Identifiers = &Identifiers{cut(sku, 200)}
		}
		for _, nutrition := range item.Nodes("nutrition") {
			number, _, _ := strings.Cut(nutrition.Text("calories"), " ")
			if f, err := strconv.ParseFloat(number, 64); err == nil && f > 0 && f < 1e5 {
				d.Calories = f
			}
		}
		if ref := address(item, "url"); ref != "" {
			d.URL = r.page.base.resolve(ref)
		}
		r.count(&d)
		s.Items = append(s.Items, d)
	}
	if s.Items != nil {
		m.Sections = append(m.Sections, s)
	}
}

func (r *menuReader) count(d *Dish) {
	r.dishes++
	if d.Price != nil {
		r.priced++
	}
}

// share returns part divided by all, rounded to hundredths.
func share(part, all int) float64 {
	return math.Round(100*float64(part)/float64(max(all, 1))) / 100
}

// announced reports whether the page calls itself a menu or belongs to a restaurant. On
// other pages, names with prices are probably the goods of a shop.
func (r *menuReader) announced() bool {
	g := r.page.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			if n.Is(places...) {
				return true
			}
		}
	}
	for _, word := range terms(r.page, r.page.meta.Title+" "+r.page.heading()) {
		switch word {
		case "menu", "menus", "speisekarte", "carte", "menú", "menù", "cardápio":
			return true
		}
	}
	return false
}

// shown reads records with a name and a price from the copy. It returns nil if
// there are too few.
func (r *menuReader) shown() *Menu {
	root := r.page.copy.root
	if root == nil {
		return nil
	}
	r.readLegend(root)
	prices := map[*html.Node]*Price{}
	within := map[*html.Node]int{} // number of prices below each element
	total := 0
	for n := root; n != nil; {
		r.page.steps.Take(4 + len(n.Data)/64)
		if n.Type == html.TextNode {
			total += len(strings.TrimSpace(n.Data))
		}
		p := r.priceOf(n)
		if p == nil || len(prices) == maxDishes {
			n = dom.Next(n, root)
			continue
		}
		prices[n] = p
		total += len(p.Formatted)
		for a := n.Parent; a != nil; a = a.Parent {
			r.page.steps.Take(1)
			within[a]++
		}
		n = behind(n, root)
	}
	m := &Menu{Sections: []MenuSection{{}}}
	text := 0
	for n := root; n != nil; n = dom.Next(n, root) {
		r.page.steps.Take(1)
		if isHeading(n) && within[n] == 0 && within[n.Parent] != 1 {
			m.Sections = append(m.Sections, MenuSection{Name: clean(textOf(n))})
		}
		p := prices[n]
		if p == nil {
			continue
		}
		record := n
		for record.Parent != nil && within[record.Parent] == 1 && len(textOf(record.Parent)) <= maxRecord {
			record = record.Parent
		}
		d := r.dish(record, n, p)
		if d.Name == "" {
			continue
		}
		text += len(d.Name) + len(d.Description) + len(p.Formatted)
		r.count(&d)
		s := &m.Sections[len(m.Sections)-1]
		s.Items = append(s.Items, d)
	}
	if r.dishes < fewestDishes {
		return nil
	}
	kept := m.Sections[:0]
	for _, s := range m.Sections {
		if s.Items != nil {
			kept = append(kept, s)
		}
	}
	m.Sections = kept
	m.Confidence = math.Round(100*min(1, float64(text)/float64(max(total, 1)))*float64(r.priced)/float64(r.dishes)) / 100
	return m
}
