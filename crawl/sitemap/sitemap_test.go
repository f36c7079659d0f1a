// SPDX-License-Identifier: Apache-2.0

package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"example.com/curlew/crawl/sitemap"
	"example.com/curlew/internal/weburl"
)

func ExampleRead() {
	file := strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/a?b=1&amp;c=2</loc><lastmod>2026-01-02</lastmod></url>
  <url><loc>/more/sitemap.xml</loc></url>
</urlset>`)
	for entry, err := range sitemap.Read(file, "https://example.com/sitemap.xml", sitemap.Limits{}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(entry.Loc, entry.LastMod.Format(time.DateOnly), entry.Nested)
	}
	// Output:
	// https://example.com/a?b=1&c=2 2026-01-02 false
	// https://example.com/more/sitemap.xml 0001-01-01 true
}

const base = "http://h.test/dir/sitemap.xml"

// read returns the entries of a file in a short form: path or URL, followed by
// other known members.
func read(r io.Reader, l sitemap.Limits) (entries string, err error) {
	var all []string
	for e, err := range sitemap.Read(r, base, l) {
		if err != nil {
			return strings.Join(all, " "), err
		}
		var s strings.Builder
		s.WriteString(strings.TrimPrefix(e.Loc, "http://h.test"))
		if e.Nested {
			s.WriteString("^")
		}
		if !e.LastMod.IsZero() {
			s.WriteString("@" + e.LastMod.UTC().Format("2006-01-02T15:04"))
		}
		for _, a := range e.Alternates {
			s.WriteString("+" + strings.TrimPrefix(a, "http://h.test"))
		}
		all = append(all, s.String())
	}
	return strings.Join(all, " "), nil
}

var cases = []struct {
	name, file, want string
	err              error
}{
	{"urlset", `<urlset><url><loc>http://h.test/a</loc><priority>1</priority></url><url><loc>b</loc></url></urlset>`, "/a /dir/b", nil},
	{"index", `<sitemapindex><sitemap><loc>/a</loc><lastmod>2026-01-02</lastmod></sitemap></sitemapindex>`, "/a^@2026-01-02T00:00", nil},
	{"empty", `<urlset></urlset>`, "", nil},
	{"closed at once", `<urlset/>`, "", nil},
	{"white space", "<urlset><url><loc>\n  /a\n\t/b\n </loc></url></urlset>", "/a/b", nil},
	{"not http", `<urlset><url><loc>ftp://h.test/</loc></url><url><loc>mailto:x</loc></url><url><loc></loc></url><url><loc>/a</loc></url></urlset>`, "/a", nil},
	{"nested by name", `<urlset><url><loc>/a.xml</loc></url><url><loc>/b.XML.GZ</loc></url><url><loc>/c.xml?d</loc></url><url><loc>/e.xml#f</loc></url></urlset>`, "/a.xml^ /b.XML.GZ^ /c.xml?d /e.xml#f^", nil},
	{"mixed", `<sitemapindex><url><loc>/a</loc></url><sitemap><loc>/b</loc></sitemap><loc>/c</loc></sitemapindex>`, "/a /b^ /c^", nil},

	// namespaces and extensions
	{"prefix", `<s:urlset xmlns:s="x"><s:url><s:loc>/a</s:loc></s:url></s:urlset>`, "/a", nil},
	{"any namespace", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>/a</loc></url></urlset>`, "/a", nil},
	{"images", `<urlset><url><loc>/a</loc><image:image><image:loc>/b.jpg</image:loc></image:image><image:loc>/c</image:loc></url></urlset>`, "/a", nil},
	{"images without prefix", `<urlset><url><loc>/a</loc><image xmlns="x"><loc>/b.jpg</loc></image></url></urlset>`, "/a", nil},
	{"videos and news", `<urlset><url><video:video><video:player_loc>/x</video:player_loc><loc>/x</loc></video:video><news:news><news:publication_date>2020-01-01</news:publication_date></news:news><loc>/a</loc></url></urlset>`, "/a", nil},
	{"alternates", `<urlset><url><loc>/a</loc><xhtml:link rel="alternate" hreflang="de" href="/de?x&amp;y"/><xhtml:link rel='alternate' href='mailto:x'/><xhtml:link rel=alternate href=/fr /><xhtml:link rel="next" href="/n"/></url></urlset>`, "/a+/de?x&y+/fr", nil},

	// leniency
	{"upper case", `<URLSET><URL><LOC>/a</LOC></URL></URLSET>`, "/a", nil},
	{"junk before", "<br />\n<b>Warning</b>: x <p>\n\n<?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>", "/a", nil},
	{"white space before", "\n\n  <?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>", "/a", nil},
	{"mark before", "\xEF\xBB\xBF<urlset><url><loc>/a</loc></url></urlset>", "/a", nil},
	{"junk behind", "<urlset><url><loc>/a</loc></url></urlset>junk<!-- ", "/a", nil},
	{"entities", `<urlset><url><loc>/a?b&amp;c&lt;&#100;&#x65;&quot;&apos;</loc></url></urlset>`, `/a?b&c%3Cde%22%27`, nil},
	{"bare ampersands", `<urlset><url><loc>/a?b&c=d&e;f&nbsp;&;&#;&#xFFFFFF;&</loc></url></urlset>`, "/a?b&c=d&e;f&nbsp;&;&#;&#xFFFFFF;&", nil},
	{"not twice", `<urlset><url><loc>/a?&amp;amp;</loc></url></urlset>`, "/a?&amp;", nil},
	{"no entity is expanded", `<!DOCTYPE x [ <!ENTITY a "b>"> <!ENTITY c SYSTEM "file:///etc/passwd"> ]><urlset><url><loc>/&a;&c;</loc></url></urlset>`, "/&a;&c;", nil},
	{"document type", `<!DOCTYPE urlset SYSTEM "x"><urlset><url><loc>/a</loc></url></urlset>`, "/a", nil},
	{"CDATA", `<urlset><url><loc><![CDATA[ /a?b&c&amp;<d> ]]></loc></url></urlset>`, "/a?b&c&amp;%3Cd%3E", nil},
	{"comments", `<urlset><!-- <url><loc>/x</loc></url> --><url><loc>/a<!-- x -->b</loc></url></urlset>`, "/ab", nil},
	{"stray angle", `<urlset><url><loc>/a?b<c</loc></url><url><loc>/d< e</loc></url></urlset>`, "/a?b%3Cc /d%3C%20e", nil},
	{"angle in quotes", `<urlset x="a>b"><url y='>'><loc>/a</loc></url></urlset>`, "/a", nil},
	{"stray quote", `<urlset x="><url><loc>/a</loc></url></urlset>`, "/a", nil},
	{"entry left open", `<urlset><url><loc>/a</loc><url><loc>/b</loc></url></urlset>`, "/a /b", nil},
	{"location left open", `<urlset><url><loc>/a</url><url><loc>/b<lastmod>2026</lastmod></url></urlset>`, "/a /b@2026-01-01T00:00", nil},
	{"two locations", `<urlset><url><loc>/a</loc><loc>/b</loc></url></urlset>`, "/a /b", nil},
	{"no entries", `<urlset><loc>/a</loc><lastmod>2026</lastmod><loc>/b</loc></urlset>`, "/a@2026-01-01T00:00 /b", nil},
	{"no root", `<url><loc>/a</loc></url>`, "/a", nil},
	{"end tags of nothing", `</x><urlset></url><url></y><loc>/a</loc></url></urlset>`, "/a", nil},
	{"deep", strings.Repeat("<x>", 100) + strings.Repeat("</x>", 100) + `<urlset><url><loc>/a</loc></url></urlset>`, "/a", nil},

	// truncated
	{"cut behind an entry", `<urlset><url><loc>/a</loc></url><url><lo`, "/a", io.ErrUnexpectedEOF},
	{"cut in an entry", `<urlset><url><loc>/a</loc>`, "/a", io.ErrUnexpectedEOF},
	{"cut in a location", `<urlset><url><loc>/a</loc></url><url><loc>/b`, "/a", io.ErrUnexpectedEOF},
	{"cut in a comment", `<urlset><url><loc>/a</loc></url><!-- `, "/a", io.ErrUnexpectedEOF},

	// charsets
	{"latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/\xE9\x80</loc></url></urlset>", "/%C3%A9%E2%82%AC", nil},
	{"UTF-8 that says latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/é</loc></url></urlset>", "/%C3%A9", nil},

	// text
	{"text", "http://h.test/a\r\n\n  https://h.test/b  \n# no\n/no\nHTTP://h.test/c.xml\nmailto:x", "/a https://h.test/b /c.xml", nil},
	{"one line", "\xEF\xBB\xBFhttp://h.test/a", "/a", nil},
	{"a long line", "http://h.test/" + strings.Repeat("x", 9000) + "\nhttp://h.test/a", "/a", nil},

	// feeds
	{"RSS", `<rss version="2.0" xmlns:atom="x"><channel><link>/site</link><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate><atom:link href="/feed" rel="self"/>
		<item><title>x</title><link>/a</link><guid>/x</guid><pubDate>Tue, 03 Jan 2006 15:04:05 +0100</pubDate><atom:link href="/y"/></item>
		<item><guid>/b</guid><dc:date>2026-01-02T03:04Z</dc:date></item><item><guid isPermaLink="false">/x</guid></item><item><guid isPermaLink="true">/c</guid></item>
		<item><link/></item><item><link><![CDATA[/d]]></link><enclosure url="/x"/></item></channel></rss>`, "/a@2006-01-03T14:04 /b@2026-01-02T03:04 /c /d", nil},
	{"RSS 1.0", `<rdf:RDF xmlns="x"><channel rdf:about="/x"><link>/x</link></channel><item rdf:about="/a"><link>/a</link></item></rdf:RDF>`, "/a", nil},
	{"Atom", `<feed xmlns="x"><link href="/site"/><updated>2020-01-01T00:00:00Z</updated>
		<entry><link href="/a"/><link rel="self" href="/x"/><published>2025-01-01T00:00:00Z</published><updated>2026-01-01T01:00:00+01:00</updated></entry>
		<entry><link rel="alternate" type="text/html" href="/b"/><link rel="alternate" href="/c"/><id>/x</id></entry><entry><link rel="edit" href="/x"/></entry></feed>`, "/a@2026-01-01T00:00 /b+/c", nil},
	{"Atom with a prefix", `<a:feed xmlns:a="x"><a:entry><a:link href="/a"/></a:entry></a:feed>`, "/a", nil},

	// nothing
	{"no bytes", "", "", sitemap.ErrFormat},
	{"HTML", `<!DOCTYPE html><html><head><link rel="alternate" href="/x"><title>404</title></head><body><a href="/x">x</a></body></html>`, "", sitemap.ErrFormat},
	{"prose", "Not found.", "", sitemap.ErrFormat},
	{"JSON", `{"loc":"http://h.test/"}`, "", sitemap.ErrFormat},
}

func TestRead(t *testing.T) {
	for _, tt := range cases {
		for how, r := range map[string]io.Reader{
			"whole":        strings.NewReader(tt.file),
			"byte by byte": iotest.OneByteReader(strings.NewReader(tt.file)),
			"packed":       bytes.NewReader(pack(tt.file)),
			"packed twice": bytes.NewReader(pack(string(pack(tt.file)))),
		} {
			got, err := read(r, sitemap.Limits{})
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%s, %s: %s, %v; want %s, %v", tt.name, how, got, err, tt.want, tt.err)
			}
		}
	}
}

func pack(s string) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.Bytes()
}

func TestUTF16(t *testing.T) {
	const file = "<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>/é€😀</loc></url></urlset>"
	const want = "/%C3%A9%E2%82%AC%F0%9F%98%80"
	for _, big := range []bool{false, true} {
		for _, mark := range []string{"\uFEFF", ""} {
			var b []byte
			for _, x := range utf16.Encode([]rune(mark + file)) {
				if big {
					b = append(b, byte(x>>8), byte(x))
				} else {
					b = append(b, byte(x), byte(x>>8))
				}
			}
			if got, err := read(bytes.NewReader(b), sitemap.Limits{}); got != want || err != nil {
				t.Errorf("big-endian %v, mark %q: %s, %v", big, mark, got, err)
			}
			if got, err := read(iotest.OneByteReader(bytes.NewReader(append(b, 0xD8))), sitemap.Limits{}); got != want || err != nil {
				t.Errorf("big-endian %v, mark %q and half a character: %s, %v", big, mark, got, err)
			}
		}
	}
	lone := append([]byte("\xFF\xFE"), []byte("h\x00t\x00t\x00p\x00:\x00/\x00/\x00h\x00/\x00\x00\xD8x\x00\x00\xDC")...)
	if got, err := read(bytes.NewReader(lone), sitemap.Limits{}); got != "http://h/%EF%BF%BDx%EF%BF%BD" || err != nil {
		t.Errorf("lone halves: %s, %v", got, err)
	}
}

func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"2026":                            "2026-01-01T00:00",
		"2026-03":                         "2026-03-01T00:00",
		"2026-03-04":                      "2026-03-04T00:00",
		"2026-03-04T05:06Z":               "2026-03-04T05:06",
		"2026-03-04T05:06:07+02:00":       "2026-03-04T03:06",
		"2026-03-04T05:06:07.89-02:00":    "2026-03-04T07:06",
		"2026-03-04T05:06:07+0200":        "2026-03-04T03:06",
		"2026-03-04T05:06:07":             "2026-03-04T05:06",
		"2026-03-04 05:06:07":             "2026-03-04T05:06",
		"Wed, 4 Mar 2026 05:06:07 +0000":  "2026-03-04T05:06",
		"Wed, 04 Mar 2026 05:06:07 +0000": "2026-03-04T05:06",
		"yesterday":                       "",
		"2026-13-01":                      "",
		strings.Repeat("2", 100):          "",
	} {
		if want != "" {
			want = "@" + want
		}
		got, err := read(strings.NewReader("<urlset><url><loc>/a</loc><lastmod> "+in+"\n</lastmod></url></urlset>"), sitemap.Limits{})
		if got != "/a"+want || err != nil {
			t.Errorf("%q = %s, %v; want /a%s", in, got, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	entry := "<url><loc>/a</loc></url>"
	file := "<urlset>" + strings.Repeat(entry, 10) + "</urlset>"
	tests := []struct {
		name   string
		file   string
		limits sitemap.Limits
		want   int
		err    error
	}{
		{"entries", file, sitemap.Limits{Entries: 9}, 9, sitemap.ErrTooMany},
		{"exactly so many", file, sitemap.Limits{Entries: 10}, 10, nil},
		{"any number", file, sitemap.Limits{Entries: sitemap.Unlimited, Bytes: sitemap.Unlimited}, 10, nil},
		{"bytes", file, sitemap.Limits{Bytes: int64(len("<urlset>") + 3*len(entry) + 15)}, 3, sitemap.ErrTooLarge},
		{"exactly so many bytes", file, sitemap.Limits{Bytes: int64(len(file))}, 10, nil},
		{"bytes in a line", "http://h.test/a\nhttp://h.test/bcd", sitemap.Limits{Bytes: 30}, 1, sitemap.ErrTooLarge},
		{"default entries", "<urlset>" + strings.Repeat(entry, 50_001) + "</urlset>", sitemap.Limits{}, 50_000, sitemap.ErrTooMany},
		{"default bytes", "<urlset>" + entry + strings.Repeat(" ", 50<<20), sitemap.Limits{}, 1, sitemap.ErrTooLarge},
	}
	for _, tt := range tests {
		for how, r := range map[string]io.Reader{"plain": strings.NewReader(tt.file), "packed": bytes.NewReader(pack(tt.file))} {
			got, err := read(r, tt.limits)
			if n := len(strings.Fields(got)); n != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%s, %s: %d entries, %v; want %d, %v", tt.name, how, n, err, tt.want, tt.err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	file := "<urlset><url><loc>/a</loc></url>"
	got, err := read(io.MultiReader(strings.NewReader(file), iotest.ErrReader(broken)), sitemap.Limits{})
	e, ok := errors.AsType[*sitemap.Error](err)
	if got != "/a" || !errors.Is(err, broken) || !ok || e.Offset != int64(len(file)) {
		t.Errorf("a broken reader: %s, %v", got, err)
	}
	if want := fmt.Sprintf("sitemap at byte %d: broken", len(file)); err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	packed := pack(strings.Repeat(file, 1000))
	if got, err := read(bytes.NewReader(packed[:len(packed)-20]), sitemap.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) || got == "" {
		t.Errorf("a packed file cut short: %d bytes of entries, %v", len(got), err)
	}
	if _, err := read(strings.NewReader("\x1F\x8B\x08"), sitemap.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a packed file without a head: %v", err)
	}
	for _, err := range sitemap.Read(strings.NewReader(file), "no base", sitemap.Limits{}) {
		if !errors.Is(err, sitemap.ErrBase) || !errors.Is(err, weburl.ErrSyntax) {
			t.Errorf("without a base: %v", err)
		}
	}
	if _, err := read(stuck{}, sitemap.Limits{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that is stuck: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestLong checks that references of more than 8 KiB are left out, and that Skip gets each
// of them. Space around a reference does not count.
func TestLong(t *testing.T) {
	space, long := strings.Repeat(" \n", 9000), "http://h.test/"+strings.Repeat("x", 9000)
	for name, file := range map[string]string{
		"text":  "http://h.test/a" + space + "\n" + long + "\nhttp://h.test/b",
		"XML":   "<urlset><url><loc>" + space + "/a" + space + "</loc></url><url><loc>" + long + "</loc></url><url><loc>/b</loc></url></urlset>",
		"Atom":  "<feed><entry><link href='/a'/></entry><entry><link href='" + long + "'/></entry><entry><link href='/b'/></entry></feed>",
		"RSS":   "<rss><item><link>/a</link></item><item><link>" + long + "</link></item><item><guid>/b</guid></item></rss>",
		"guids": "<rss><item><guid>/a</guid></item><item><guid>" + long + "</guid></item><item><link>/b</link></item></rss>",
	} {
		skipped := 0
		got, err := read(strings.NewReader(file), sitemap.Limits{Skip: func(loc string, err error) {
			if !errors.Is(err, sitemap.ErrLong) || !strings.HasPrefix(loc, "http://h.test/xxx") {
				t.Errorf("%s: skipped %.20s for %v", name, loc, err)
			}
			skipped++
		}})
		if err != nil || got != "/a /b" || skipped != 1 {
			t.Errorf("%s: %s, %v, %d skipped", name, got, err, skipped)
		}
	}
}

// TestLeave checks that leaving the loop ends the reading.
func TestLeave(t *testing.T) {
	r := &endless{piece: "<urlset><url><loc>/a</loc></url>"}
	n := 0
	for range sitemap.Read(r, base, sitemap.Limits{}) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 || r.read > 1<<20 {
		t.Errorf("%d entries, %d bytes read", n, r.read)
	}
}

// endless repeats a piece for ever.
type endless struct {
	piece string
	at    int
	read  int64
}

func (e *endless) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		size := copy(b[n:], e.piece[e.at:])
		e.at = (e.at + size) % len(e.piece)
		n += size
	}
	e.read += int64(len(b))
	return len(b), nil
}

// TestHostile checks that endless files with all kinds of errors end at the
// limit, with little memory and in linear time.
func TestHostile(t *testing.T) {
	for _, piece := range []string{
		"<", "<a", "<a ", "<a\"", "<a='", ">", "&", "&amp", "<!--", "<!", "<!DOCTYPE [", "<![CDATA[", "<?", "</a", "<a>", "</a>", "\n", "x",
		"<url>", "<loc>", "<url><loc>", "<loc>/a", "<urlset><url><loc>/a</loc></url>", "<a b='", "<xhtml:link rel=alternate href=/x>", "<url><link rel=alternate href=/x/>", "\x00", "http://h/\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file := &endless{piece: piece}
		_, err := read(file, sitemap.Limits{Bytes: 1 << 20, Entries: 1000})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, sitemap.ErrTooLarge) && !errors.Is(err, sitemap.ErrTooMany) {
			t.Errorf("%q: %v", piece, err)
		}
		if file.read > 1<<20+256<<10 {
			t.Errorf("%q: %d bytes were read for 1 MiB", piece, file.read)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%q allocated %d MiB", piece, n>>20)
		}
	}
	// A gzip bomb: 50 MB in 50 KB.
	bomb := pack(strings.Repeat("<urlset>"+strings.Repeat(" ", 1<<20), 60))
	if _, err := read(bytes.NewReader(bomb), sitemap.Limits{}); !errors.Is(err, sitemap.ErrTooLarge) {
		t.Errorf("a bomb: %v", err)
	}
	// Compressed twice, with an inner layer that is endless and empty.
	empty := io.LimitReader(&endless{piece: string(pack(""))}, 4<<20)
	var outer bytes.Buffer
	z := gzip.NewWriter(&outer)
	if _, err := io.Copy(z, empty); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	if _, err := read(&outer, sitemap.Limits{Bytes: 1 << 20}); !errors.Is(err, sitemap.ErrTooLarge) {
		t.Errorf("a bomb of nothing: %v", err)
	}
}

// TestMillion reads a million entries one by one.
func TestMillion(t *testing.T) {
	var before, after runtime.MemStats
	r := io.LimitReader(&endless{piece: "<url><loc>http://h.test/a/page.html</loc><lastmod>2026-01-02</lastmod></url>\n"}, 78*1_000_000)
	file := io.MultiReader(strings.NewReader("<urlset>"), r, strings.NewReader("</urlset>"))
	n := 0
	runtime.GC()
	runtime.ReadMemStats(&before)
	for e, err := range sitemap.Read(file, base, sitemap.Limits{Bytes: sitemap.Unlimited, Entries: sitemap.Unlimited}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 900_000 && e.Loc != "http://h.test/a/page.html" {
			t.Errorf("entry %+v", e)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n < 990_000 {
		t.Errorf("%d entries", n)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
}

// TestWindow checks that the entries do not depend on where the window ends.
func TestWindow(t *testing.T) {
	const entry = `<url><loc>http://h.test/a?b=1&amp;c=2&#100;</loc><!-- x --><lastmod>2026</lastmod><x y="&gt;"/></url>`
	for shift := range 120 {
		file := "<urlset>" + strings.Repeat(" ", 65_536-120+shift) + entry + "</urlset>"
		if got, err := read(strings.NewReader(file), sitemap.Limits{}); got != "/a?b=1&c=2d@2026-01-01T00:00" || err != nil {
			t.Errorf("shift %d: %s, %v", shift, got, err)
		}
	}
}

func FuzzSitemap(f *testing.F) {
	for _, tt := range cases {
		f.Add([]byte(tt.file))
	}
	f.Add(pack(cases[0].file))
	f.Add([]byte("\xFF\xFE<\x00u\x00r\x00l\x00>\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		limits := sitemap.Limits{Bytes: 1 << 20, Entries: 1000}
		n := 0
		for e, err := range sitemap.Read(bytes.NewReader(file), base, limits) {
			if err != nil {
				if _, ok := errors.AsType[*sitemap.Error](err); !ok {
					t.Errorf("error %T", err)
				}
				break
			}
			n++
			for _, s := range append(e.Alternates, e.Loc) {
				if u, err := weburl.Parse(s); err != nil || u.String() != s {
					t.Errorf("URL %q: %v", s, err)
				}
			}
		}
		if n > 1000 {
			t.Errorf("%d entries", n)
		}
		whole, errWhole := read(bytes.NewReader(file), limits)
		slow, errSlow := read(iotest.OneByteReader(bytes.NewReader(file)), limits)
		if whole != slow || (errWhole == nil) != (errSlow == nil) {
			t.Errorf("read at once %q, %v; byte by byte %q, %v", whole, errWhole, slow, errSlow)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var file strings.Builder
	file.WriteString("<urlset>")
	for i := range 10_000 {
		fmt.Fprintf(&file, "<url>\n <loc>https://www.example.com/section/page-%d.html</loc>\n <lastmod>2026-01-02T03:04:05Z</lastmod>\n <changefreq>daily</changefreq>\n <priority>0.5</priority>\n</url>\n", i)
	}
	file.WriteString("</urlset>")
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range sitemap.Read(strings.NewReader(file.String()), base, sitemap.Limits{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
