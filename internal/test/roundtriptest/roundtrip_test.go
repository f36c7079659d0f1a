// SPDX-License-Identifier: Apache-2.0

package roundtriptest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/roundtriptest"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestSources parses the sources themselves, which needs no program. A
// difference is an error of this package. Only EPUB has notes in HTML, and
// there is no reader for groff.
func TestSources(t *testing.T) {
	for seed := range uint64(4) {
		for _, d := range roundtriptest.Generate(seed) {
			t.Run(d.Name, func(t *testing.T) {
				truth := d.Markdown()
				if d.Form != roundtriptest.Slides {
					same(t, truth, read(t, d, d.ODF(), ".fodt"))
				}
				if !strings.Contains(truth, "[^1]") {
					same(t, truth, read(t, d, d.HTML(), ".html"))
				}
			})
		}
	}
}

func same(t *testing.T, truth, got string) {
	t.Helper()
	if diff := cmp.Diff(scoretest.Blocks(truth), scoretest.Blocks(got)); diff != "" {
		t.Errorf("blocks (-truth +source):\n%s", diff)
	}
}

func read(t *testing.T, d *roundtriptest.Document, source, extension string) string {
	t.Helper()
	var e parse.Engine
	tree, err := e.Parse(t.Context(), parse.Source{Name: d.Name + extension, Data: strings.NewReader(source), Size: int64(len(source))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := format.Options{}
	if d.HasSpans() {
		o.Markdown.Tables = markdown.TablesHTML
	}
	out, err := format.Build(t.Context(), &format.Input{Root: tree.Root, NotWeb: true}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return *out.Markdown
}

func TestGenerate(t *testing.T) {
	one, again, other := roundtriptest.Generate(1), roundtriptest.Generate(1), roundtriptest.Generate(2)
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("the same seed gives other documents:\n%s", diff)
	}
	if len(one) != len(roundtriptest.Themes()) {
		t.Errorf("%d documents of %d themes", len(one), len(roundtriptest.Themes()))
	}
	for i, d := range one {
		if d.Markdown() == other[i].Markdown() {
			t.Errorf("%s and %s are the same", d.Name, other[i].Name)
		}
	}
	if roundtriptest.Make("none", 1) != nil {
		t.Error("a document of no theme")
	}
}

// TestThemes checks that the documents contain all required elements.
func TestThemes(t *testing.T) {
	for theme, want := range map[string][]string{
		"article": {"\n## ", "\n### ", "\n| --- |", "https://example.org/page/"},
		"lists":   {"\n    ", "\n1. ", "\n- "},
		"spans":   {`colspan="2"`, `rowspan="3"`, `colspan="4"`},
		"notes":   {"[^6]", "\n[^6]: "},
		"code":    {"\n```\n"},
		"maths":   {"$$", " $"},
	} {
		var all strings.Builder
		for seed := range uint64(5) {
			all.WriteString(roundtriptest.Make(theme, seed).Markdown())
		}
		for _, s := range want {
			if !strings.Contains(all.String(), s) {
				t.Errorf("five documents of %s have no %q", theme, s)
			}
		}
	}
}

func TestGroff(t *testing.T) {
	d := &roundtriptest.Document{Blocks: []roundtriptest.Block{
		roundtriptest.Heading{Level: 2, Text: "Head"},
		roundtriptest.Paragraph{Text: []roundtriptest.Span{{Text: "See "}, {Text: "here", Link: "http://a.test/"}, {Text: ", with", Note: "Why."}, {Text: " more."}}},
		roundtriptest.Table{Ruled: true, Rows: [][]roundtriptest.Cell{{{Text: "a", Across: 2}}, {{Text: "b", Down: 2}, {Text: "a text that is longer than a line of it"}}, {{Text: "c"}}}},
		roundtriptest.Code{Lines: []string{`.x \n @`}},
	}}
	_, got, _ := strings.Cut(d.Groff(), ".SH 2\n")
	want := "Head\n.LP\nSee \n.pdfhref W -D \"http://a.test/\" -A \",\" -- here\nwith\\**\n.FS\nWhy.\n.FE\nmore.\n" +
		".LP\n.TS\nallbox tab(@);\nl s\nl lw(4.5c)\n^ l.\na@\nb@T{\na text that is longer than a line of it\nT}\n@c\n.TE\n" +
		".DS L\n.ft CR\n.ps 9\n\\&.x \\en \\(at\n.ps\n.ft\n.DE\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groff (-want +got):\n%s", diff)
	}
}

func TestRoutes(t *testing.T) {
	docs := roundtriptest.Generate(1)
	taken := map[string]int{}
	for _, r := range roundtriptest.Routes() {
		for _, d := range docs {
			if r.Takes(d) {
				taken[d.Name]++
			}
			if r.Name == "groff" && r.Takes(d) && d.RTL {
				t.Errorf("groff takes %s", d.Name)
			}
		}
	}
	for _, d := range docs {
		if taken[d.Name] < 3 {
			t.Errorf("%d routes take %s", taken[d.Name], d.Name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range roundtriptest.Routes() {
		if r.Missing() != "" {
			continue
		}
		if files, err := r.Make(ctx, t.TempDir(), docs); err == nil || len(files) > 0 {
			t.Errorf("%s to %s made %d files after the end: %v", r.Name, r.Kind, len(files), err)
		}
		if files, err := r.Make(ctx, t.TempDir(), nil); err != nil || files != nil {
			t.Errorf("%s to %s of nothing: %v, %v", r.Name, r.Kind, files, err)
		}
	}
}
