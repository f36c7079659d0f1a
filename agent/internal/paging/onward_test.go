// SPDX-License-Identifier: Apache-2.0

package paging_test

import (
	"strings"
	"testing"
	"time"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/paging"
	"example.com/curlew/agent/journal"
)

// page returns the page at a URL with a title and some Markdown.
func page(url, title, markdown string) *grounding.Page {
	l := lines.NewLinker(url)
	rec := &journal.PageRecord{URL: url, Final: url, Title: title, Digest: markdown, Shape: "x " + title, Main: l.Lines(markdown)}
	rec.Links = l.Links
	return grounding.NewPage(rec, 1, time.Time{})
}

const (
	rows  = "# Holdings\n\n- [Ewer](/i/ewer1)\n- [Salt](/i/salt2)\n- [Tile](/i/tile3)\n"
	rows2 = "# Holdings\n\n- [Vase](/i/vase4)\n- [Cup](/i/cup5)\n- [Bowl](/i/bowl6)\n"
)

// TestCandidates finds links behind a list, among other links.
func TestCandidates(t *testing.T) {
	for _, test := range []struct {
		name, markdown string
		want           string // texts
	}{
		{"alone", rows + "\n[Áfram](/a9x)\n", "áfram"},
		{"beside the page", rows + "\nSíða 2 af 7 [Fyrri](/zz) · [Næsta](/a9x)\n", "fyrri næsta"},
		{"with a number of things", rows + "\n[Older (34)](/a9x)\n", "older"},
		{"in a sentence", rows + "\nPlease [write to us](/contact) if you know more about one of these things.\n", ""},
		{"another host and port", rows + "\n[Áfram](https://b.test/a9x) [Næsta](https://a.test:8443/a9x)\n", ""},
		{"the page above, itself, and a thing", rows + "\n[Home](/) [Again](/list) [Mug](/i/mug7)\n", ""},
		{"in front of the list", "[Sold](/sold)\n\n" + rows, ""},
		{"far behind", rows + strings.Repeat("Text about this house and what it collects.\n\n", 14) + "[Áfram](/a9x)", ""},
		{"too many", rows + "\n[A](/a) [B](/b) [C](/c) [D](/d)\n", "a b c"},
	} {
		p := page("https://a.test/list", "Holdings", test.markdown)
		last := 0
		for i, line := range p.Main.Lines {
			if strings.HasPrefix(line, "- [") {
				last = i + 1
			}
		}
		var got []string
		for _, c := range paging.Candidates(p, last, func(paging.Candidate) bool { return true }) {
			got = append(got, c.Text)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestCompare tells the next page of a list from other pages.
func TestCompare(t *testing.T) {
	first := page("https://a.test/list", "Holdings", rows+"\n[Áfram](/a9x)")
	c := paging.Candidate{URL: "https://a.test/a9x", Text: "áfram"}
	for _, test := range []struct {
		name, url, title, markdown string
		want                       paging.Certainty
	}{
		{"a third page", c.URL, "Page B", rows2 + "\n[Áfram](/k3m)", paging.Certain},
		{"an address that counts", "https://a.test/list/2", "Page B", rows2, paging.Certain},
		{"the last page", c.URL, "Holdings 2", rows2 + "\n[Fyrri](/list)", paging.Probable},
		{"another list", c.URL, "Sold", strings.Replace(rows2, "Holdings", "Sold", 1) + "\n[For sale](/list)", paging.Possible},
		{"another list that is in the menu", c.URL, "Sold", strings.Replace(rows2, "Holdings", "Sold", 1) + "\n[Áfram](/a9x)", paging.Possible},
		{"the same things", c.URL, "Holdings", rows + "\n[Áfram](/list)", paging.Unlike},
		{"no list", c.URL, "About us", "# About us\n\n[Home](/)", paging.Unlike},
		{"one of the things", "https://a.test/i/vase4", "Vase", rows2, paging.Unlike},
	} {
		if got := paging.Compare(first, page(test.url, test.title, test.markdown), c); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}

// TestBehind follows a text that led to a next page before.
func TestBehind(t *testing.T) {
	links := []journal.LinkRecord{{URL: "https://a.test/i/1", Text: "Ewer"}, {URL: "https://a.test/k", Text: "Áfram (14)"}, {URL: "https://b.test/k", Text: "Áfram"}}
	if got := paging.Behind("https://a.test/list", "áfram", links); got != "https://a.test/k" {
		t.Errorf("got %q", got)
	}
	if got := paging.Behind("https://a.test/list", "áfram", append(links, journal.LinkRecord{URL: "https://a.test/m", Text: "Áfram"})); got != "" {
		t.Errorf("got %q of two", got)
	}
}

// FuzzOnward looks for the next page behind lists from outside. A candidate is never the page itself,
// and always on its host.
func FuzzOnward(f *testing.F) {
	f.Add("https://a.test/list", rows+"\n[Áfram](/a9x)", rows2, 5)
	f.Add("https://a.test/list?x", "[2](?x=2&y)\n[](?)\n[a](L999999)", rows2+"[a](/)", 0)
	f.Fuzz(func(t *testing.T, here, a, b string, last int) {
		p, q := page(here, a, a), page(here+"2", b, b)
		for _, c := range paging.Candidates(p, max(last, 0), func(paging.Candidate) bool { return true }) {
			if c.URL == "" || c.URL == here || !strings.Contains(a, "](") {
				t.Errorf("%q follows %q", c.URL, here)
			}
			if sure := paging.Compare(p, q, c); sure != paging.Unlike && p.Rec.Digest == q.Rec.Digest {
				t.Error("a page follows one with the same text")
			}
			if next := paging.Behind(here, c.Text, p.Rec.Links); next == here && next != "" {
				t.Errorf("%q follows itself", next)
			}
		}
	})
}
