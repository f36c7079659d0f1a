// SPDX-License-Identifier: Apache-2.0

package scope_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
)

// TestBounds checks that the limits of traps have defaults and can be disabled.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 2048)
	for _, tt := range []struct {
		o      scope.Options
		to     string
		refuse bool
	}{
		{scope.Options{}, long, true},
		{scope.Options{URLBytes: -1}, long, false},
		{scope.Options{URLBytes: 10_000}, long, false},
		{scope.Options{}, strings.Repeat("a/", 4), true},
		{scope.Options{Repeats: 4}, strings.Repeat("a/", 4), false},
		{scope.Options{Segments: 2}, "a/b/c/d", true},
		{scope.Options{Keys: 1}, "?a=1&a=2", true},
		{scope.Options{}, "?a=1&a=2", false},
	} {
		tt.o.URL = "http://a.test/"
		s, err := scope.New(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decide(scope.Ref{URL: s.Origin()}, tt.to, nil)
		if d.Follow == tt.refuse || tt.refuse && d.Rule != scope.RuleTrap {
			t.Errorf("%.20s... is followed: %v, rule %v", tt.to, d.Follow, d.Rule)
		}
	}
}

// TestNewFaults checks that each invalid pattern is reported.
func TestNewFaults(t *testing.T) {
	if _, err := scope.New(scope.Options{URL: "mailto:a@a.test"}); err == nil {
		t.Error("rules are drawn around what is no page")
	}
	_, err := scope.New(scope.Options{URL: "http://a.test/", Include: []string{"ok", "("}, Exclude: []string{"a(?=b)"}})
	first, ok := errors.AsType[*scope.PatternError](err)
	if !ok || first.Exclude || first.Index != 1 || !strings.Contains(err.Error(), "exclude pattern 0") {
		t.Errorf("%v, want include pattern 1 and exclude pattern 0", err)
	}
}

// TestAgent checks that a crawl without a name uses the Fetcher's name in
// robots.txt.
func TestAgent(t *testing.T) {
	for _, tt := range [][3]string{
		{"", "", robots.Token(fetch.UserAgent)},
		{"", "wader/1.0 (+https://wader.test/)", "wader"},
		{"Other", "wader/1.0", "Other"},
	} {
		s, err := scope.New(scope.Options{URL: "https://a.test/", RobotsAgent: tt[0]})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Agent(tt[1]); got != tt[2] {
			t.Errorf("with the RobotsAgent %q, Agent(%q) is %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
