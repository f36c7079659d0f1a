// SPDX-License-Identifier: Apache-2.0

// Package site generates webs to crawl together with their expected pages. The
// same seed gives the same web, byte for byte.
package site

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Config describes a web of one host.
type Config struct {
	Seed  uint64
	Pages int // reachable pages; zero means 2,000
	Links int // links on a page, including those to its children; zero means 80
	Bytes int // bytes of text on a page, before its links; zero means 24 KiB

	// Plain writes every link as an absolute path and omits the decoys, so that
	// every crawler has the same work. Otherwise links have the 31 spellings of
	// [Spellings], between decoys.
	Plain bool

	Traps  bool // the front page links to the [Traps], which are not in the truth
	Faults bool // some pages fail at first or always; see [Site.Fault]

	CrawlDelay float64 // Crawl-delay of robots.txt in seconds; zero means none
}

// Site is a generated web. It is immutable and safe for concurrent use.
type Site struct {
	c     Config
	paths []string       // path and query of page i
	index map[string]int // index of the page by path
}

const (
	fanout   = 8           // number of children of a page, by which every page is reachable
	private  = "/private/" // disallowed by robots.txt
	robots   = "User-agent: *\nDisallow: " + private + "\n"
	decoyDir = "/never/" // requested only by incorrect link extractors
)

// New generates the web of c.
func New(c Config) *Site {
	c.Pages = cmp.Or(c.Pages, 2_000)
	c.Links = cmp.Or(c.Links, 80)
	c.Bytes = cmp.Or(c.Bytes, 24<<10)
	s := &Site{c: c, paths: make([]string, c.Pages), index: make(map[string]int, c.Pages)}
	for i := range s.paths {
		s.paths[i] = path(i)
		s.index[s.paths[i]] = i
	}
	return s
}

// path returns the path of page i, in one of several forms.
func path(i int) string {
	switch {
	case i == 0:
		return "/"
	case i%11 == 3:
		return fmt.Sprintf("/list?page=%d&sort=name", i)
	case i%7 == 2:
		return fmt.Sprintf("/shop/c%d/item-%d.html", i%13, i)
	case i%5 == 1:
		return fmt.Sprintf("/docs/v%d/chapter/%d/", i%3, i)
	case i%17 == 4:
		return fmt.Sprintf("/caf%%C3%%A9/%d", i)
	}
	return fmt.Sprintf("/p/%d", i)
}

// Truth returns the path and query of every page that a complete crawl
// delivers, with its minimum depth. It does not contain the pages of traps, nor
// those that never respond.
func (s *Site) Truth() map[string]int {
	depth := make(map[string]int, s.c.Pages)
	queue := []int{0}
	depth[s.paths[0]] = 0
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if f := s.fault(i); f == Broken500 || f == BrokenReset {
			continue
		}
		for _, to := range s.targets(i) {
			if _, seen := depth[s.paths[to]]; !seen {
				depth[s.paths[to]] = depth[s.paths[i]] + 1
				queue = append(queue, to)
			}
		}
	}
	for i, p := range s.paths {
		if s.fault(i) == BrokenReset {
			delete(depth, p)
		}
	}
	return depth
}

// targets returns the pages that page i links to, in order: its children, and
// random others.
func (s *Site) targets(i int) []int {
	to := make([]int, 0, s.c.Links)
	for c := i*fanout + 1; c <= i*fanout+fanout && c < s.c.Pages; c++ {
		to = append(to, c)
	}
	rnd := s.rand(i, 1)
	for len(to) < s.c.Links {
		// Random links lead to pages with at most twice the index, so that the
		// depth of the web is not reduced to two.
		to = append(to, rnd.IntN(min(s.c.Pages, 2*i+fanout)))
	}
	return to
}

func (s *Site) rand(i int, use uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.c.Seed, uint64(i)<<8|use)) // #nosec G404 G115 -- generated pages need no secure randomness, and i is an index
}

// Page returns the body of a path on host, and its Content-Type. It returns
// false if there is no such page.
func (s *Site) Page(host, pathAndQuery string) (body []byte, contentType string, ok bool) {
	switch {
	case pathAndQuery == "/robots.txt":
		if s.c.CrawlDelay > 0 {
			return fmt.Appendf(nil, "%sCrawl-delay: %g\n", robots, s.c.CrawlDelay), "text/plain", true
		}
		return []byte(robots), "text/plain", true
	case strings.HasPrefix(pathAndQuery, trapDir):
		text, ok := trap(pathAndQuery)
		return []byte("<!doctype html>" + text), "text/html; charset=utf-8", ok
	case strings.HasPrefix(pathAndQuery, private), strings.HasPrefix(pathAndQuery, decoyDir):
		return []byte("<!doctype html><title>Not for you</title>"), "text/html; charset=utf-8", true
	}
	i, ok := s.index[pathAndQuery]
	if !ok {
		return nil, "", false
	}
	var b strings.Builder
	latin := i%19 == 5 // in windows-1252, which the page declares
	base := ""
	if !s.c.Plain && i%23 == 6 {
		base = "/docs/v1/"
	}
	s.head(&b, i, latin, base)
	s.text(&b, i)
	s.links(&b, i, host, base)
	if !s.c.Plain {
		s.decoys(&b, i)
	}
	if s.c.Traps && i == 0 {
		b.WriteString(trapLinks)
	}
	b.WriteString("</main><footer><p>Made by a generator.</p></footer></body></html>\n")
	if !latin {
		return []byte(b.String()), "text/html; charset=utf-8", true
	}
	out := make([]byte, 0, b.Len())
	for _, r := range b.String() {
		out = append(out, byte(r)) // #nosec G115 -- the text is Latin-1
	}
	return out, "text/html", true
}

func (s *Site) head(b *strings.Builder, i int, latin bool, base string) {
	charset := "utf-8"
	if latin {
		charset = "windows-1252"
	}
	fmt.Fprintf(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"%s\"><title>Page %d</title>", charset, i)
	if base != "" {
		fmt.Fprintf(b, "<base href=\"%s\">", base)
	}
	b.WriteString("<style>a{color:#036}</style></head><body><header><nav>menu</nav></header><main>")
	fmt.Fprintf(b, "<h1>Page %d caf\u00e9</h1>\n", i)
}

var words = strings.Fields("the marsh lies low under wind and water while grey birds walk their measured rounds beside slow channels where reed sedge and rush give cover to nests that nobody has counted since spring came late over sand salt stone")

// text writes the paragraphs of a page. Their size varies between a half and
// one and a half of Config.Bytes.
func (s *Site) text(b *strings.Builder, i int) {
	rnd := s.rand(i, 2)
	size := s.c.Bytes/2 + rnd.IntN(s.c.Bytes+1)
	for end := b.Len() + size; b.Len() < end; {
		b.WriteString("<p>")
		for range 40 + rnd.IntN(40) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteByte(' ')
		}
		b.WriteString("<em>end</em>.</p>\n")
	}
}

func (s *Site) links(b *strings.Builder, i int, host, base string) {
	from := base
	if from == "" {
		from = s.paths[i]
	}
	b.WriteString("<ul>\n")
	for n, to := range s.targets(i) {
		spelling := 0
		if !s.c.Plain {
			spelling = (i*7 + n) % Spellings
		}
		b.WriteString("<li>")
		writeLink(b, spelling, host, from, s.paths[to])
		b.WriteString("</li>\n")
	}
	b.WriteString("</ul>\n")
}

// decoys writes text that looks like links, and links that must not be
// followed.
func (s *Site) decoys(b *strings.Builder, i int) {
	fmt.Fprintf(b, "<!-- <a href=\"%scomment-%d\">x</a> -->\n", decoyDir, i)
	fmt.Fprintf(b, "<script>var a = '<a href=\"%sscript-%d\">x</a>';</script>\n", decoyDir, i)
	fmt.Fprintf(b, "<style>/* <a href=\"%sstyle-%d\">x</a> */</style>\n", decoyDir, i)
	fmt.Fprintf(b, "<textarea><a href=\"%sarea-%d\">x</a></textarea>\n", decoyDir, i)
	fmt.Fprintf(b, "<template><a href=\"%stemplate-%d\">x</a></template>\n", decoyDir, i)
	fmt.Fprintf(b, "<a href=\"javascript:void(%d)\">x</a> <a href=\"mailto:a@b.test\">x</a> <a data-href=\"%sdata-%d\">x</a>\n", i, decoyDir, i)
	fmt.Fprintf(b, "<a href=\"%spage-%d\">members</a> <a href=\"http://elsewhere.invalid/%d\">elsewhere</a>\n", private, i, i)
}
