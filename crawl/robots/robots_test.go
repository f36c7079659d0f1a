// SPDX-License-Identifier: Apache-2.0

package robots_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"example.com/curlew/crawl/robots"
)

func ExampleParse() {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /private\nAllow: /private/press*.html$\nCrawl-delay: 2\n"))
	rules := file.Agent(robots.Token("curlew/1.0"))
	fmt.Println(rules.Allowed("/private/press/a.html"))
	fmt.Println(rules.Allowed("/private/press/a.pdf"))
	fmt.Println(rules.CrawlDelay())
	// Output:
	// true {3 /private/press*.html$ false}
	// false {2 /private false}
	// 2s true
}

func TestNothing(t *testing.T) {
	var rules *robots.Rules
	var file *robots.File
	for _, r := range []*robots.Rules{rules, file.Agent("x"), new(robots.File).Agent("x"), new(robots.Rules)} {
		if ok, m := r.Allowed("/a"); !ok || m != (robots.Match{}) {
			t.Errorf("Allowed of nothing = %v %v, want true and no match", ok, m)
		}
		if d, ok := r.CrawlDelay(); d != 0 || ok {
			t.Errorf("CrawlDelay of nothing = %v %v, want none", d, ok)
		}
	}
	if got := file.Sitemaps(); got != nil {
		t.Errorf("Sitemaps of nothing = %q, want nil", got)
	}
}

func TestAgents(t *testing.T) {
	file := robots.Parse([]byte("User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: *\nDisallow: /c\nUser-agent: 1x\nDisallow: /d\n"))
	tests := []struct {
		tokens []string
		refuse string
	}{
		{[]string{"a"}, "/a"},
		{[]string{"A", "B"}, "/a /b"},
		{[]string{"x", "b"}, "/b"},
		{[]string{"x"}, "/c"},
		{nil, "/c"},
		{[]string{""}, "/c"}, // "1x" has no token either: it is nobody's
	}
	for _, tt := range tests {
		rules := file.Agent(tt.tokens...)
		var refused []string
		for _, p := range []string{"/a", "/b", "/c", "/d"} {
			if ok, _ := rules.Allowed(p); !ok {
				refused = append(refused, p)
			}
		}
		if got := strings.Join(refused, " "); got != tt.refuse {
			t.Errorf("Agent(%q) refuses %q, want %q", tt.tokens, got, tt.refuse)
		}
	}
}

func TestToken(t *testing.T) {
	for in, want := range map[string]string{
		"FooBot/1.0": "FooBot", "Foo Bar": "Foo", "a-b_C9": "a-b_C", "": "", "1x": "", "é": "",
		"Mozilla/5.0 (compatible; FooBot/1.0)": "Mozilla",
	} {
		if got := robots.Token(in); got != want {
			t.Errorf("Token(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestPathForm checks that a path without its leading slash gets one, so that
// the spelling cannot bypass a rule.
func TestPathForm(t *testing.T) {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /\n")).Agent()
	for _, p := range []string{"", "a", "?q", "/", "//"} {
		if ok, _ := rules.Allowed(p); ok {
			t.Errorf("Allowed(%q) = true, want false", p)
		}
	}
}

// TestBytes checks that bytes are compared. The caller must normalise the path.
func TestBytes(t *testing.T) {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /%7e\nDisallow: /é\n")).Agent()
	for p, want := range map[string]bool{"/%7E": false, "/%7e": true, "/~": true, "/%C3%A9": false, "/é": true} {
		if ok, _ := rules.Allowed(p); ok != want {
			t.Errorf("Allowed(%q) = %v, want %v", p, ok, want)
		}
	}
}

func TestSitemaps(t *testing.T) {
	file := robots.Parse([]byte("sitemap: https://a.test/s.xml\nUser-agent: x\nSite-Map:/rel é.xml # no\nSITEMAPS /b.test\nSitemap:\nSitemap: https://a.test/s.xml"))
	want := []string{"https://a.test/s.xml", "/rel é.xml", "/b.test", "https://a.test/s.xml"}
	got := file.Sitemaps()
	if !slices.Equal(got, want) {
		t.Errorf("Sitemaps() = %q, want %q", got, want)
	}
	got[0] = "changed"
	if got := file.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("Sitemaps() = %q after the caller changed its slice, want %q", got, want)
	}
}

func TestCrawlDelay(t *testing.T) {
	tests := []struct {
		file string
		want time.Duration // -1: none
	}{
		{"User-agent: *\nCrawl-delay: 10", 10 * time.Second},
		{"User-agent: *\ncrawl-delay: 0", 0},
		{"User-agent: *\nCrawl-delay: 1.5", 1500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: .5", 500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 5s", 5 * time.Second},
		{"User-agent: *\nCrawl-delay: 5 Seconds", 5 * time.Second},
		{"User-agent: *\nCrawl-delay 5", 5 * time.Second},
		{"User-agent: *\nCrawl-delay: 5ms", -1},
		{"User-agent: *\nCrawl-delay: -5", -1},
		{"User-agent: *\nCrawl-delay: 1e3", -1},
		{"User-agent: *\nCrawl-delay: inf", -1},
		{"User-agent: *\nCrawl-delay: NaN", -1},
		{"User-agent: *\nCrawl-delay: 0x10", -1},
		{"User-agent: *\nCrawl-delay: 1.2.3", -1},
		{"User-agent: *\nCrawl-delay: .", -1},
		{"User-agent: *\nCrawl-delay:", -1},
		{"User-agent: *\nCrawl-delay: 99999999999999999999", 24 * time.Hour},
		{"User-agent: *\nCrawl-delay: " + strings.Repeat("9", 400), 24 * time.Hour},
		{"Crawl-delay: 5", -1},
		{"User-agent: *\nRequest-rate: 1/10", 10 * time.Second},
		{"User-agent: *\nRequest-rate: 2 / 1m", 30 * time.Second},
		{"User-agent: *\nRequest-rate: 1/5s 0600-0845", 5 * time.Second},
		{"User-agent: *\nRequest-rate: 60/1h", time.Minute},
		{"User-agent: *\nRequest-rate: 1/9d", 24 * time.Hour},
		{"User-agent: *\nRequest-rate: 0/1", -1},
		{"User-agent: *\nRequest-rate: -1/1", -1},
		{"User-agent: *\nRequest-rate: 1/", -1},
		{"User-agent: *\nRequest-rate: 1/s", -1},
		{"User-agent: *\nRequest-rate: 5", -1},
		// The longest of several delays applies.
		{"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/7\nCrawl-delay: 3", 7 * time.Second},
		// It applies to the agents listed so far, and the list stays open.
		{"User-agent: x\nCrawl-delay: 4\nUser-agent: bot\nDisallow: /", -1},
		{"User-agent: bot\nCrawl-delay: 4\nUser-agent: x\nDisallow: /", 4 * time.Second},
		{"User-agent: bot\nDisallow: /\nCrawl-delay: 4", 4 * time.Second},
		// A group for this agent replaces the global one.
		{"User-agent: *\nCrawl-delay: 4\nUser-agent: bot\nDisallow: /", -1},
	}
	for _, tt := range tests {
		got, ok := robots.Parse([]byte(tt.file)).Agent("bot").CrawlDelay()
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("CrawlDelay of %.60q = %v, want %v", tt.file, got, tt.want)
		}
	}
}

func TestFromStatus(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n")
	tests := []struct {
		status  int
		lenient bool
		a, b    bool // /a and /b allowed
		ok      bool
	}{
		{200, false, false, true, true},
		{206, true, false, true, true},
		{301, false, true, true, true},
		{403, false, true, true, true},
		{404, false, true, true, true},
		{429, false, false, false, false},
		{429, true, true, true, false},
		{500, false, false, false, false},
		{503, true, true, true, false},
		{0, false, false, false, false},
		{0, true, true, true, false},
		{103, false, false, false, false},
		{999, false, false, false, false},
	}
	for _, tt := range tests {
		f, ok := robots.FromStatus(tt.status, body, tt.lenient)
		a, _ := f.Agent("bot").Allowed("/a")
		b, m := f.Agent("bot").Allowed("/b")
		if a != tt.a || b != tt.b || ok != tt.ok {
			t.Errorf("FromStatus(%d, lenient %v): /a %v, /b %v, ok %v; want %v, %v, %v", tt.status, tt.lenient, a, b, ok, tt.a, tt.b, tt.ok)
		}
		if want := (robots.Match{Pattern: "/"}); !b && m != want {
			t.Errorf("FromStatus(%d, lenient %v): /b decided by %v, want %v", tt.status, tt.lenient, m, want)
		}
	}
}

func TestLifetime(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"":                                    24 * time.Hour,
		"public":                              24 * time.Hour,
		"max-age=3600":                        time.Hour,
		"public, Max-Age=\"7200\"":            2 * time.Hour,
		"max-age=0":                           5 * time.Minute,
		"max-age=604800":                      24 * time.Hour,
		"max-age=99999999999999999999999":     24 * time.Hour,
		"max-age=-1":                          24 * time.Hour,
		"max-age=x":                           24 * time.Hour,
		"max-age":                             24 * time.Hour,
		"max-age=7200, max-age=3600":          time.Hour,
		"no-store":                            5 * time.Minute,
		"max-age=3600, no-cache":              5 * time.Minute,
		"s-maxage=60":                         24 * time.Hour,
		",,max-age=600,":                      10 * time.Minute,
		"max-age=3600, stale-if-error=864000": time.Hour,
	} {
		if got := robots.Lifetime(in); got != want {
			t.Errorf("Lifetime(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	const kib500 = 500 << 10
	head := "User-agent: *\nDisallow: /a\n"
	tests := []struct {
		name, file, path string
		want             bool
	}{
		{"a rule past the bound", head + strings.Repeat("#\n", kib500/2) + "Disallow: /b\n", "/b", true},
		{"a rule before the bound", head + strings.Repeat("#\n", kib500/2), "/a", false},
		// An incomplete "/bc" would disallow everything below /b.
		{"a rule on the bound", head + strings.Repeat("#", kib500-len(head)-len("\nDisallow: /b")) + "\nDisallow: /bc", "/bx", true},
		{"a rule that ends on the bound", head + strings.Repeat("#", kib500-len(head)-len("\nDisallow: /b")) + "\nDisallow: /b\nmore", "/bx", false},
		{"one line", "User-agent: *" + strings.Repeat(" ", kib500), "/b", true},
		{"a long line", "User-agent: *\nDisallow: /" + strings.Repeat("a", 20_000) + "\n", "/" + strings.Repeat("a", 16_663-len("Disallow: /")), false},
		{"a long line and a shorter path", "User-agent: *\nDisallow: /" + strings.Repeat("a", 20_000) + "\n", "/" + strings.Repeat("a", 16_663-len("Disallow: /")-1), true},
	}
	for _, tt := range tests {
		if got, _ := robots.Parse([]byte(tt.file)).Agent("bot").Allowed(tt.path); got != tt.want {
			t.Errorf("%s: Allowed = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHostile checks the most expensive file for one decision. A matcher that
// backtracked would not finish.
func TestHostile(t *testing.T) {
	var file bytes.Buffer
	file.WriteString("User-agent: *\n")
	for file.Len() < 500<<10 {
		file.WriteString("Disallow: " + strings.Repeat("a*", 2000) + "b$\n")
	}
	rules := robots.Parse(file.Bytes()).Agent("bot")
	if ok, m := rules.Allowed("/" + strings.Repeat("a", 1<<20)); !ok {
		t.Errorf("refused by %v, want allowed", m)
	}
}

func TestAllocations(t *testing.T) {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /*/private*.php$\nAllow: /a\n")).Agent("bot")
	if n := testing.AllocsPerRun(100, func() { rules.Allowed("/a/private/x.php") }); n != 0 {
		t.Errorf("Allowed allocates %v times, want 0", n)
	}
}

func BenchmarkAllowed(b *testing.B) {
	var file strings.Builder
	file.WriteString("User-agent: *\n")
	for i := range 200 {
		fmt.Fprintf(&file, "Disallow: /section%d/*.php$\n", i)
	}
	rules := robots.Parse([]byte(file.String())).Agent("bot")
	b.ReportAllocs()
	for b.Loop() {
		rules.Allowed("/section100/a/quite/usual/path.html?with=query")
	}
}

// TestEncoding reads the rules of files in UTF-16, which some editors write.
func TestEncoding(t *testing.T) {
	const text = "User-agent: *\r\nDisallow: /priv\u00e4t\n"
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		var body []byte
		for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
			body = order.AppendUint16(body, unit)
		}
		for _, cut := range []string{"", "x"} { // also a file that ends within a character
			if ok, m := robots.Parse(append(body, cut...)).Agent("curlew").Allowed("/priv%C3%A4t"); ok || m.Line != 2 {
				t.Errorf("%s endian %q: %v, %v, want the rule in line 2", name, cut, ok, m)
			}
		}
	}
}

// TestCut checks which files are not read to their end.
func TestCut(t *testing.T) {
	const most = 500 << 10
	for _, test := range []struct {
		body string
		want bool
	}{
		{strings.Repeat("#", most), false},
		{strings.Repeat("#", most) + "\r\n \n", false},
		{strings.Repeat("#", most) + "\nDisallow: /a", true},
		{"\xFF\xFE" + strings.Repeat("#\x00", most), false},
		{"\xFF\xFE" + strings.Repeat("#\x00", most+1), true},
	} {
		if got := robots.Cut([]byte(test.body)); got != test.want {
			t.Errorf("%d bytes: %v", len(test.body), got)
		}
	}
}
