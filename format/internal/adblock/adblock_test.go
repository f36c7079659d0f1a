// SPDX-License-Identifier: Apache-2.0

package adblock_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/adblock"
)

func read(t testing.TB, list string) *adblock.List {
	t.Helper()
	l, err := adblock.Read(strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// element returns the node that s describes in the form tag#id.class.class[name=value].
func element(s string) *html.Node {
	n := &html.Node{Type: html.ElementNode}
	s, attr, ok := strings.Cut(s, "[")
	if ok {
		name, value, _ := strings.Cut(strings.TrimSuffix(attr, "]"), "=")
		n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
	}
	parts := strings.Split(s, ".")
	n.Data = parts[0]
	if tag, id, ok := strings.Cut(parts[0], "#"); ok {
		n.Data = tag
		n.Attr = append(n.Attr, html.Attribute{Key: "id", Val: id})
	}
	if len(parts) > 1 {
		n.Attr = append(n.Attr, html.Attribute{Key: "class", Val: strings.Join(parts[1:], " ")})
	}
	return n
}

// hides reports whether p hides one element.
func hides(t testing.TB, p *adblock.Page, n *html.Node) bool {
	t.Helper()
	hidden, err := p.Elements(t.Context(), n).Hides(n)
	if err != nil {
		t.Fatal(err)
	}
	return hidden
}

const easy = `[Adblock Plus 2.0]
! comment
##.ad-box
###sidebar-ad
##div[data-ad="1"]
##ins[class],.promo
news.example,~sport.news.example##.teaser
~clean.example##.everywhere
clean.example#@#.ad-box
shop.example##.x:has-text(Sponsored)
shop.example#?#.x:-abp-has(.y)
example.com##+js(abort)
bad.example,*##.z
||ads.example^
||cdn.example/banner/
||pix.example^$image
||scripts.example^$script
||third.example^$third-party
||own.example^$~third-party
||only.example^$domain=news.example|~sport.news.example
||always.example^$important
@@||always.example^
/advert_image.
|https://exact.example/|
-banner-*-728x90.
@@||ads.example/good^$image
@@||free.example^$document
@@||plain.example^$elemhide
@@||own-look.example^$generichide
/reg.*exp/
||x.example^$redirect=noop
a
`

func TestHides(t *testing.T) {
	l := read(t, easy)
	for _, test := range []struct {
		page, node string
		want       bool
	}{
		{"https://a.example/", "div.ad-box", true},
		{"https://a.example/", "div.big.ad-box", true},
		{"https://a.example/", "div.ad-boxes", false},
		{"https://clean.example/", "div.ad-box", false},
		{"https://www.clean.example/", "div.ad-box", false},
		{"https://a.example/", "p#sidebar-ad", true},
		{"https://a.example/", "p#sidebar", false},
		{"https://a.example/", "div[data-ad=1]", true},
		{"https://a.example/", "p[data-ad=1]", false},
		{"https://a.example/", "ins[class=x]", true},
		{"https://a.example/", "div.promo", true},
		{"https://news.example/", "div.teaser", true},
		{"https://www.news.example/x", "div.teaser", true},
		{"https://sport.news.example/", "div.teaser", false},
		{"https://oldnews.example/", "div.teaser", false},
		{"https://a.example/", "div.everywhere", true},
		{"https://clean.example/", "div.everywhere", false},
		{"https://free.example/", "div.ad-box", false},
		{"https://plain.example/", "div.ad-box", false},
		{"https://own-look.example/", "div.ad-box", false},
		{"not a URL", "div.ad-box", true},
	} {
		if got := hides(t, l.Page(test.page), element(test.node)); got != test.want {
			t.Errorf("%s on %s: %v", test.node, test.page, got)
		}
	}
	if got := l.Skipped(); got != 8 {
		t.Errorf("skipped %d rules, want 8", got)
	}
}

func TestBlocks(t *testing.T) {
	l := read(t, easy)
	for _, test := range []struct {
		page, url string
		kind      adblock.Kind
		want      bool
	}{
		{"https://a.example/", "https://ads.example/x.png", adblock.Image, true},
		{"https://a.example/", "https://x.ads.example/", adblock.Frame, true},
		{"https://a.example/", "https://ads.example/", adblock.Link, true},
		{"https://a.example/", "https://myads.example/", adblock.Image, false},
		{"https://a.example/", "https://ads.example.org/", adblock.Image, false},
		{"https://a.example/", "https://ads.example/good/x.png", adblock.Image, false},
		{"https://a.example/", "https://ads.example/goods/x.png", adblock.Image, true},
		{"https://a.example/", "https://cdn.example/banner/1", adblock.Image, true},
		{"https://a.example/", "https://cdn.example/banner/1", adblock.Link, false},
		{"https://a.example/", "https://cdn.example/x/banner/1", adblock.Image, false},
		{"https://a.example/", "https://pix.example/1", adblock.Image, true},
		{"https://a.example/", "https://pix.example/1", adblock.Frame, false},
		{"https://a.example/", "https://scripts.example/1", adblock.Image, false},
		{"https://a.example/", "https://third.example/1", adblock.Image, true},
		{"https://www.third.example/", "https://third.example/1", adblock.Image, false},
		{"https://own.example/", "https://own.example/1", adblock.Image, true},
		{"https://a.example/", "https://own.example/1", adblock.Image, false},
		{"https://news.example/", "https://only.example/1", adblock.Image, true},
		{"https://sport.news.example/", "https://only.example/1", adblock.Image, false},
		{"https://a.example/", "https://only.example/1", adblock.Image, false},
		{"https://a.example/", "https://always.example/1", adblock.Image, true},
		{"https://a.example/", "https://b.example/ADVERT_image.png", adblock.Image, true},
		{"https://a.example/", "https://exact.example/", adblock.Image, true},
		{"https://a.example/", "https://exact.example/x", adblock.Image, false},
		{"https://a.example/", "https://b.example/a-banner-top-728x90.gif", adblock.Image, true},
		{"https://a.example/", "https://b.example/a-banner-top-300x90.gif", adblock.Image, false},
		{"https://free.example/", "https://ads.example/", adblock.Image, false},
		{"https://a.example/", "data:image/png,x", adblock.Image, false},
		{"https://a.example/", "https://user@ads.example:8080/x", adblock.Image, true},
	} {
		if got := l.Page(test.page).Blocks(test.url, test.kind); got != test.want {
			t.Errorf("%s on %s as %d: %v", test.url, test.page, test.kind, got)
		}
	}
}

func TestBounds(t *testing.T) {
	l := read(t, strings.Repeat("x", 100_000)+"\n##.ad\n")
	if l.Rules() != 1 || l.Skipped() != 1 {
		t.Errorf("a long line: %d rules, %d skipped", l.Rules(), l.Skipped())
	}
	broken := errors.New("broken")
	if _, err := adblock.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader's error: %v", err)
	}
	if _, err := adblock.Read(endless{}); !errors.Is(err, adblock.ErrTooLong) {
		t.Errorf("an endless list: %v", err)
	}
	if l, err := adblock.Read(); err != nil || hides(t, l.Page("https://a.example/"), element("div.ad")) {
		t.Errorf("no list: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "##.a\n"[i%5]
	}
	return len(p), nil
}

// TestMany checks that the cost of a page does not grow with rules that do not
// apply to it.
func TestMany(t *testing.T) {
	var list strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&list, "##.ad-%d\n||ads%d.example^\n/creative%d.\n", i, i, i)
	}
	p := read(t, list.String()).Page("https://a.example/")
	node := element("div.content.wide")
	e := p.Elements(t.Context(), node)
	if n := testing.AllocsPerRun(100, func() { _, _ = e.Hides(node) }); n > 0 {
		t.Errorf("%v allocations an element", n)
	}
	if !p.Blocks("https://x.example/creative77.png", adblock.Image) || !hides(t, p, element("p.ad-49999")) {
		t.Error("not found among many")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(easy, "https://ads.example/x?a=b", "ad-box")
	f.Add("||^\n|*|\n@@\n##\n#@#x\n$image\n||a^*^|", "https://a/", "a b")
	f.Fuzz(func(t *testing.T, list, url, class string) {
		l := read(t, list)
		p := l.Page(url)
		n := element("div")
		n.Attr = append(n.Attr, html.Attribute{Key: "class", Val: class}, html.Attribute{Key: "id", Val: class})
		hidden := hides(t, p, n)
		for _, kind := range []adblock.Kind{adblock.Image, adblock.Frame, adblock.Media, adblock.Link} {
			if got := p.Blocks(url, kind); got != l.Page(url).Blocks(url, kind) {
				t.Errorf("Blocks is not the same twice: %v", got)
			}
		}
		if hidden != hides(t, l.Page(url), n) {
			t.Error("Hides is not the same twice")
		}
	})
}
