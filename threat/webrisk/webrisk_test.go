// SPDX-License-Identifier: Apache-2.0

package webrisk_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/threat"
	"example.com/curlew/threat/threattest"
	"example.com/curlew/threat/webrisk"
)

const (
	malware  = "MALWARE"
	phishing = "SOCIAL_ENGINEERING"
)

// TestClassifier uses a real socket and the client's own HTTP client.
func TestClassifier(t *testing.T) {
	f := &fake{negative: time.Hour}
	f.threaten(malware, "bad.example/x/", 4, time.Hour)
	f.set(phishing, prefix("good.example/", 4)) // listed, but not confirmed
	server := httptest.NewServer(f)
	defer server.Close()
	threattest.Check(t, func(t *testing.T) threat.Classifier {
		c := &webrisk.Client{BaseURL: server.URL, Key: key}
		sync1(t, c)
		return c
	}, "https://user@bad.example/x/%2e/y?q#f", "https://good.example/")
	if hits := f.hits("hashes:search"); len(hits) == 0 || hits[0].key != key {
		t.Errorf("requests %+v, want some with the key", hits)
	}
}

// TestRedirect checks that the client never contacts another origin.
func TestRedirect(t *testing.T) {
	away := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { away++ }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer server.Close()
	c := &webrisk.Client{BaseURL: server.URL}
	if err := c.Sync(t.Context()); !errors.Is(err, webrisk.ErrStatus) {
		t.Errorf("error %v, want ErrStatus", err)
	}
	if away > 0 {
		t.Error("the client has followed a redirect")
	}
}

func TestVerdicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{negative: 5 * time.Minute}
		f.threaten(malware, "bad.example/", 4, time.Hour)
		f.threaten(phishing, "bad.example/", 7, 2*time.Hour)
		f.threaten(phishing, "a.bad.example/login", 32, 30*time.Minute)
		f.set(malware, prefix("bad.example/", 4), prefix("collides.example/", 4))
		c := f.open(t, nil)
		sync1(t, c)
		now := time.Now()
		verdict := func(score int, life time.Duration, types ...string) threat.Verdict {
			v := threat.Verdict{Score: score, Known: true, Provider: webrisk.Provider, Categories: types}
			if life > 0 {
				v.Expires = now.Add(life)
			}
			return v
		}
		for _, c2 := range []struct {
			url      string
			want     threat.Verdict
			searches int
		}{
			{"https://clean.example/", verdict(0, 0), 0},
			{"https://collides.example/", verdict(0, 5*time.Minute), 1},
			{"https://collides.example/other", verdict(0, 5*time.Minute), 0}, // has the same prefix
			{"http://x.bad.example:8080/any?q", verdict(100, time.Hour, malware, phishing), 2},
			{"http://bad.example/", verdict(100, time.Hour, malware, phishing), 0},
			{"http://a.bad.example/login?next", verdict(100, 30*time.Minute, malware, phishing), 1},
			{"http://notbad.example/", verdict(0, 0), 0},
		} {
			got := classify(t, c, c2.url)
			if diff := cmp.Diff(c2.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c2.url, diff)
			}
			if hits := f.hits("hashes:search"); len(hits) != c2.searches {
				t.Errorf("%s: %d searches, want %d", c2.url, len(hits), c2.searches)
			}
		}
	})
}

// TestBatch checks that each prefix of a batch is requested once, at most four
// at a time.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f fake
		busy, most := 0, 0
		f.answer = func(_ http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "hashes:search") {
				return false
			}
			f.mu.Lock()
			busy++
			most = max(most, busy)
			f.mu.Unlock()
			time.Sleep(time.Second)
			f.mu.Lock()
			busy--
			f.mu.Unlock()
			return false
		}
		var targets []threat.Target
		for i := range 10 {
			f.threaten(malware, fmt.Sprintf("h%d.example/", i), 4, time.Minute)
			for _, path := range []string{"", "a", "b?c"} {
				targets = append(targets, target(t, fmt.Sprintf("https://h%d.example/%s", i, path)))
			}
		}
		c := f.open(t, nil)
		sync1(t, c)
		f.hits("")
		start := time.Now()
		verdicts, err := c.Classify(t.Context(), targets)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if v.Score != 100 || !slices.Equal(v.Categories, []string{malware}) {
				t.Errorf("%s: %+v", targets[i].URL, v)
			}
		}
		if n := len(f.hits("hashes:search")); n != 10 || most != 4 {
			t.Errorf("%d searches, up to %d at a time, want 10 and 4", n, most)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("ten searches of 1 s took %v, want 3 s", took)
		}
	})
}

// TestPrivacy checks that only prefixes, types and tokens are sent: no URL, no
// host, no full hash, and the key only in its header.
func TestPrivacy(t *testing.T) {
	f := &fake{negative: time.Minute}
	f.threaten(malware, "secret-host.example/", 4, time.Minute)
	f.threaten(phishing, "secret-host.example/secret-path", 6, time.Minute)
	c := f.open(t, nil)
	sync1(t, c)
	classify(t, c, "https://secret-user:secret-pass@secret-host.example/secret-path?secret-query#secret-fragment")
	f.mu.Lock()
	defer f.mu.Unlock()
	want := map[string]bool{
		base64.StdEncoding.EncodeToString([]byte(prefix("secret-host.example/", 4))):            true,
		base64.StdEncoding.EncodeToString([]byte(prefix("secret-host.example/secret-path", 6))): true,
	}
	for _, h := range f.log {
		if strings.Contains(h.path+h.query, "secret") {
			t.Errorf("sent %s?%s", h.path, h.query)
		}
		if h.key != key {
			t.Errorf("key %q, want %q in its header", h.key, key)
		}
		if strings.HasSuffix(h.path, "search") && !want[h.prefix] {
			t.Errorf("prefix %q is sent, want one of %v", h.prefix, want)
		}
		delete(want, h.prefix)
	}
	if len(want) > 0 {
		t.Errorf("not asked for: %v", want)
	}
}

// TestErrors checks that errors contain the call, the type and the status, but
// neither the key nor the query.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		f.threaten(malware, "bad.example/", 4, 0)
		c := f.open(t, nil)
		sync1(t, c)
		bad := []threat.Target{target(t, "https://bad.example/")}
		for _, tt := range []struct {
			name   string
			answer func(w http.ResponseWriter, r *http.Request) bool
			want   error
			status int
		}{
			{"500", status(500), webrisk.ErrStatus, 500},
			{"429", status(429), webrisk.ErrStatus, 429},
			{"no JSON", body("<html>"), webrisk.ErrAnswer, 0},
			{"cut JSON", body(`{"threats":[{"hash":"`), webrisk.ErrAnswer, 0},
			{"empty", body(""), webrisk.ErrAnswer, 0},
			{"too long", body(strings.Repeat(" ", 1<<20+1)), webrisk.ErrAnswer, 0},
			{"reset", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, nil, 0},
			{"stalls", func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }, context.DeadlineExceeded, 0},
		} {
			f.reply(tt.answer)
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
			verdicts, err := c.Classify(ctx, bad)
			stop()
			fault, ok := errors.AsType[*webrisk.Error](err)
			if !ok || verdicts != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, %v, want %v", tt.name, verdicts, err, tt.want)
				continue
			}
			if fault.Call != "hashes:search" || fault.Status != tt.status {
				t.Errorf("%s: %+v", tt.name, fault)
			}
			if text := err.Error(); strings.Contains(text, key) || strings.Contains(text, "hashPrefix") || !strings.HasPrefix(text, "webrisk hashes:search: ") {
				t.Errorf("%s: text %q", tt.name, text)
			}
		}
		synctest.Wait()
	})
}

func status(code int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(code); return true }
}

func body(text string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(text)); return true }
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]*webrisk.Client{
		"type with a path":   {Types: []string{"../MALWARE"}},
		"empty type":         {Types: []string{""}},
		"double type":        {Types: []string{malware, malware}},
		"no types":           {Types: []string{}},
		"age below zero":     {MaxAge: -1},
		"base URL is a path": {BaseURL: "/x"},
	} {
		for call, err := range map[string]error{
			"Sync": c.Sync(t.Context()),
			"Run":  c.Run(t.Context()),
			"Classify": func() error {
				_, err := c.Classify(t.Context(), nil)
				return err
			}(),
		} {
			if !errors.Is(err, webrisk.ErrConfig) {
				t.Errorf("%s: %s: %v, want ErrConfig", name, call, err)
			}
		}
	}
}

// TestFirst checks that the first check waits for the first update until its
// deadline.
func TestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		f.threaten(malware, "bad.example/", 4, time.Hour)
		f.answer = func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "computeDiff") {
				time.Sleep(time.Second)
			}
			return false
		}
		c := f.open(t, nil)
		bad := []threat.Target{target(t, "https://bad.example/")}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := c.Classify(ctx, bad); !errors.Is(err, webrisk.ErrStale) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without an update: %v, want ErrStale and the deadline", err)
		}
		run(t, c)
		start := time.Now()
		if v := classify(t, c, "https://bad.example/"); v.Score != 100 || time.Since(start) != 3*time.Second {
			t.Errorf("%+v after %v, want 100 after three updates of 1 s", v, time.Since(start))
		}
	})
}

// run runs c until the test ends.
func run(t *testing.T, c *webrisk.Client) {
	ctx, stop := context.WithCancelCause(context.Background())
	why := errors.New("the test ends")
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		stop(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("Run returns %v, want its ctx's cause", err)
		}
	})
}

// TestStale checks that the failure policy decides if the list is too old.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		f.set(malware, "abcd")
		c := f.open(t, nil)
		sync1(t, c)
		time.Sleep(6 * time.Hour)
		if v := classify(t, c, "https://clean.example/"); v.Score != 0 {
			t.Errorf("%+v", v)
		}
		time.Sleep(time.Nanosecond)
		_, err := c.Classify(t.Context(), []threat.Target{target(t, "https://clean.example/")})
		if fault, ok := errors.AsType[*webrisk.Error](err); !ok || !errors.Is(err, webrisk.ErrStale) || fault.Type != malware {
			t.Errorf("after 6 h: %v, want ErrStale of %s", err, malware)
		}
		for policy, allowed := range map[threat.FailurePolicy]bool{threat.Closed: false, threat.Open: true} {
			rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, Failure: policy})
			if err != nil {
				t.Fatal(err)
			}
			g := &threat.Gate{Rules: rules, Classifier: &threat.Scanner{Classifier: c}}
			if d, _ := g.Check(t.Context(), target(t, "https://clean.example/")); d.Allowed != allowed || d.Rule != threat.ByFailure || d.Scanned {
				t.Errorf("%v: %+v", policy, d)
			}
		}
		sync1(t, c)
		classify(t, c, "https://clean.example/")
	})
}

// TestCache is the table of Google's caching rules.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{negative: time.Hour}
		f.threaten(malware, "bad.example/", 4, 10*time.Minute)
		f.set(malware, prefix("bad.example/", 4), prefix("fine.example/", 4))
		c := f.open(t, &webrisk.Client{MaxAge: 24 * time.Hour})
		sync1(t, c)
		ask := func(url string, noStore bool, score, searches int) {
			t.Helper()
			tg := target(t, url)
			tg.NoStore = noStore
			f.hits("")
			v, err := c.Classify(t.Context(), []threat.Target{tg})
			if err != nil || v[0].Score != score {
				t.Errorf("%s: %+v, %v, want %d", url, v, err, score)
			}
			if n := len(f.hits("hashes:search")); n != searches {
				t.Errorf("%s: %d searches, want %d", url, n, searches)
			}
		}
		bad, fine := "https://bad.example/", "https://fine.example/"
		ask(bad, true, 100, 1) // nothing is stored because of zero data retention
		ask(bad, true, 100, 1)
		ask(bad, false, 100, 1)
		ask(bad, false, 100, 0)
		ask(bad, true, 100, 0) // but a stored answer is used
		ask(fine, false, 0, 1)
		ask(fine, false, 0, 0)
		time.Sleep(10 * time.Minute) // a confirmed hash has expired, but the clean answer about its prefix has not
		ask(fine, false, 0, 0)
		ask(bad, false, 100, 1)
		f.mu.Lock()
		f.threats = nil // no longer a threat, but still listed
		f.mu.Unlock()
		ask(bad, false, 100, 0)
		time.Sleep(10 * time.Minute)
		ask(bad, false, 0, 1)
		time.Sleep(59 * time.Minute)
		ask(bad, false, 0, 0)
		time.Sleep(time.Minute)
		ask(bad, false, 0, 1)
		if n := c.Kept(); n > 2 {
			t.Errorf("%d entries are kept, want two prefixes at most", n)
		}
	})
}

func TestCacheBounded(t *testing.T) {
	c := &webrisk.Client{Types: []string{malware}}
	later := time.Now().Add(time.Hour)
	for i := range webrisk.MaxKept + 1000 {
		c.Keep(fmt.Sprintf("%08x", i), later)
		if i%10_000 == 0 && c.Kept() > webrisk.MaxKept {
			t.Fatalf("%d entries", c.Kept())
		}
	}
	if n := c.Kept(); n < webrisk.MaxKept/2 || n > webrisk.MaxKept {
		t.Errorf("%d entries, want at most %d and not far below", n, webrisk.MaxKept)
	}
}

func millions(c *webrisk.Client) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{malware, phishing, "UNWANTED_SOFTWARE"} {
		list := make([]uint32, 1_000_000)
		for i := range list {
			list[i] = r.Uint32()
		}
		c.SetList(kind, list)
	}
}

// deep is a URL with the largest number of expressions: 5 hosts, 6 paths.
const deep = "https://a.b.c.d.e.example/1/2/3/4/5.html?q=1"

func TestClassifyAllocates(t *testing.T) {
	c := new(webrisk.Client)
	for _, kind := range []string{malware, phishing, "UNWANTED_SOFTWARE"} {
		c.SetList(kind, []uint32{1, 2, 3})
	}
	tg := []threat.Target{target(t, deep)}
	if n := len(webrisk.Expressions(tg[0].Canonical)); n != 30 {
		t.Fatalf("%d expressions, want 30", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = c.Classify(t.Context(), tg) }); n > 1 {
		t.Errorf("%v allocations, want one: the verdicts", n)
	}
}

func BenchmarkClassify(b *testing.B) {
	c := new(webrisk.Client)
	millions(c)
	tg := []threat.Target{target(b, deep)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Classify(b.Context(), tg); err != nil {
			b.Fatal(err)
		}
	}
}
