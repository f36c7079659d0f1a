// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// catalog is a collection of things, with the form in which its sites show it.
type catalog struct {
	id, noun, lang string
	n, perPage     int
	listing        string // table, bullets, cards or names; empty means that there is no listing
	details        bool
	linked         bool    // detail pages have JSON-LD
	missing        float64 // share of optional cells that are absent
	claim          int     // added to the total that listings claim; with noClaim there is no claim
	noClaim        bool
	twice          bool   // some things are repeated on the next page of the listing
	file           string // xlsx, csv, docx or pdf: the catalog is a document
	hosts          []string
	maze, poison   bool
	bulky          bool // detail pages are as long as those of real sites

	fields   []string          // fields that pages print; nil means columns
	labels   map[string]string // labels of fields that locales do not have
	shows    []string          // fields in a listing of names, besides the name; nil means the code
	anchor   string            // text of links to detail pages; empty means the name
	slug     bool              // URLs of detail pages end with two words
	sections []string          // sections that the first page links, each of which lists a part of the things
	names    []string          // names of the things; nil if they are made up
	more     func(rng *rand.Rand, r *record)

	records []*record
}

// record is one thing: its true values, and every form in which a page prints them.
type record struct {
	cat     *catalog
	index   int
	code    string
	name    string
	cents   int
	stock   int
	since   time.Time
	maker   string
	shipped bool
	absent  map[string]bool // optional cells that no page states
	extra   map[string]fact // cells of fields that only some catalogs have

	forms map[string][]form // by field
}

// fact is the true value of a cell, and the text that pages print for it.
type fact struct {
	value any
	text  string
}

// form is a printed value after a label, which may be empty.
type form struct{ label, text string }

// columns are the fields of every catalog, in the order of listings.
var columns = []string{"code", "name", "price", "stock", "since", "maker", "available"}

func catalogs() []*catalog {
	return []*catalog{
		{id: "kettles", noun: "kettle", lang: "en", n: 60, perPage: 20, listing: "table"},
		{id: "lamps", noun: "lamp", lang: "en", n: 100, perPage: 25, listing: "names", details: true},
		{id: "uhren", noun: "Uhr", lang: "de", n: 48, perPage: 16, listing: "table"},
		{id: "stuehle", noun: "Stuhl", lang: "de", n: 30, perPage: 15, listing: "names", details: true},
		{id: "vins", noun: "vin", lang: "fr", n: 40, perPage: 20, listing: "cards"},
		{id: "livres", noun: "livre", lang: "fr", n: 24, perPage: 12, listing: "names", details: true},
		{id: "kamera", noun: "カメラ", lang: "ja", n: 30, perPage: 15, listing: "table"},
		{id: "chaya", noun: "茶", lang: "ja", n: 20, perPage: 20, listing: "names", details: true},
		{id: "sillas", noun: "silla", lang: "es", n: 30, perPage: 10, listing: "bullets"},
		{id: "radios", noun: "radio", lang: "en", n: 36, perPage: 18, listing: "names", details: true, linked: true},
		{id: "bikes", noun: "bike", lang: "en", n: 40, perPage: 20, listing: "names", details: true, missing: 0.15},
		{id: "sheets", noun: "valve", lang: "en", n: 80, file: "xlsx"},
		{id: "ledger", noun: "bolt", lang: "en", n: 120, file: "csv"},
		{id: "memo", noun: "desk", lang: "en", n: 25, file: "docx"},
		{id: "leaflet", noun: "tent", lang: "en", n: 24, file: "pdf"},
		{id: "compare", noun: "phone", lang: "en", n: 20, perPage: 20, listing: "table", hosts: []string{"alpha-store.test", "beta-store.test", "gamma-store.test"}},
		{id: "dupes", noun: "mug", lang: "en", n: 45, perPage: 15, listing: "bullets", twice: true},
		{id: "claims", noun: "rug", lang: "en", n: 50, perPage: 25, listing: "bullets", claim: 7},
		{id: "maze", noun: "drill", lang: "en", n: 30, perPage: 10, listing: "names", details: true, maze: true},
		{id: "poison", noun: "pump", lang: "en", n: 20, perPage: 10, listing: "names", details: true, poison: true},
		{id: "long", noun: "cable", lang: "en", n: 200, perPage: 200, listing: "bullets", noClaim: true},
		{id: "bullets", noun: "glove", lang: "en", n: 60, perPage: 60, listing: "bullets", noClaim: true},
		{id: "cards", noun: "chair", lang: "en", n: 36, perPage: 12, listing: "cards", missing: 0.1},
		{id: "gauges", noun: "gauge", lang: "en", n: 100, perPage: 25, listing: "names", details: true, bulky: true},
		{id: "parts", noun: "gear", lang: "en", n: 500, perPage: 100, listing: "names", details: true, bulky: true},
		{id: "stoves", noun: "stove", lang: "en", n: 40, perPage: 20, listing: "names", details: true, shows: []string{"code", "price"}},
		{id: "clocks", noun: "clock", lang: "en", n: 40, perPage: 20, listing: "names", details: true, shows: []string{"price"}},
		{id: "plates", noun: "plate", lang: "en", n: 30, perPage: 15, listing: "names", details: true, shows: []string{"price"}, anchor: "View details"},
		{id: "vases", noun: "vase", lang: "en", n: 60, perPage: 20, listing: "names", details: true, slug: true},
		{id: "kruege", noun: "Krug", lang: "de", n: 60, perPage: 20, listing: "names", details: true, slug: true},
		{id: "depot", noun: "crate", lang: "en", n: 48, perPage: 8, listing: "names", details: true, sections: strings.Fields("kitchen garden cellar office workshop attic")},
		{
			id: "firms", noun: "company", lang: "en", n: len(makers), perPage: len(makers), listing: "names", details: true, names: makers, more: company,
			fields: []string{"code", "name", "chief", "city", "revenue", "staff"}, labels: map[string]string{"chief": "Chief executive", "city": "City", "revenue": "Revenue 2025", "staff": "Employees"},
		},
		{
			id: "funds", noun: "fund", lang: "en", n: 40, perPage: 20, listing: "cards", more: amounts,
			fields: []string{"code", "name", "assets", "flow"}, labels: map[string]string{"assets": "Assets", "flow": "Flow 2025"},
		},
	}
}

var (
	adjectives = strings.Fields("Amber Brisk Copper Dusty Ember Fable Gentle Harbor Indigo Jasper Keen Lunar Maple Noble Opal Prairie Quartz Rustic Silver Timber Umber Velvet Willow Yonder Zephyr")
	makers     = []string{"Aldergrove", "Brightwater", "Castellan", "Dunmore", "Eastgate", "Fenwick", "Greystone", "Hollis", "Ironbridge", "Juniper Works"}
)

// fill makes the records of a catalog. Each code occurs once in the web.
func (c *catalog) fill(rng *rand.Rand, codes map[string]bool) {
	for i := range c.n {
		r := &record{cat: c, index: i, absent: map[string]bool{}, forms: map[string][]form{}}
		for r.code == "" || codes[r.code] {
			r.code = strings.ToUpper(c.id[:2]) + "-" + letters(rng, 2) + fmt.Sprintf("%04d", rng.IntN(10_000))
		}
		codes[r.code] = true
		r.name = adjectives[(i+rng.IntN(3))%len(adjectives)] + " " + capital(c.noun) + " " + fmt.Sprint(1000+i*7+rng.IntN(7))
		r.cents = 100 * (1 + rng.IntN(4000))
		if !locales[c.lang].whole {
			r.cents += 1 + rng.IntN(98)
		}
		r.stock = rng.IntN(5000) + 100
		r.since = time.Date(2005+rng.IntN(19), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		r.maker = makers[rng.IntN(len(makers))]
		r.shipped = rng.IntN(4) > 0
		if c.names != nil {
			r.name = c.names[i]
		}
		if c.more != nil {
			r.extra = map[string]fact{}
			c.more(rng, r)
		}
		for _, f := range []string{"since", "maker"} {
			if rng.Float64() < c.missing {
				r.absent[f] = true
			}
		}
		c.records = append(c.records, r)
	}
}

func capital(s string) string {
	r := []rune(s)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

func letters(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ABCDEFGHJKLMNPQRSTUVWXYZ"[rng.IntN(24)]
	}
	return string(b)
}

// truth returns the right value of a cell in the form of JSON. If there is none, it
// returns nil.
func (r *record) truth(field string) any {
	if r.absent[field] {
		return nil
	}
	if f, ok := r.extra[field]; ok {
		return f.value
	}
	switch field {
	case "code":
		return r.code
	case "name":
		return r.name
	case "price":
		return float64(r.cents) / 100
	case "stock":
		return float64(r.stock)
	case "since":
		return r.since.Format(time.DateOnly)
	case "maker":
		return r.maker
	case "available":
		return r.shipped
	case "url":
		if r.cat.details {
			return r.url()
		}
	}
	return nil
}

// printed returns a cell in the language of the catalog. If the cell is absent, it
// returns "".
func (r *record) printed(field string) string {
	if r.absent[field] {
		return ""
	}
	if f, ok := r.extra[field]; ok {
		return f.text
	}
	l := locales[r.cat.lang]
	switch field {
	case "code":
		return r.code
	case "name":
		return r.name
	case "price":
		return l.money(r.cents)
	case "stock":
		return l.integer(r.stock)
	case "since":
		return l.day(r.since)
	case "maker":
		return r.maker
	case "available":
		if r.shipped {
			return l.in
		}
		return l.out
	}
	return ""
}

// print records that a page prints text for a cell, and returns the text.
func (r *record) print(field, label, text string) string {
	if f := (form{label, text}); text != "" && !slices.Contains(r.forms[field], f) {
		r.forms[field] = append(r.forms[field], f)
	}
	return text
}

// host returns the host of a catalog.
func (c *catalog) host() string { return c.id + ".test" }

// entry returns the URL of the catalog's first page.
func (c *catalog) entry() string {
	if c.file != "" {
		return "https://" + c.host() + "/"
	}
	if len(c.hosts) > 0 {
		return "https://" + c.hosts[0] + "/list"
	}
	return "https://" + c.host() + "/list"
}

// document returns the URL of the catalog's document.
func (c *catalog) document() string { return "https://" + c.host() + "/files/" + c.id + "." + c.file }

// label returns the catalog's label for a field.
func (c *catalog) label(field string) string {
	if text, ok := c.labels[field]; ok {
		return text
	}
	return locales[c.lang].labels[field]
}

// printable returns the fields that a catalog prints.
func (c *catalog) printable() []string {
	if c.fields != nil {
		return c.fields
	}
	return columns
}

// slugWords are the second words of short slugs.
var slugWords = strings.Fields("anchor bell cloud delta")

// path returns the path of a record's page.
func (r *record) path() string {
	if r.cat.slug {
		return "/shop/" + strings.ToLower(adjectives[r.index%len(adjectives)]) + "-" + slugWords[r.index/len(adjectives)]
	}
	return fmt.Sprintf("/item/%d", 1000+r.index)
}

// url returns the URL of a record's page.
func (r *record) url() string { return "https://" + r.cat.host() + r.path() }

// Names of people and places.
var (
	firstNames = strings.Fields("Ada Bruno Clara Denis Elin Farid Greta Hugo Irene Jonas Karin Leo")
	lastNames  = strings.Fields("Abel Brandt Costa Dumas Ekman Farkas Grieg Holm Ibsen Jansen Kovac Lind")
	cities     = strings.Fields("Antwerp Bergen Cadiz Dresden Exeter Florence Ghent Haarlem Innsbruck Jena Krakow Lucerne")
)

// company fills in the fields that only companies have.
func company(rng *rand.Rand, r *record) {
	chief := firstNames[rng.IntN(len(firstNames))] + " " + lastNames[r.index%len(lastNames)]
	r.extra["chief"] = fact{chief, chief}
	city := cities[(r.index+rng.IntN(3))%len(cities)]
	r.extra["city"] = fact{city, city}
	tenths := 1001 + rng.IntN(8000)
	r.extra["revenue"] = fact{float64(tenths) * 1e5, fmt.Sprintf("CHF %d.%dm", tenths/10, tenths%10)}
	staff := 1000 + rng.IntN(9000)
	r.extra["staff"] = fact{float64(staff), locales["en"].integer(staff)}
}

// amounts fills in amounts of money that are printed with a scale.
func amounts(rng *rand.Rand, r *record) {
	n := 101 + rng.IntN(890)
	switch r.index % 4 {
	case 0:
		r.extra["assets"] = fact{float64(n) * 1e7, fmt.Sprintf("USD %d.%02dbn", n/100, n%100)}
	case 1:
		r.extra["assets"] = fact{float64(n) * 1e5, fmt.Sprintf("CHF %d.%dm", n/10, n%10)}
	case 2:
		r.extra["assets"] = fact{float64(n) * 1e6, fmt.Sprintf("%d Mio. EUR", n)}
	default:
		r.extra["assets"] = fact{float64(n) * 1e3, fmt.Sprintf("$%dk", n)}
	}
	n = 101 + rng.IntN(890)
	r.extra["flow"] = fact{float64(n) * 1e5, fmt.Sprintf("CHF %d.%dm", n/10, n%10)}
}
