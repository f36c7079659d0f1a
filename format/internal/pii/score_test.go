// SPDX-License-Identifier: Apache-2.0

package pii_test

import (
	"os"
	"strings"
	"testing"

	"example.com/curlew/format/internal/pii"
)

// A tally counts the spans of one entity.
type tally struct{ right, found, there int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(c.found, 1)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(c.there, 1)) }

// labelled reads a line of labelled text: the region of the page, and a text in which
// personal data is labelled. It returns the text without labels, and their spans.
func labelled(t *testing.T, line string) (region, text string, spans []pii.Span) {
	t.Helper()
	region, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\n`, "\n"), " ")
	var b strings.Builder
	for {
		before, label, more := strings.Cut(rest, "<<")
		b.WriteString(before)
		if !more {
			return strings.TrimPrefix(region, "-"), b.String(), spans
		}
		name, label, _ := strings.Cut(label, " ")
		e, ok := pii.EntityOf(name)
		if !ok {
			t.Fatalf("no entity: %q", line)
		}
		personal, after, _ := strings.Cut(label, ">>")
		spans = append(spans, pii.Span{Start: b.Len(), End: b.Len() + len(personal), Entity: e})
		b.WriteString(personal)
		rest = after
	}
}

// matches reports whether two spans have the same entity and overlap in at
// least half of the bytes that they cover together.
func matches(a, b pii.Span) bool {
	common := min(a.End, b.End) - max(a.Start, b.Start)
	return a.Entity == b.Entity && common > 0 && 2*common >= max(a.End, b.End)-min(a.Start, b.Start)
}

// TestScores checks precision and recall on our own labelled texts. One set was
// used to develop the rules, and the other was not. Run it with -v to see the
// scores. In pages, markup and a model also find persons, which this test does
// not cover.
func TestScores(t *testing.T) {
	for _, test := range []struct {
		file              string
		loose             bool
		precision, recall float64 // minimum for every entity
	}{
		{"testdata/labelled.txt", false, .9, .95},
		{"testdata/labelled.txt", true, .9, .95},
		{"testdata/unseen.txt", false, .7, .6},
		{"testdata/unseen.txt", true, .7, .6},
	} {
		data, err := os.ReadFile(test.file)
		if err != nil {
			t.Fatal(err)
		}
		var sums [pii.Entities]tally
		for line := range strings.Lines(string(data)) {
			if !strings.HasPrefix(line, "#") {
				score(t, line, test.loose, &sums)
			}
		}
		for e, c := range sums {
			t.Logf("%s, loose %v: %-9v precision %.2f of %d, recall %.2f of %d", test.file, test.loose, pii.Entity(e), c.precision(), c.found, c.recall(), c.there)
			if c.precision() < test.precision || c.recall() < test.recall {
				t.Errorf("%s, loose %v: %v has precision %.2f, recall %.2f", test.file, test.loose, pii.Entity(e), c.precision(), c.recall())
			}
		}
	}
}

// score adds the findings in a line to sums.
func score(t *testing.T, line string, loose bool, sums *[pii.Entities]tally) {
	region, text, want := labelled(t, line)
	f := pii.Finder{Region: region, Loose: loose}
	got := f.Find(text)
	used := make([]bool, len(got))
	for _, w := range want {
		sums[w.Entity].there++
		hit := false
		for i, g := range got {
			if hit = !used[i] && matches(g, w); hit {
				used[i] = true
				sums[w.Entity].right++
				break
			}
		}
		if !hit {
			t.Logf("%v %q is missed", w.Entity, text[w.Start:w.End])
		}
	}
	for i, g := range got {
		sums[g.Entity].found++
		if !used[i] {
			t.Logf("%v %q is none", g.Entity, text[g.Start:g.End])
		}
	}
}
