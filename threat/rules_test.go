// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/threat"
)

// matchTable says which entries match which hosts, with equivalent spellings of hosts.
var matchTable = []struct {
	tld         bool
	entry, host string
	want        bool
}{
	{false, "example.com", "example.com", true},
	{false, "example.com", "a.example.com", true},
	{false, "example.com", "a.b.example.com", true},
	{false, "example.com", "EXAMPLE.com.", true},
	{false, "example.com", "ex%61mple.com", true},
	{false, "example.com", "user@example.com:8080", true},
	{false, "example.com", "notexample.com", false},
	{false, "example.com", "example.com.evil.net", false},
	{false, "example.com", "example.co", false},
	{false, "example.com", "example.com@evil.net", false},
	{false, "*.example.com", "a.example.com", true},
	{false, "*.example.com", "a.b.example.com", true},
	{false, "*.example.com", "example.com", false},
	{false, "*.example.com", "xexample.com", false},
	{false, "bücher.example", "xn--bcher-kva.example", true},
	{false, "bücher.example", "BÜCHER.example.", true},
	{false, "195.127.0.11", "195.127.0.11", true},
	{false, "195.127.0.11", "3279880203", true},
	{false, "195.127.0.11", "0xc3.0x7f.0x0.0xb", true},
	{false, "195.127.0.11", "[::ffff:195.127.0.11]", true},
	{false, "195.127.0.11", "[64:ff9b::c37f:b]", true},
	{false, "195.127.0.11", "1.195.127.0.11.example", false},
	{false, "[64:ff9b::c37f:b]", "[64:ff9b:0::195.127.0.11]", true},
	{false, "[64:ff9b::c37f:b]", "195.127.0.11", false},
	{false, "0.11", "195.127.0.11", false},
	{false, "0.11", "0.0.0.11", true},
	{false, "2001:db8::1", "[2001:0db8:0:0:0:0:0:1]", true},
	{true, "zip", "a.zip", true},
	{true, "zip", "zip", true},
	{true, "zip", "a.b.ZIP.", true},
	{true, "zip", "azip", false},
	{true, "zip", "zip.com", false},
	{true, "zip", "1.2.3.4", false},
	{true, "co.uk", "a.co.uk", true},
	{true, "co.uk", "co.uk", true},
	{true, "co.uk", "a.uk", false},
	{true, "co.uk", "xco.uk", false},
	{true, "рф", "xn--e1afmkfd.xn--p1ai", true},
}

func TestPolicyMatch(t *testing.T) {
	for _, tt := range matchTable {
		p := threat.Policy{Mode: threat.Normal, Blacklist: []string{tt.entry}}
		want := threat.ByBlacklist
		if tt.tld {
			p.Blacklist, p.BlockedTLDs = nil, []string{tt.entry}
			want = threat.ByTLD
		}
		g := threat.Gate{Rules: rules(t, p)}
		d, decided := g.Local(target(t, "http://"+tt.host+"/"))
		if decided != tt.want || decided && (d.Rule != want || d.Allowed) {
			t.Errorf("entry %q, host %q: %v %v, want a match %v", tt.entry, tt.host, d.Rule, decided, tt.want)
		}
	}
}

func rules(t testing.TB, p threat.Policy) *threat.Rules {
	t.Helper()
	r, err := threat.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPattern checks that the reported entry is the longest match of its list.
func TestPattern(t *testing.T) {
	p := threat.Policy{
		Mode:        threat.Normal,
		Stars:       true,
		Whitelist:   []string{"good.example", "*.deep.good.example", "w*.star.example"},
		Blacklist:   []string{"bad.example", "*.bad.example", "[64:ff9b::102:304]", "1.2.3.5", "b*d.star.example", "bxd.star.example"},
		BlockedTLDs: []string{"zip", "co.uk", "uk"},
	}
	g := threat.Gate{Rules: rules(t, p)}
	for host, want := range map[string]string{
		"good.example":          "whitelist good.example",
		"a.good.example":        "whitelist good.example",
		"deep.good.example":     "whitelist good.example",
		"x.deep.good.example":   "whitelist *.deep.good.example",
		"bad.example":           "blacklist bad.example",
		"a.bad.example":         "blacklist bad.example",
		"[64:ff9b::102:304]":    "blacklist [64:ff9b::102:304]",
		"[64:ff9b::102:305]":    "blacklist 1.2.3.5",
		"1.2.3.5":               "blacklist 1.2.3.5",
		"1.2.3.4":               " false",
		"a.zip":                 "blocked-tld zip",
		"a.co.uk":               "blocked-tld co.uk",
		"a.uk":                  "blocked-tld uk",
		"www.star.example":      "whitelist w*.star.example",
		"bad.star.example":      "blacklist b*d.star.example",
		"bxd.star.example":      "blacklist bxd.star.example",
		"b.d.star.example":      "blacklist b*d.star.example",
		"xbad.star.example":     " false",
		"bad.star.example.evil": " false",
		"example":               " false",
	} {
		d, decided := g.Local(target(t, "https://"+host+"/x?y"))
		got := d.Rule.String() + " " + d.Pattern
		if !decided {
			got = " false"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

// TestPolicyNAT64Whitelist checks that the IPv4 address in a NAT64 address is
// matched like the address itself.
func TestPolicyNAT64Whitelist(t *testing.T) {
	p := threat.Policy{Mode: threat.Normal, Whitelist: []string{"1.2.3.4"}, Blacklist: []string{"[64:ff9b::102:304]"}}
	g := threat.Gate{Rules: rules(t, p)}
	if d, ok := g.Local(target(t, "http://[64:ff9b::102:304]/")); !ok || d.Rule != threat.ByWhitelist || d.Pattern != "1.2.3.4" {
		t.Errorf("%+v %v, want the whitelist to win", d, ok)
	}
}

func TestCompileStars(t *testing.T) {
	for _, tt := range []struct {
		entry string
		ok    bool
	}{
		{"ad*.x.net", true},
		{"*ad.x.net", true},
		{"a.*.x.net", true},
		{"*.a*.x.net", true},
		{"A*D.X.net", true},
		{"ad*.net", false}, // the last two labels are literal
		{"ad.x*.net", false},
		{"ad*", false},
		{"*", false},
		{"a*.1.2.3.4", false},
		{"ü*.x.net", false},
		{"a/*.x.net", false},
	} {
		for _, stars := range []bool{true, false} {
			_, err := threat.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{tt.entry}, Stars: stars})
			if want := tt.ok && stars; (err == nil) != want {
				t.Errorf("Compile(%q, stars %v): error %v, want none: %v", tt.entry, stars, err, want)
			} else if err != nil && !errors.Is(err, threat.ErrEntry) {
				t.Errorf("Compile(%q): error %v, want ErrEntry", tt.entry, err)
			}
		}
	}
}

// TestGlobLinear uses four stars, which take a backtracking matcher half a
// minute, so often that such a matcher would exceed the timeout of the tests.
func TestGlobLinear(t *testing.T) {
	p := threat.Policy{Mode: threat.Normal, Stars: true, Blacklist: []string{"*a*a*a*ab.x.net"}}
	g := threat.Gate{Rules: rules(t, p)}
	host := strings.Repeat(strings.Repeat("a", 60)+".", 4) + "x.net"
	tg := target(t, "http://"+host+"/")
	for range 100 {
		if d, ok := g.Local(tg); ok && !d.Allowed {
			t.Fatal("a host without a b is refused")
		}
	}
}

func TestModeOff(t *testing.T) {
	p := threat.Policy{Blacklist: []string{"bad.example"}, Threshold: new(0)}
	for _, r := range []*threat.Rules{nil, rules(t, threat.Policy{}), rules(t, p)} {
		g := threat.Gate{Rules: r, Spend: func(int) error { t.Error("spent"); return nil }, Observe: func(threat.Target, threat.Decision) { t.Error("observed") }}
		tg := target(t, "http://bad.example/")
		if d, ok := g.Local(tg); !ok || !d.Allowed || d.Rule != threat.ByDefault {
			t.Errorf("Local: %+v %v", d, ok)
		}
		if d, err := g.Check(t.Context(), tg); err != nil || !d.Allowed || d.Scanned || d.Credits != 0 {
			t.Errorf("Check: %+v %v", d, err)
		}
	}
}

// TestPolicyProperties checks random policies: the matcher agrees with a simple
// one, the order of entries has no effect, and longer lists and other
// thresholds change decisions in one direction only.
func TestPolicyProperties(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		p := randomPolicy(r)
		p.Mode = threat.Normal
		base := rules(t, p)
		shuffled := p
		shuffled.Whitelist, shuffled.Blacklist = shuffle(r, p.Whitelist), shuffle(r, p.Blacklist)
		shuffled.BlockedTLDs = shuffle(r, p.BlockedTLDs)
		other := randomPolicy(r)
		whiter, blacker, topper, lower := p, p, p, p
		whiter.Whitelist = slices.Concat(p.Whitelist, other.Whitelist)
		blacker.Blacklist = slices.Concat(p.Blacklist, other.Blacklist)
		topper.BlockedTLDs = slices.Concat(p.BlockedTLDs, other.BlockedTLDs)
		lower.Threshold = new(r.IntN(*p.Threshold + 1))
		again, white, black, top, low := rules(t, shuffled), rules(t, whiter), rules(t, blacker), rules(t, topper), rules(t, lower)
		for range 20 {
			tg, score := randomTarget(t, r), r.IntN(101)
			d := decide(t, base, tg, score)
			want := slowDecide(p, tg.Host, &score)
			if d.Rule != want.Rule || d.Allowed != want.Allowed {
				t.Fatalf("seed %d: %s with score %d: %v, want %v\n%+v", seed, tg.Host, score, d.Rule, want.Rule, p)
			}
			if got := decide(t, again, tg, score); got.Rule != d.Rule || got.Pattern != d.Pattern {
				t.Fatalf("seed %d: %s: %v %s, in another order %v %s\n%+v", seed, tg.Host, d.Rule, d.Pattern, got.Rule, got.Pattern, p)
			}
			if d.Allowed && !decide(t, white, tg, score).Allowed {
				t.Fatalf("seed %d: %s: a longer whitelist blocks\n%+v", seed, tg.Host, whiter)
			}
			for what, r := range map[string]*threat.Rules{"blacklist": black, "TLD list": top, "lower threshold": low} {
				if !d.Allowed && decide(t, r, tg, score).Allowed {
					t.Fatalf("seed %d: %s: a longer %s allows\n%+v", seed, tg.Host, what, p)
				}
			}
		}
	}
}

func shuffle(r *rand.Rand, list []string) []string {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// decide returns the decision of a gate whose classifier returns score. It
// fails if Local disagrees.
func decide(t testing.TB, r *threat.Rules, tg threat.Target, score int) threat.Decision {
	t.Helper()
	g := threat.Gate{Rules: r, Classifier: &fakeClassifier{score: score}}
	d, err := g.Check(t.Context(), tg)
	if _, blocked := errors.AsType[*threat.BlockedError](err); blocked == d.Allowed || err != nil && !blocked {
		t.Fatalf("%s: %+v with the error %v", tg.URL, d, err)
	}
	if l, ok := g.Local(tg); ok != !d.Scanned || ok && (l.Rule != d.Rule || l.Pattern != d.Pattern) {
		t.Fatalf("%s: Check says %+v, Local %+v %v", tg.URL, d, l, ok)
	}
	return d
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		threat.ByWhitelist.String(): "whitelist", threat.ByBlacklist.String(): "blacklist", threat.ByTLD.String(): "blocked-tld",
		threat.ByRisk.String(): "risk-score", threat.ByFailure.String(): "provider-failure", threat.ByDefault.String(): "default-allow",
		threat.Rule(0).String(): "", threat.Rule(99).String(): "99",
		threat.Off.String(): "off", threat.Normal.String(): "normal", threat.Closed.String(): "closed", threat.Open.String(): "open",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, m := range []threat.Mode{threat.Off, threat.Normal} {
		if got, ok := threat.ParseMode(m.String()); !ok || got != m {
			t.Errorf("ParseMode(%q) = %v %v", m, got, ok)
		}
	}
	for _, f := range []threat.FailurePolicy{threat.Closed, threat.Open} {
		if got, ok := threat.ParseFailurePolicy(f.String()); !ok || got != f {
			t.Errorf("ParseFailurePolicy(%q) = %v %v", f, got, ok)
		}
	}
	if _, ok := threat.ParseMode("Off"); ok {
		t.Error("ParseMode takes any case")
	}
	if _, ok := threat.ParseFailurePolicy(""); ok {
		t.Error("ParseFailurePolicy takes nothing")
	}
}

func TestParseTarget(t *testing.T) {
	for raw, want := range map[string]threat.Target{
		"HTTP://User:Pass@Example.COM:80/a%20b?q#f": {URL: "http://example.com/a%20b?q", Canonical: "http://example.com/a%20b?q", Host: "example.com"},
		"https://example.com./":                     {URL: "https://example.com./", Canonical: "https://example.com/", Host: "example.com"},
		"http://3279880203/blah":                    {URL: "http://195.127.0.11/blah", Canonical: "http://195.127.0.11/blah", Host: "195.127.0.11"},
		"http://[::ffff:1.2.3.4]:81/":               {URL: "http://[::ffff:102:304]:81/", Canonical: "http://1.2.3.4/", Host: "1.2.3.4"},
	} {
		got, err := threat.ParseTarget(raw)
		if err != nil {
			t.Errorf("ParseTarget(%q): %v", raw, err)
			continue
		}
		if got.URL != want.URL || got.Canonical != want.Canonical || got.Host != want.Host || got.Addr.IsValid() != (want.Host[0] != 'e') {
			t.Errorf("ParseTarget(%q) = %+v, want %+v", raw, got, want)
		}
	}
	for _, raw := range []string{"", "example.com", "ftp://example.com/", "http://a..b/", "http://" + strings.Repeat("a", 64) + ".com/", "http://1.2.3.256/"} {
		if _, err := threat.ParseTarget(raw); err == nil {
			t.Errorf("ParseTarget(%q) has no error", raw)
		} else if _, ok := errors.AsType[*threat.Error](err); !ok {
			t.Errorf("ParseTarget(%q): error %v is no *Error", raw, err)
		}
	}
	if _, err := threat.ParseTarget("http://a..b/"); !errors.Is(err, threat.ErrHost) {
		t.Errorf("error %v, want ErrHost", err)
	}
	if _, err := threat.ParseTarget("http://user:secret@a..b/"); strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v tells the password", err)
	}
}

func FuzzRules(f *testing.F) {
	for _, tt := range matchTable {
		f.Add(tt.entry, "other.example", "zip", tt.host)
	}
	f.Add("ad*.x.net", "*.x.net", "net", "ad1.x.net")
	f.Add("*a*a*.x.net", "a.b.c.d.e.f", "f", "aba.x.net")
	f.Fuzz(func(t *testing.T, white, black, tld, host string) {
		tg, err := threat.ParseTarget("http://" + host + "/")
		if err != nil {
			return
		}
		p := threat.Policy{Mode: threat.Normal, Whitelist: []string{white}, Blacklist: []string{black}, BlockedTLDs: []string{tld}, Stars: true}
		r, err := threat.Compile(p)
		if err != nil {
			if !errors.Is(err, threat.ErrEntry) {
				t.Errorf("error %v, want ErrEntry", err)
			}
			return
		}
		// Normalized, as Resolve returns it.
		p, err = threat.Resolve(threat.Team{Enabled: true, Policy: &p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := slowDecide(p, tg.Host, nil)
		g := threat.Gate{Rules: r}
		d, decided := g.Local(tg)
		if decided != (want.Rule != threat.ByDefault) || decided && d.Rule != want.Rule {
			t.Errorf("%q under %+v: %v %v, want %v", tg.Host, p, d.Rule, decided, want.Rule)
		}
		if decided && d.Pattern != p.Whitelist[0] && d.Pattern != p.Blacklist[0] && d.Pattern != p.BlockedTLDs[0] {
			t.Errorf("%q under %+v: the pattern %q is no entry", tg.Host, p, d.Pattern)
		}
	})
}

// bigPolicy has three lists of 1000 entries, with the given number of star
// entries in each.
func bigPolicy(stars int) threat.Policy {
	p := threat.Policy{Mode: threat.Normal, Stars: stars > 0}
	for i := range 1000 {
		p.Whitelist = append(p.Whitelist, fmt.Sprintf("good%d.example.com", i))
		p.Blacklist = append(p.Blacklist, fmt.Sprintf("*.bad%d.example.net", i))
		p.BlockedTLDs = append(p.BlockedTLDs, fmt.Sprintf("t%d", i))
	}
	for i := range stars {
		p.Whitelist = append(p.Whitelist, fmt.Sprintf("w%d*.example.org", i))
		p.Blacklist = append(p.Blacklist, fmt.Sprintf("b*%d.example.org", i))
	}
	return p
}

func TestLocalAllocates(t *testing.T) {
	g := threat.Gate{Rules: rules(t, bigPolicy(50))}
	for _, url := range []string{"https://www.example.org/a", "https://good7.example.com/", "https://x.bad9.example.net/", "http://a.t3/", "http://[64:ff9b::1]/"} {
		tg := target(t, url)
		if n := testing.AllocsPerRun(100, func() { g.Local(tg) }); n != 0 {
			t.Errorf("Local(%s) allocates %v times", url, n)
		}
	}
	for _, url := range []string{"https://www.example.org/a/b?c=d", "https://example.org/"} {
		if n := testing.AllocsPerRun(100, func() { _, _ = threat.ParseTarget(url) }); n > 2 {
			t.Errorf("ParseTarget(%s) allocates %v times", url, n)
		}
	}
}

func BenchmarkLocal(b *testing.B) {
	for _, bench := range []struct {
		name, url string
		stars     int
	}{
		{"miss", "https://www.example.org/", 0},
		{"deep", "https://a.b.c.d.example.org/", 0},
		{"whitelist", "https://good77.example.com/", 0},
		{"blacklist", "https://x.bad77.example.net/", 0},
		{"address", "https://192.0.2.1/", 0},
		{"stars", "https://www.example.org/", 50},
	} {
		b.Run(bench.name, func(b *testing.B) {
			g := threat.Gate{Rules: rules(b, bigPolicy(bench.stars))}
			tg := target(b, bench.url)
			b.ReportAllocs()
			for b.Loop() {
				g.Local(tg)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	p := bigPolicy(0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := threat.Compile(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseTarget(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := threat.ParseTarget("https://www.example.org/a/b/c.html?d=e"); err != nil {
			b.Fatal(err)
		}
	}
}
