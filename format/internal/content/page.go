// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A Page contains what the extractor knows about one page. It is not safe for concurrent
// use.
type Page struct {
	Blocks []Block

	steps    dom.Steps
	ix       *Index
	traits   []trait // of each node
	hidden   Set     // nodes that the caller has dropped
	stripped Set     // hidden, and the nodes that Strip strips
	parent   []int32 // parent of each element around a block; the root is its own parent
	before   []int32 // for each node and the end, the number of blocks that begin before it

	title, about, data wordSet
	told               bool // data contains words
	facts              [pageFeatures]float32
	kinds              [Kinds]float32 // probabilities, see Guess
	handbook           bool           // the program that made the page makes nothing but documentation

	sums                 []int32 // memory of the next three
	runes, linked, words []int32 // sums over the blocks before each block
	shapes, looks        []tally
	first1               int32   // the first block in an h1, or -1
	twins                []int32 // for the first block with a text, the number of blocks with this text

	trunk    trunk
	prose    []int32 // characters in sentences before each block
	sections []int32 // number of the next heading after each block
	asking   []Doubt // see consents
	spared   []Block // see spare

	// Memory that is used while the page is read, and then for the next page.
	weight  []int32
	known   traitReader
	quads   []uint64  // hashes of the runs of four words of each block, in order
	recent  [3]uint64 // hashes of the last three words of the block
	met     wordSet
	frames  []frame
	table   []int32
	second  Second
	scores  []float32
	picks   []Pick
	keep    []bool
	kept    []int32   // see wordsOf
	said    []bool    // see texts
	records []int32   // see rows
	masses  []float32 // sums that bestContainer computes
	refs    []uint8   // for each block, which of the references keep it, see share

	dictionary dictionary // of the lexicon

	refWords [len(references)]int32 // number of words that each of the references keeps
}

// NewPage reads the page that ix indexes, without the nodes in drop. href is the URL of the
// page, or empty.
func NewPage(ix *Index, drop Set, href string) *Page {
	p := &Page{}
	p.read(ix, drop, href, nil)
	return p
}

// read is like [NewPage], but reuses the memory of p and takes a lexicon.
func (p *Page) read(ix *Index, drop Set, href string, lexicon Lexicon) {
	p.ix, p.hidden = ix, drop
	p.facts, p.told, p.known = [pageFeatures]float32{}, false, traitReader{dictionary: &p.dictionary, neighbors: p.known.neighbors[:0]}
	p.handbook = false
	p.dictionary.set(lexicon)
	p.title, p.about, p.data = sized(p.title, 16), sized(p.about, 32), sized(p.data, 512)
	clear(p.title)
	clear(p.about)
	clear(p.data)
	p.notes(ix.notes)
	p.address(href)
	p.traits = sized(p.traits, len(ix.Nodes))
	for id, n := range ix.Nodes {
		p.steps.Take(1)
		p.traits[id] = p.known.read(n)
	}
	p.stripped = drop.Clone()
	ix.strip(0, p.stripped, func(id int32) trait {
		p.steps.Take(1)
		return p.traits[id]
	})
	p.cut()
	p.sum()
	p.bars()
	p.consents()
	p.group()
	p.cutSections()
	p.rootProse()
	p.twinBars()
	p.repeat()
	p.survey()
}

// release drops the references to the page and keeps memory for the next one.
func (p *Page) release() {
	p.ix, p.hidden, p.stripped = nil, nil, nil
	if cap(p.quads) > most {
		p.quads, p.met = nil, nil
	}
}

// sized returns a slice of length n, in the memory of s if that is enough. Its elements are
// undefined.
func sized[S ~[]E, E any](s S, n int) S {
	if cap(s) < n {
		return make(S, n, n+n/4)
	}
	return s[:n]
}

// sum fills the running sums.
func (p *Page) sum() {
	n := len(p.Blocks) + 1
	p.sums = sized(p.sums, 3*n)
	p.runes, p.linked, p.words = p.sums[:n], p.sums[n:2*n], p.sums[2*n:]
	p.runes[0], p.linked[0], p.words[0] = 0, 0, 0
	for i := range p.Blocks {
		p.steps.Take(1)
		b := &p.Blocks[i]
		b.links = p.ix.links[b.End] - p.ix.links[b.First]
		if b.tags&tagLink != 0 {
			b.links++
		}
		p.surround(b)
		b.apart = p.isTurn(b)
		p.runes[i+1] = p.runes[i] + b.runes
		p.linked[i+1] = p.linked[i] + b.linked
		p.words[i+1] = p.words[i] + b.words
	}
}

// surround sets the homes of b: the nearest elements around, of which each has at least
// twice the text of the one before, and the first at least twice the text of b.
func (p *Page) surround(b *Block) {
	runes := int(b.runes)
	id, at := b.home, 0
	for steps := 0; at < len(b.homes); steps++ {
		up := p.parent[id]
		if size := p.ix.Runes(id); size >= 2*runes || up == id || steps > 40 {
			b.homes[at] = id
			at++
			runes = size
			if up == id || steps > 40 {
				for ; at < len(b.homes); at++ {
					b.homes[at] = id
				}
				return
			}
		}
		id = up
	}
}

// group finds the blocks of the same shape, look and text, and the heading
// before each.
func (p *Page) group() {
	size := 16
	for size < 2*len(p.Blocks) {
		size *= 2
	}
	p.table = sized(p.table, size)
	table := p.table // a hash table of block numbers plus one
	clear(table)
	find := func(i int, key uint64, same func(a, b *Block) bool) int32 {
		p.steps.Take(1)
		at := int(key>>20) & (size - 1)
		for range 64 { // a page with many hash collisions gets more groups, but takes no more time
			j := table[at] - 1
			if j < 0 {
				table[at] = count32(i) + 1
				break
			}
			if same(&p.Blocks[j], &p.Blocks[i]) {
				return j
			}
			at = (at + 1) & (size - 1)
		}
		return count32(i)
	}
	heading := int32(-1)
	p.first1 = -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		b.shape = find(i, b.path[0], func(a, b *Block) bool { return a.path[0] == b.path[0] })
		b.heading = heading
		if b.level > 0 {
			heading = int32(i)
		}
		if b.level == 1 && p.first1 < 0 {
			p.first1 = int32(i)
		}
	}
	clear(table)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		b.look = find(i, b.path[1], func(a, b *Block) bool { return a.path[1] == b.path[1] })
	}
	clear(table)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		b.twin = find(i, b.text, func(a, b *Block) bool { return a.text == b.text })
	}
	p.shapes = p.tally(p.shapes, func(b *Block) int32 { return b.shape })
	p.looks = p.tally(p.looks, func(b *Block) int32 { return b.look })
}

// A tally contains the sums over the blocks of a group. Its index is the number of the
// first of them.
type tally struct{ count, runes, linked, words, first, last int32 }

func (p *Page) tally(all []tally, of func(*Block) int32) []tally {
	all = sized(all, len(p.Blocks))
	clear(all)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		t := &all[of(b)]
		if t.count == 0 {
			t.first = int32(i)
		}
		t.last = int32(i)
		t.count++
		t.runes += b.runes
		t.linked += b.linked
		t.words += b.words
	}
	return all
}

// Groups of the schema.org types by which pages describe themselves.
const (
	typeArticle = 1 << iota
	typeProduct
	typeList
	typeForum
	typeTech
	typeOrg
	typeFAQ
	typeRecipe
	typeVideo
	typeCrumb
	typeCollection
	typeEvent
	typeReview
	typeHow
	typeCount = iota
)

func typeOf(name string) uint32 {
	switch name {
	case "Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "LiveBlogPosting", "OpinionNewsArticle",
		"AnalysisNewsArticle", "ScholarlyArticle", "MedicalWebPage", "Report", "Blog":
		return typeArticle
	case "Product", "ProductGroup", "IndividualProduct", "ProductModel", "Vehicle", "Car", "Book":
		return typeProduct
	case "ItemList", "OfferCatalog":
		return typeList
	case "CollectionPage", "SearchResultsPage":
		return typeCollection
	case "DiscussionForumPosting", "QAPage", "SocialMediaPosting", "Question", "Answer", "Comment":
		return typeForum
	case "TechArticle", "APIReference", "SoftwareSourceCode":
		return typeTech
	case "Service", "LocalBusiness", "SoftwareApplication", "WebApplication", "FinancialProduct", "ProfessionalService",
		"MedicalBusiness", "FinancialService", "Dentist", "LegalService":
		return typeOrg
	case "FAQPage":
		return typeFAQ
	case "Recipe":
		return typeRecipe
	case "VideoObject", "Movie", "TVSeries":
		return typeVideo
	case "BreadcrumbList":
		return typeCrumb
	case "Event", "JobPosting", "Course", "Place", "Restaurant":
		return typeEvent
	case "Review", "AggregateRating":
		return typeReview
	case "HowTo", "ProfilePage", "AboutPage", "ContactPage":
		return typeHow
	}
	return 0
}

// notes reads the title, the meta elements, the links to other pages of a series and the JSON-LD of
// the page.
func (p *Page) notes(notes []*html.Node) {
	types := uint32(0)
	for _, n := range notes {
		if n.Type == html.CommentNode {
			p.handbook = p.handbook || isSigned(n.Data)
			continue
		}
		switch n.DataAtom {
		case atom.Title:
			if n.FirstChild != nil && n.Namespace == "" {
				p.title.add(n.FirstChild.Data, 64)
			}
		case atom.Meta:
			key := dom.Attr(n, "property")
			if key == "" {
				key = dom.Attr(n, "name")
			}
			p.meta(key, dom.Attr(n, "content"))
		case atom.Link:
			p.neighbor(n)
		case atom.Script:
			if n.FirstChild != nil {
				types |= p.linkedData(n.FirstChild.Data)
			}
		}
	}
	for i := range typeCount {
		if types>>i&1 == 1 {
			p.facts[factTypes+i] = 1
		}
	}
}

func (p *Page) meta(key, val string) {
	switch strings.ToLower(key) {
	case "og:title", "twitter:title":
		p.title.add(val, 64)
	case "description", "og:description", "twitter:description":
		p.about.add(val, 128)
	case "og:type":
		switch {
		case strings.Contains(val, "article"):
			p.facts[factOG] = 1
		case strings.Contains(val, "product"):
			p.facts[factOG] = 2
		case val == "website":
			p.facts[factOG] = 3
		default:
			p.facts[factOG] = 4
		}
	case "article:published_time", "article:author", "author", "parsely-pub-date", "citation_title", "dc.date",
		"article:section", "article:tag", "article:modified_time":
		p.facts[factDated]++
	case "product:price:amount", "og:price:amount", "product:price:currency", "og:price:currency", "product:availability":
		p.facts[factPriced] = 1
	case "generator":
		val = strings.ToLower(val)
		p.facts[factMaker], p.handbook = maker(val), p.handbook || isHandbook(val)
	}
}

// maker returns the kind of the program that generated a page: 2 is for documentation, 3
// for forums, 4 for shops, and 1 for articles and everything else.
func maker(generator string) float32 {
	for _, m := range []struct {
		name string
		kind float32
	}{
		{"docusaurus", 2},
		{"sphinx", 2},
		{"mkdocs", 2},
		{"gitbook", 2},
		{"doxygen", 2},
		{"hugo", 2},
		{"jekyll", 2},
		{"vuepress", 2},
		{"vitepress", 2},
		{"antora", 2},
		{"docfx", 2},
		{"starlight", 2},
		{"mediawiki", 2},
		{"jsdoc", 2},
		{"javadoc", 2},
		{"asciidoctor", 2},
		{"nextra", 2},
		{"readme", 2},
		{"discourse", 3},
		{"phpbb", 3},
		{"vbulletin", 3},
		{"xenforo", 3},
		{"smf", 3},
		{"mybb", 3},
		{"nodebb", 3},
		{"flarum", 3},
		{"vanilla", 3},
		{"invision", 3},
		{"simplemachines", 3},
		{"lemmy", 3},
		{"woocommerce", 4},
		{"shopify", 4},
		{"magento", 4},
		{"prestashop", 4},
		{"opencart", 4},
	} {
		if strings.Contains(generator, m.name) {
			return m.kind
		}
	}
	return 1
}

// linkedData reads a block of JSON-LD for types and texts, without decoding it.
func (p *Page) linkedData(s string) (types uint32) {
	const most = 200_000 // bytes
	if len(s) > most {
		s = s[:most]
	}
	for {
		_, rest, ok := strings.Cut(s, `"`)
		key, after, closed := strings.Cut(rest, `"`)
		if !ok || !closed {
			return types
		}
		s = after
		switch key {
		case "@type":
			var found uint32
			found, s = schemaTypes(s)
			types |= found
		case "articleBody", "description", "text", "name", "headline", "reviewBody":
			s = p.sentence(s)
		}
	}
}

// schemaTypes reads the value of an @type: a name or a list of them.
func schemaTypes(s string) (types uint32, rest string) {
	for range 4 {
		value := strings.TrimLeft(s, " \t\r\n:[,")
		if value == "" || value[0] != '"' {
			break
		}
		name, after, ok := strings.Cut(value[1:], `"`)
		if !ok {
			break
		}
		t := typeOf(strings.TrimPrefix(name, "https://schema.org/"))
		if t == 0 && strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), ":") {
			break // the next member
		}
		types |= t
		s = after
	}
	return types, s
}

// sentence adds the words of the JSON string at the beginning of s to p.data, and returns
// the rest of s.
func (p *Page) sentence(s string) string {
	rest := strings.TrimLeft(s, " \t\r\n:")
	if rest == "" || rest[0] != '"' {
		return s
	}
	rest = rest[1:]
	n := 0
	for n < len(rest) && rest[n] != '"' {
		if rest[n] == '\\' {
			n++
		}
		n++
	}
	n = min(n, len(rest))
	p.data.add(rest[:n], 4000)
	p.told = true
	if n > 200 {
		p.facts[factBody] = 1
	}
	return rest[min(n+1, len(rest)):]
}

// address fills in the facts that come from the URL of the page.
func (p *Page) address(href string) {
	_, rest, ok := strings.Cut(href, "://")
	if !ok {
		return
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	p.known.self, _, _ = strings.Cut(href, "#")
	p.known.file = p.known.self[strings.LastIndexByte(p.known.self, '/')+1:]
	path = strings.Trim(path, "/")
	depth, last := 0, ""
	if path != "" {
		depth = strings.Count(path, "/") + 1
		last = path[strings.LastIndexByte(path, '/')+1:]
	}
	p.facts[factDepth] = float32(depth)
	p.facts[factHyphens] = float32(strings.Count(last, "-") + strings.Count(last, "_"))
	p.facts[factQuery] = float32(min(len(query), 50))
	digits, run, longest := 0, 0, 0
	for i := range len(path) {
		if c := path[i]; c >= '0' && c <= '9' {
			digits++
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	p.facts[factDigits] = float32(min(digits, 40))
	p.facts[factRun] = float32(min(longest, 20))
	if strings.Contains(last, ".") {
		p.facts[factFile] = 1
	}
	p.facts[factHost] = placeOf(host)
	p.facts[factPlace], p.facts[factLast] = 0, 0
	for segment := range strings.SplitSeq(path, "/") {
		p.facts[factLast] = 0
		if k := placeOf(segment); k != 0 {
			if p.facts[factPlace] == 0 {
				p.facts[factPlace] = k
			}
			p.facts[factLast] = k
		}
	}
}

// placeOf returns a number for the kind of pages that are usual below a path segment or on
// a host with this name, or 0 if no kind is.
func placeOf(segment string) float32 {
	for segment != "" {
		i := strings.IndexAny(segment, "-_.")
		word := segment
		if i >= 0 {
			word, segment = segment[:i], segment[i+1:]
		} else {
			segment = ""
		}
		switch word {
		case "blog", "blogs", "news", "article", "articles", "story", "post", "posts", "press", "magazine":
			return 1
		case "product", "products", "p", "dp", "pd", "item", "itm", "prod", "pr", "ip":
			return 2
		case "category", "categories", "collection", "collections", "c", "cat", "shop", "store", "browse", "b":
			return 3
		case "forum", "forums", "thread", "threads", "topic", "topics", "t", "discussion", "discussions", "viewtopic",
			"showthread", "community", "questions", "question", "r", "comments", "d", "boards", "bbs":
			return 4
		case "docs", "doc", "documentation", "api", "reference", "guide", "manual", "tutorial", "tutorials", "wiki",
			"man", "developer", "developers", "readthedocs", "html", "learn", "library", "guides":
			return 5
		case "service", "services", "solutions", "solution", "features", "platform", "pricing", "about", "industries",
			"treatments", "specialties":
			return 6
		case "search", "tag", "tags", "list", "directory", "jobs", "events", "best", "top", "courses", "explore",
			"listings", "results", "archive", "section":
			return 7
		}
	}
	return 0
}

// Guess computes the probability of each kind of page. Features needs them.
func (p *Page) Guess(kinds *[Kinds]Forest) {
	for k := range kinds {
		p.kinds[k] = Sigmoid(kinds[k].Score(p.facts[:]))
	}
}

// Facts returns the facts of the page as a whole.
func (p *Page) Facts() [pageFeatures]float32 { return p.facts }
