// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A mark is the set of groups to which the words of a class or id attribute belong.
type mark uint64

// The groups of words. Page authors name parts of a page with these words. The text of a
// page is never searched for them.
const (
	markNav mark = 1 << iota
	markFooter
	markSide
	markHeader
	markCrumb
	markCookie
	markMail
	markShare
	markRelated
	markPopup
	markAd
	markSkip
	markContents // table of contents
	markPager
	markLogin
	markWidget
	markLegal
	markArticle
	markContent
	markProduct
	markDescription
	markForum
	markMessage
	markComment
	markReview
	markMeta
	markTag
	markUser
	markPrice
	markCard
	markList
	markFilter
	markCaption
	markHero
	markFold // tabs and accordions
	markTitle
	markText
	markQuote
	markForm
	markButton
	markCode
	markSpec
	markVariant
	markDate

	markGroups = iota

	// markConsent marks notices about cookies. Unlike markCookie, which the model was trained
	// with, it does not contain "cmp": in names such as cmp-text, which one of the largest
	// content management systems gives to all its elements, this stands for component.
	markConsent mark = 1 << 61

	// markTurn marks what leads to the next page or to the one before.
	markTurn mark = 1 << 60

	// Words in class names and IDs because of which [Index.Strip] strips an element, or does not.
	markBad  mark = 1 << 62
	markGood mark = 1 << 63
)

// markedWords are the words of each group, with a space between two. They are data, because a switch
// over them would be 13 KB of code.
var markedWords = [...]struct {
	marks mark
	words string
}{
	{markNav | markBad, "nav navbar navigation menu megamenu"},
	{markNav, "submenu mainnav topnav menubar dropdown"},
	{markFooter | markBad, "footer"},
	{markFooter, "foot bottom colophon ft"},
	{markSide | markBad, "sidebar offcanvas drawer"},
	{markSide, "side aside rail sidenav secondary complementary right left"},
	{markHeader | markBad, "toolbar masthead"},
	{markHeader, "header topbar head hd top logo brand"},
	{markCrumb | markBad, "breadcrumb breadcrumbs"},
	{markCrumb, "crumb crumbs"},
	{markCookie | markConsent | markBad, "cookie cookies consent gdpr"},
	{markCookie | markConsent, "onetrust privacy ccpa"},
	{markCookie, "cmp"},
	{markMail | markBad, "newsletter subscribe subscription"},
	{markMail, "signup optin mailing mailchimp email"},
	{markShare | markBad, "social share sharing"},
	{markShare, "follow sharedaddy addtoany socials facebook twitter"},
	{markRelated | markBad, "related recommend recommended"},
	{markRelated, "recommendation recommendations similar more upsell upsells crosssell suggested suggestions popular trending recent latest also viewed bestsellers readmore recirc"},
	{markRelated | markTurn, "next prev previous"},
	{markPopup | markBad, "popup modal overlay"},
	{markPopup, "dialog tooltip toast lightbox alert notice notification flyout loading loader minicart announcement"},
	{markAd | markBad, "ad ads advert advertisement banner sponsor sponsored promo"},
	{markAd, "promotion promotions promos advertising dfp adsbygoogle banners offer"},
	{markSkip | markBad, "skip"},
	{markSkip, "hidden sr visuallyhidden screen hide invisible assistive noprint print"},
	{markContents | markBad, "toc"},
	{markContents, "contents outline anchors jump tableofcontents"},
	{markPager | markBad, "pagination pager"},
	{markPager, "page pages paging paginator"},
	{markLogin | markBad, "login signin searchform"},
	{markLogin, "register account search auth gate paywall"},
	{markWidget | markBad, "widget"},
	{markWidget, "widgets plugin module component block"},
	{markLegal | markBad, "copyright"},
	{markLegal, "legal terms disclaimer disclosure"},
	{markArticle | markGood, "article post entry"},
	{markArticle, "story blog news articles posts hentry single"},
	{markContent | markGood, "content main body"},
	{markContent, "primary center container wrapper"},
	{markProduct | markGood, "product"},
	{markProduct, "pdp products prod item shop woocommerce commerce"},
	{markDescription | markGood, "description"},
	{markDescription, "desc details detail overview summary intro excerpt about lead subtitle subheading deck dek teaser abstract bio"},
	{markForum | markGood, "forum thread"},
	{markForum, "topic discussion topics threads forums bbs board"},
	{markMessage | markGood, "message"},
	{markMessage, "messages reply replies answer answers question msg postbody bbwrapper cooked"},
	{markComment, "comment comments disqus respond commentlist"},
	{markReview, "review reviews rating ratings stars testimonial testimonials star"},
	{markMeta, "meta byline author info published authors credit credits writer"},
	{markTag, "tag tags category categories cats cat label labels badge badges chip pill keywords eyebrow"},
	{markUser, "user avatar profile member signature username userinfo usertitle sig poster rank badgearea people team"},
	{markPrice, "price cart buy checkout quantity qty stock shipping prices pricing basket wishlist delivery purchase sale discount atc inventory availability compare"},
	{markCard, "card cards tile tiles box cell col column row entity"},
	{markList, "list grid listing listings results result items loop collection archive catalog gallery feed stream plp"},
	{markFilter, "filter filters facet facets sort refine refinement sorting filtering selector select option options"},
	{markCaption, "caption figcaption figure image img media photo picture video thumb thumbnail player"},
	{markHero, "hero slider carousel slide swiper slick jumbotron splash marquee slides"},
	{markFold, "faq faqs accordion tab tabs panel collapse collapsible toggle expand accordions tabpanel pane"},
	{markTitle, "title heading headline h1 h2 h3 name titles"},
	{markText, "text copy richtext rich prose rte wysiwyg editor paragraph markdown typography section html"},
	{markQuote, "quote blockquote quotes pullquote cite citation reference references footnotes"},
	{markForm, "form forms input field fields fieldset contact wpcf7 gform"},
	{markButton, "btn button buttons cta action actions link links controls control icon icons"},
	{markCode, "code highlight pre syntax prism docs documentation doc theorem admonition"},
	{markSpec, "spec specs specification specifications attributes attribute features feature ingredients nutrition properties technical params table"},
	{markVariant, "variant variants variation swatch swatches size sizes color colour colors"},
	{markDate, "date time timestamp datetime posted updated ago"},
}

// marksByWord returns the groups of each word in lower case.
var marksByWord = sync.OnceValue(func() map[string]mark {
	all := make(map[string]mark, 512)
	for i := range markedWords {
		for word := range strings.FieldsSeq(markedWords[i].words) {
			all[word] = markedWords[i].marks
		}
	}
	return all
})

// A wordReader splits the value of a class, id, itemprop or data attribute into words, at
// spaces, punctuation and changes from lower to upper case.
type wordReader struct {
	rest string
	buf  [16]byte // no known word is longer
}

// next returns the next word of 2 to 16 letters and digits, in lower case, or nil at the
// end. The next call overwrites the word.
func (r *wordReader) next() []byte {
	n := 0
	lower := false
	for i := range len(r.rest) {
		c := r.rest[i]
		kind := kinds[c]
		upper, low, digit := kind&isUpper != 0, kind&isLower != 0 && c != '_', kind&isDigit != 0
		if n > 0 && (upper && lower || !upper && !low && !digit) {
			if n > 1 && n <= len(r.buf) {
				r.rest = r.rest[i:]
				return r.buf[:n]
			}
			n = 0
		}
		lower = low
		if !upper && !low && !digit {
			continue
		}
		if n < len(r.buf) {
			r.buf[n] = c | 0x20
		}
		n++
	}
	r.rest = ""
	if n > 1 && n <= len(r.buf) {
		return r.buf[:n]
	}
	return nil
}

// A trait contains what the tag and the attributes of an element say about it.
type trait struct {
	names mark   // groups of the words in its names
	says  Votes  // what the lexicon says of these words
	look  uint64 // hash of its class attribute
	tags  uint32 // kind of element by its role, see roleOf
	role  roleKind

	isElement bool
	inner     bool // a link to the page itself
	turn      bool // a link whose rel or names say that it leads through a series of pages, see leadsOn
	led       bool // a link to a page that the head of the page names as part of its series
	tag       atom.Atom
}

// roleKind says whether an element with a role is content.
type roleKind uint8

const (
	roleOther  roleKind = iota
	roleChrome          // navigation and the like
	roleNote            // content, whatever its tag says
)

// A traitReader reads traits. It caches what it reads from class attributes, because most
// elements of a page have the same class attribute as others.
type traitReader struct {
	dictionary *dictionary // nil if the caller does not need what the words say
	neighbors  []string    // addresses of the other pages of a series
	self, file string      // address of the page, and its part after the last slash; empty if they are not known
	known      [256]struct {
		look  uint64
		names mark
		says  Votes
	}
}

// isSelf reports whether an address is that of the page itself or of a part of it.
func (r *traitReader) isSelf(href string) bool {
	if r.file == "" || !strings.Contains(href, r.file) {
		return false
	}
	href, _, _ = strings.Cut(href, "#")
	return href == r.file || href == r.self
}

// isNaming reports whether the values of an attribute are read for words.
func isNaming(key string) bool {
	switch key {
	case "class", "id", "itemprop", "data-testid", "data-component", "data-section-type":
		return true
	}
	return false
}

// words returns the groups of the words of s, and what the lexicon says of them.
func (r *traitReader) words(s string) (names mark, says Votes) {
	all, marks := wordReader{rest: s}, marksByWord()
	for word := all.next(); word != nil; word = all.next() {
		names |= marks[string(word)]
		if r.dictionary != nil {
			says.add(r.dictionary.says(word))
		}
	}
	return names, says
}

// read returns the trait of n.
func (r *traitReader) read(n *html.Node) (t trait) {
	if n.Type != html.ElementNode {
		return t
	}
	t.isElement, t.tag = true, n.DataAtom
	for i := range n.Attr {
		a := &n.Attr[i]
		switch {
		case a.Key == "role":
			t.tags, t.role = roleOf(a.Val), roleKindOf(a.Val)
		case a.Key == "href":
			t.inner = t.tag == atom.A && (strings.HasPrefix(a.Val, "#") || r.isSelf(a.Val))
			t.led = t.tag == atom.A && slices.Contains(r.neighbors, a.Val)
		case a.Key == "rel":
			t.turn = t.turn || t.tag == atom.A && leadsOn(a.Val)
		case !isNaming(a.Key) || a.Val == "":
		case a.Key == "class":
			t.look = hashString(a.Val)
			k := &r.known[t.look%uint64(len(r.known))]
			if k.look != t.look {
				k.look = t.look
				k.names, k.says = r.words(a.Val)
			}
			t.names |= k.names
			t.says.add(k.says)
		default:
			names, says := r.words(a.Val)
			if a.Key != "id" {
				names &^= markBad | markGood
			}
			t.names |= names
			t.says.add(says)
		}
	}
	t.turn = t.turn || t.tag == atom.A && t.names&markTurn != 0
	return t
}

func roleKindOf(role string) roleKind {
	switch role {
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "tablist":
		return roleChrome
	case "note", "main":
		return roleNote
	}
	return roleOther
}
