// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Web is a site as a function from path and query to HTML. Every path has a
// page.
type Web func(path string) string

// Word returns a word that consists of letters.
func Word(n int) string {
	var b []byte
	for n += 26; n > 0; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

// Number returns the number at the end of path.
func Number(path string) (n int) {
	_, _ = fmt.Sscanf(path[strings.LastIndexAny(path, "/=-")+1:], "%d", &n)
	return n
}

// Chance returns a random generator whose seed depends on what.
func Chance(what ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what...)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// Prose returns n words that depend on what.
func Prose(n int, what ...any) string {
	r := Chance(what...)
	var b strings.Builder
	for range n {
		b.WriteString(Word(r.IntN(5000)) + " ")
	}
	return b.String()
}

// Frame is the part that all pages of a site share.
var Frame = "<nav><a href='/'>Home</a> " + Prose(60, "frame") + "</nav>"

// Link returns a link.
func Link(path string, text any) string { return fmt.Sprintf(" <a href='%s'>%v</a>", path, text) }

// table is a page of rates with the same words on each page, but different
// numbers.
func table(n int) string {
	r := Chance("rates", n)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<tr><td>%s<td>%.4f<td>%.4f", Word(i), r.Float64(), r.Float64())
	}
	return b.String()
}

// Catalogue has lists of products, which differ only in numbers.
func Catalogue(lists, each int) Web {
	return func(p string) string {
		var b strings.Builder
		switch n := Number(p); {
		case p == "/":
			for i := range lists {
				b.WriteString(Link(fmt.Sprintf("/list/%d", i), i))
			}
		case strings.HasPrefix(p, "/list/"):
			for i := range each {
				b.WriteString(Link(fmt.Sprintf("/product/%d", n*each+i), i))
			}
		case strings.HasPrefix(p, "/product/"):
			fmt.Fprintf(&b, "Product %d, price %d, in stock %d", n, n*7%1000, n%13)
		}
		return Frame + b.String()
	}
}

// Gallery has pictures with next links.
func Gallery(size int) Web {
	return func(p string) string {
		n := Number(p)
		var b strings.Builder
		b.WriteString(Frame + fmt.Sprintf("Picture %d of %d <img src='/img/%d.jpg'>", n, size, n*n))
		if n+1 < size {
			b.WriteString(Link(fmt.Sprintf("/picture/%d", n+1), "next"))
		}
		return b.String()
	}
}

// Tables has a page of rates for each day.
func Tables(size int) Web {
	return func(p string) string {
		n := Number(p)
		if n+1 >= size {
			return Frame + table(n)
		}
		return Frame + table(n) + Link(fmt.Sprintf("/day/%d", n+1), "next day")
	}
}

// Forum has threads with several pages.
func Forum(threads, pages int) Web {
	return func(p string) string {
		var thread, page int
		if n, _ := fmt.Sscanf(p, "/thread/%d?page=%d", &thread, &page); n == 0 {
			var b strings.Builder
			for i := range threads {
				b.WriteString(Link(fmt.Sprintf("/thread/%d", i), Prose(4, i)))
			}
			return Frame + b.String()
		}
		page = max(page, 1)
		var b strings.Builder
		b.WriteString(Frame + Prose(80, thread, page))
		for i := max(page-3, 1); i <= min(page+3, pages); i++ {
			b.WriteString(Link(fmt.Sprintf("/thread/%d?page=%d", thread, i), i))
		}
		return b.String()
	}
}

// Manual is documentation in several versions that hardly differ.
func Manual(versions, pages int) Web {
	return func(p string) string {
		var version int
		var name string
		_, _ = fmt.Sscanf(p, "/v%d/%s", &version, &name)
		var b strings.Builder
		b.WriteString(Frame)
		for i := range versions {
			b.WriteString(Link(fmt.Sprintf("/v%d/%s", i+1, name), i+1))
		}
		for i := range pages {
			b.WriteString(Link(fmt.Sprintf("/v%d/%s", max(version, 1), Word(i)), Word(i)))
		}
		return b.String() + Prose(200, name) + fmt.Sprint("version ", version)
	}
}

// Calendar has a page for each month, without end.
func Calendar(p string) string {
	year, month := 2026, 1
	_, _ = fmt.Sscanf(p, "/calendar/%d/%d", &year, &month)
	at := year*12 + month - 1
	var b strings.Builder
	b.WriteString(Frame + fmt.Sprintf("%v %d", time.Month(month), year))
	for day := range 31 {
		fmt.Fprintf(&b, " <td>%d", day+1)
	}
	return b.String() + Link(fmt.Sprintf("/calendar/%d/%d", (at-1)/12, (at-1)%12+1), "before") + Link(fmt.Sprintf("/calendar/%d/%d", (at+1)/12, (at+1)%12+1), "after")
}

// GrowingQuery has a query that gets another key on each page.
func GrowingQuery(p string) string {
	sep := "?"
	if strings.Contains(p, "?") {
		sep = "&amp;"
	}
	return Frame + Prose(30, "growing") + Link(strings.ReplaceAll(p, "&", "&amp;")+sep+Word(len(p))+"=1", "more")
}

// Sessions gives each link a new id.
func Sessions(p string) string {
	path, query, _ := strings.Cut(p, "?")
	var b strings.Builder
	b.WriteString(Frame + Prose(30, path))
	for i := range 12 {
		b.WriteString(Link(fmt.Sprintf("/page/%s?sid=%016x", Word(i), Chance(query, i).Uint64()), Word(i)))
	}
	return b.String()
}

// Circle links to the same page by ever longer relative paths.
func Circle(string) string {
	var b strings.Builder
	b.WriteString(Frame + Prose(30, "circle"))
	for i := range 6 {
		b.WriteString(Link(Word(i)+"/", Word(i)))
	}
	return b.String()
}

// Facets has filters, few of which find something.
func Facets(p string) string {
	_, query, _ := strings.Cut(p, "?")
	set := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			set[key] = value
		}
	}
	var b strings.Builder
	b.WriteString(Frame)
	if len(set) > 2 {
		b.WriteString("Nothing was found.")
	} else {
		b.WriteString(Prose(30, query))
	}
	for i := range 12 {
		key := "f" + Word(i)
		for _, value := range []string{"yes", "no"} {
			with := maps.Clone(set)
			with[key] = value
			var parts []string
			for _, k := range slices.Sorted(maps.Keys(with)) {
				parts = append(parts, k+"="+with[k])
			}
			b.WriteString(Link("/search?"+strings.Join(parts, "&amp;"), key))
		}
	}
	return b.String()
}
