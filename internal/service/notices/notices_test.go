// SPDX-License-Identifier: Apache-2.0

package notices_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/parse"
)

func TestJoin(t *testing.T) {
	if got := notices.Join("", "One.", "", "Two.", ""); got != "One. Two." {
		t.Errorf("%q", got)
	}
	if got := notices.Robots(0, "map"); got != "" {
		t.Errorf("%q", got)
	}
}

// TestOfTree combines warnings of one kind, and names at most 20 further pages.
func TestOfTree(t *testing.T) {
	warnings := []parse.Warning{{Code: "cut", Text: "The file is cut."}, {Code: "ocr", Page: 2, Text: "Not read."}, {Code: "font", Page: 2, Text: "No font."}}
	for page := 3; page < 25; page++ {
		warnings = append(warnings, parse.Warning{Code: "ocr", Page: page, Text: "Not read."})
	}
	var further []string
	for page := 3; page < 23; page++ {
		further = append(further, fmt.Sprint(page))
	}
	want := "The file is cut.|Page 2: Not read. So on pages " + strings.Join(further, ", ") + ", ….|Page 2: No font."
	if got := strings.Join(notices.OfTree(warnings), "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCoding names an unknown coding, shortened, and data after the end of a known one.
func TestCoding(t *testing.T) {
	for _, test := range []struct {
		unknown string
		excess  bool
		want    []string
	}{
		{"", false, nil},
		{"identity", false, nil},
		{"rot13", false, []string{`"rot13"`}},
		{strings.Repeat("x", 1000), false, []string{`"xxx`}},
		{"", true, []string{"after the end"}},
		{"rot13", true, []string{`"rot13"`, "after the end"}},
	} {
		got := notices.Coding(test.unknown, test.excess)
		if (got == "") != (test.want == nil) || len(got) > 250 {
			t.Errorf("%+v: %q", test, got)
		}
		for _, part := range test.want {
			if !strings.Contains(got, part) {
				t.Errorf("%+v: %q lacks %q", test, got, part)
			}
		}
	}
}

// TestFew tells only crawls that the path of their start page has kept small.
func TestFew(t *testing.T) {
	for _, test := range []struct {
		n     int
		start string
		want  bool
	}{
		{0, "http://a.test/docs/", true},
		{1, "http://a.test/docs/", true},
		{2, "http://a.test/docs/", false},
		{1, "http://a.test/", false},
		{1, "", false},
	} {
		if got := notices.Few(test.n, test.start); strings.HasPrefix(got, "Only ") != test.want {
			t.Errorf("%d of %q: %q", test.n, test.start, got)
		}
	}
}

// TestLeftOut names each reason for which a crawl has left out URLs.
func TestLeftOut(t *testing.T) {
	var stats frontier.Stats
	if got := notices.LeftOut(&stats); len(got) > 0 {
		t.Errorf("%q", got)
	}
	stats.Endless = frontier.Endless{Left: 9, Taken: 3, Spaces: []frontier.EndlessSpace{{Left: 7, Pattern: "/day/N", Example: "http://a.test/day/4"}}}
	stats.Refused[scope.RuleTrap], stats.Refused[scope.RuleRoom] = 5, 6
	stats.Spent, stats.Requests, stats.Damaged = true, 40, 2
	got := strings.Join(notices.LeftOut(&stats), "\n")
	for _, part := range []string{"At least 9 known", "3 that were", "7 of them are like /day/N, for example http://a.test/day/4", "5 link(s)", "40 requests", "6 link(s)", "2 sitemap(s)"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
}
