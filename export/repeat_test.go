// SPDX-License-Identifier: Apache-2.0

package export_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/export"
)

// A doc contains the members of a document that the tests read.
type doc struct {
	Markdown string
	Warning  string
	Links    []string
	Chunks   []struct {
		Text       string
		Start, End int
		Tokens     int
	}
}

// without returns the documents without repeats.
func without(t *testing.T, docs []string) []doc {
	t.Helper()
	var all []doc
	for raw, err := range export.WithoutRepeats(of(nil, docs...)) {
		if err != nil {
			t.Fatal(err)
		}
		var d doc
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// page returns a document of a host.
func page(host, markdown, more string) string {
	text, err := json.Marshal(markdown)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"markdown":%s,"links":["https://%s/"]%s,"metadata":{"url":"https://%s/a","statusCode":200}}`, text, host, more, host)
}

// TestWithoutRepeats checks that the lines which the pages of one host share before and
// after their own content are left out with a warning, and that everything else stays.
func TestWithoutRepeats(t *testing.T) {
	const top, tail = "- [Home](/)\n- [Shop](/s)\n\n", "\n\nSubscribe to our letter.\n"
	var docs []string
	for i := range 6 {
		docs = append(docs, page("a.test", fmt.Sprintf("%s# Bird %d\n\nBy us\n\nText %d.\n\nDescription\n\nMore %d.%s", top, i, i, i, tail), ""))
	}
	docs = append(docs,
		page("a.test", "Own.\n\nSubscribe to our letter.\n\nOwn too.\n", ""),            // shared lines within
		page("a.test", "- [Home](/)\n\nSubscribe to our letter.\n", ""),                 // nothing else
		page("a.test", "- [Home](/)\n\n| a |\n| --- |\n| b |\n\n```\nBy us\n```\n", ""), // ends with code
		page("b.test", "- [Home](/)\n\nOther site.\n", ""),                              // another host
		page("a.test", "- [Home](/)\n\nÄ text.\n\nBy us\n", `,"warning":"Old.","chunks":[{"text":"- [Home](/)\n","start":0,"end":12,"tokens":3},{"text":"Ä text.\n\nBy us\n","start":13,"end":28,"tokens":6},{"text":"By us\n","start":22,"end":28,"tokens":2}]`),
		`null`, `{"metadata":{"url":"https://a.test/x"}}`, `[1]`)
	got := without(t, docs[:len(docs)-1])
	if !strings.HasPrefix(got[0].Markdown, top) || !strings.HasSuffix(got[0].Markdown, tail) || got[0].Warning != "" {
		t.Errorf("the first page: %+v", got[0])
	}
	for i := 1; i < 6; i++ {
		want := fmt.Sprintf("# Bird %d\n\nText %d.\n\nDescription\n\nMore %d.\n", i, i, i)
		if got[i].Markdown != want || got[i].Links[0] != "https://a.test/" || !strings.HasPrefix(got[i].Warning, "4 lines at the beginning") {
			t.Errorf("page %d: %q, %q", i, got[i].Markdown, got[i].Warning)
		}
	}
	for i, want := range map[int]string{
		6: "Own.\n\nSubscribe to our letter.\n\nOwn too.\n",
		7: "- [Home](/)\n\nSubscribe to our letter.\n",
		8: "| a |\n| --- |\n| b |\n\n```\nBy us\n```\n",
		9: "- [Home](/)\n\nOther site.\n",
	} {
		if got[i].Markdown != want || (got[i].Warning != "") != (i == 8) {
			t.Errorf("page %d: %q, %q", i, got[i].Markdown, got[i].Warning)
		}
	}
	last := got[10]
	if last.Markdown != "Ä text.\n" || last.Warning != "2 lines at the beginning and at the end, which other pages of the site have too, were left out. Old." {
		t.Errorf("%q, %q", last.Markdown, last.Warning)
	}
	if len(last.Chunks) != 1 || last.Chunks[0].Text != "Ä text.\n\n" || last.Chunks[0].Start != 0 || last.Chunks[0].End != 9 || last.Chunks[0].Tokens != 3 {
		t.Errorf("chunks %+v", last.Chunks)
	}
}

// TestWithoutRepeatsContent checks that content which several pages have is not lost: the copies of a page that differ
// by a number, the article above each page of its comments, footnotes, items around the first own line, and what stands
// below a heading. It also checks pages in two languages, and that an export says how many pages are not whole.
func TestWithoutRepeatsContent(t *testing.T) {
	article := strings.Repeat("A long sentence of the article. ", 20) + "\n\n"
	for name, c := range map[string]struct{ own, first, rest string }{
		"copies":    {article + "Seen %d times.\n", article + "Seen %d times.\n", article + "Seen %d times.\n"},
		"comments":  {article + "Comment %[1]d: " + strings.Repeat("I agree. ", 40) + "\n", article, "Comment"},
		"footnotes": {"Menu\n\nText %d.[^1]\n\n[^1]: By the same author.\n", "Menu\n\nText %d.[^1]\n\n[^1]: By the same author.\n", "Text %d.[^1]\n\n[^1]: By the same author.\n"},
		"items":     {"Menu\n\n- Birds\n    - Bird %d\n\nAll.\n", "Menu\n\n- Birds\n    - Bird %d\n\nAll.\n", "- Birds\n    - Bird %d\n"},
		"heading":   {"Text %[1]d.\n\n## Address of shop %[1]d\n\nBy the river.\n", "Text", "Text %[1]d.\n\n## Address of shop %[1]d\n\nBy the river.\n"},
		"number":    {"Text %[1]d.\n\nPage %[1]d of 6\n", "Text", "Text %[1]d.\n\nPage %[1]d of 6\n"},
	} {
		var docs []string
		for i := range 6 {
			docs = append(docs, page("a.test", fmt.Sprintf(c.own, i), ""))
		}
		docs = append(docs, page("a.test", "", ""), `{"metadata":{"url":"https://a.test/x","statusCode":500},"markdown":"Menu"}`)
		for i, d := range without(t, docs)[:6] {
			want := c.rest
			if i == 0 {
				want = c.first
			}
			if strings.Contains(want, "%") {
				want = fmt.Sprintf(want, i)
			}
			if !strings.HasPrefix(d.Markdown, want) || strings.HasSuffix(want, "\n") && i > 0 && d.Markdown != want {
				t.Errorf("%s, page %d: %q, not %q", name, i, d.Markdown, want)
			}
		}
	}
	var docs []string
	for i := range 10 {
		docs = append(docs, page("a.test", fmt.Sprintf("%s\n\nText %d.\n", []string{"Contents", "Inhalt"}[i%2], i), ""))
	}
	var out strings.Builder
	report, err := export.Write(&out, export.JSONL, export.WithoutRepeats(of(nil, docs...)))
	if err != nil || report.Written != 10 || report.String() != "8 written without lines that other pages have too" || strings.Count(out.String(), "Inhalt") != 1 {
		t.Errorf("%v, %v: %s", report, err, out.String())
	}
}

// TestWithoutRepeatsHeadings checks that a shared heading of a section stays over content of
// its own, and that the name of the site does not.
func TestWithoutRepeatsHeadings(t *testing.T) {
	var docs []string
	for i := range 6 {
		docs = append(docs, page("a.test", fmt.Sprintf("Menu\n\n# The site\n\n# Bird %d\n\n## Name\n\nbird-%d\n", i, i), ""))
	}
	docs = append(docs, page("a.test", "# The site\n\n## Name\n\nMenu\n\nOwn.\n", ""), page("a.test", "## Name\n\nOwn too.\n", ""))
	got := without(t, docs)
	for i, want := range []string{3: "# Bird 3\n\n## Name\n\nbird-3\n", 6: "Own.\n", 7: "## Name\n\nOwn too.\n"} {
		if want != "" && got[i].Markdown != want {
			t.Errorf("page %d: %q", i, got[i].Markdown)
		}
	}
	if !strings.HasPrefix(got[3].Warning, "2 lines at the beginning") || got[7].Warning != "" {
		t.Errorf("warnings %q and %q", got[3].Warning, got[7].Warning)
	}
}

// TestWithoutRepeatsFew checks that the pages of a site with few pages stay as they are,
// and that lines which only few pages have stay.
func TestWithoutRepeatsFew(t *testing.T) {
	var few, many []string
	for i := range 20 {
		own := fmt.Sprintf("Text %d.\n", i)
		if i < 4 {
			few = append(few, page("a.test", "Menu\n\n"+own, ""))
		}
		if i < 5 {
			own = "Menu\n\n" + own // a quarter of the pages
		}
		many = append(many, page("a.test", own, ""))
	}
	for _, docs := range [][]string{few, many} {
		for i, raw := range docs {
			if got := without(t, docs)[i]; got.Warning != "" || !strings.Contains(raw, "Menu") != !strings.Contains(got.Markdown, "Menu") {
				t.Errorf("%d of %d: %+v", i, len(docs), got)
			}
		}
	}
}

// TestWithoutRepeatsAgain checks that each iteration yields the same documents, ends when
// the caller stops, and passes errors on.
func TestWithoutRepeatsAgain(t *testing.T) {
	docs := []string{page("a.test", "Own.\n", "")}
	for i := range 5 {
		docs = append(docs, page("a.test", fmt.Sprintf("Menu\n\nText %d.\n", i), ""))
	}
	documents := export.WithoutRepeats(of(nil, docs...))
	var runs [2][]string
	for n := range runs {
		for raw, err := range documents {
			if err != nil {
				t.Fatal(err)
			}
			runs[n] = append(runs[n], string(raw))
			if n == 0 && len(runs[n]) == 2 {
				break
			}
		}
	}
	if len(runs[1]) != 6 || !cmp.Equal(runs[0], runs[1][:2]) {
		t.Errorf("%v", runs)
	}
	next, stop := iter.Pull2(documents) // while another iteration goes on
	defer stop()
	for _, want := range runs[1] {
		got, err, _ := next()
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		for range documents {
			break
		}
	}
	broken := errors.New("broken store")
	n := 0
	for raw, err := range export.WithoutRepeats(of(broken, docs...)) {
		if n++; raw != nil || !errors.Is(err, broken) {
			t.Errorf("%s, %v", raw, err)
		}
	}
	if n != 1 {
		t.Errorf("%d results", n)
	}
}

// FuzzWithoutRepeats checks that documents stay valid JSON, and that no document loses
// all of its text.
func FuzzWithoutRepeats(f *testing.F) {
	f.Add("Menu\n\n# A\n\nText\n```\nMenu\n```\n", "Menu\n\nB\n\nMenu\n")
	f.Add("~~~\n```\n", "| a |")
	f.Fuzz(func(t *testing.T, a, b string) {
		docs := []string{page("a.test", a, ""), page("a.test", b, "")}
		for range 4 {
			docs = append(docs, page("a.test", b, ""))
		}
		for i, d := range without(t, docs) {
			var before doc
			if err := json.Unmarshal([]byte(docs[i]), &before); err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(before.Markdown) != "" && strings.TrimSpace(d.Markdown) == "" {
				t.Errorf("%q is left of %q", d.Markdown, before.Markdown)
			}
		}
	})
}
