// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unique"

	"example.com/curlew/format/internal/content"
)

// TestBoost checks that trees learn a rule which they can express, and that two fits are
// equal.
func TestBoost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows [][]float32
	var target, weight []float32
	for range 4000 {
		row := []float32{rng.Float32(), rng.Float32(), 7}
		y := float32(0)
		if (row[0] > .3) != (row[1] > .6) {
			y = 1
		}
		rows, target, weight = append(rows, row), append(target, y), append(weight, 1)
	}
	for _, squared := range []bool{false, true} {
		o := options{trees: 40, depth: 3, rate: .3, lambda: 1, least: 1, columns: 1, sample: .7, squared: squared, seed: 1}
		table := newTable(rows)
		f := boost(table, target, weight, o)
		if again := boost(newTable(rows), target, weight, o); !slices.Equal(f.Nodes, again.Nodes) {
			t.Error("two fits differ")
		}
		wrong := 0
		for i, row := range rows {
			x := f.Score(row)
			if !squared {
				x = content.Sigmoid(x)
			}
			if (x > .5) != (target[i] > .5) {
				wrong++
			}
		}
		if wrong > 80 {
			t.Errorf("squared %v: wrong on %d of %d", squared, wrong, len(rows))
		}
	}
}

// TestBoostWeights checks that rows without weight have no effect.
func TestBoostWeights(t *testing.T) {
	var rows [][]float32
	var target, weight []float32
	for i := range 400 {
		rows = append(rows, []float32{float32(i % 2)})
		target = append(target, float32(i%2))
		weight = append(weight, float32(i%2))
	}
	f := boost(newTable(rows), target, weight, options{trees: 3, depth: 2, rate: .5, squared: true, columns: 1, sample: 1, least: 1})
	if got := f.Score([]float32{0}); got != 1 {
		t.Errorf("a row of no weight moves the answer to %v", got)
	}
}

func TestEdges(t *testing.T) {
	many := make([]float32, 10_000)
	for i := range many {
		many[i] = float32(i)
	}
	for _, test := range []struct {
		values []float32
		count  int
	}{
		{[]float32{1, 1, 1}, 0}, {[]float32{0, 0, 1, 1}, 1}, {[]float32{0, 1, 2}, 2}, {many, mostBins - 1},
	} {
		if got := edges(test.values); len(got) != test.count || !slices.IsSorted(got) {
			t.Errorf("edges of %d values: %d, want %d", len(test.values), len(got), test.count)
		}
	}
}

func TestWords(t *testing.T) {
	if got := words("Ab c_1, É-é 字 "); len(got) != 5 || got[2] != got[3] {
		t.Errorf("%d words: %v", len(got), got)
	}
	if got := words("  . "); len(got) != 0 {
		t.Errorf("%d words in none", len(got))
	}
}

// build makes a sample with a truth and blocks.
func build(truth string, blocks ...string) *sample {
	main := words(truth)
	s := &sample{truth: map[uint64]int32{}, size: int32(len(main))}
	for _, w := range main {
		s.truth[w]++
	}
	for _, b := range blocks {
		s.blocks = append(s.blocks, words(b))
		s.late = append(s.late, false)
	}
	s.mark(main)
	return s
}

func TestMark(t *testing.T) {
	s := build("Tents\n\nThe tent stands in the wood.\n\nNice price\n\nIt is green and light and warm.",
		"Tents", "Shops", "The tent stands in the wood.", "Tents", "Nice price", "One two three four five six", "It is green and light and warm.", "Nice price", "")
	if want := []float32{1, 0, 1, 0, 1, 0, 1, 0, 0}; !slices.Equal(s.label, want) {
		t.Errorf("labels %v, want %v", s.label, want)
	}
}

// TestMarkRepeated checks that a text which the page has more often than the truth is
// labeled in its first blocks, and in late blocks only after all others.
func TestMarkRepeated(t *testing.T) {
	s := build("The tent stands in the wood.\n\nIt is green and light and warm.\n\nIt is green and light and warm.",
		"The tent stands in the wood.", "The tent stands in the wood.", "The tent stands in the wood.",
		"It is green and light and warm.", "It is green and light and warm.")
	s.late[0] = true
	s.mark(words("The tent stands in the wood. It is green and light and warm. It is green and light and warm."))
	if want := []float32{0, 1, 0, 1, 1}; !slices.Equal(s.label, want) {
		t.Errorf("labels %v, want %v", s.label, want)
	}
}

func TestF1(t *testing.T) {
	s := build("a b b c", "a", "b b b", "x")
	for _, test := range []struct {
		keep []bool
		want float64
	}{
		{[]bool{true, true, false}, 2 * 3.0 / 8}, {[]bool{false, false, true}, 0}, {[]bool{false, false, false}, 0},
	} {
		if got := s.f1(test.keep); got != test.want {
			t.Errorf("f1(%v) = %v, want %v", test.keep, got, test.want)
		}
	}
	if got := build("", "a").f1([]bool{false}); got != 1 {
		t.Errorf("nothing of nothing scores %v", got)
	}
}

func TestDeal(t *testing.T) {
	if a, b := hostOf("https://www.a.example/x", "1"), hostOf("http://a.example/y", "2"); a != b {
		t.Errorf("pages of one host are of %s and %s", a, b)
	}
	if a, b := hostOf("", "1"), hostOf("", "2"); a == b {
		t.Errorf("pages without an address are all of %q", a)
	}
	var seen [folds]int
	for i := range 500 {
		seen[deal(fmt.Sprintf("h%d.example", i), folds)]++
	}
	if slices.Min(seen[:]) < 50 {
		t.Errorf("folds of %v", seen)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float32]string{0: "0", .5: ".5", -.25: "-.25", 12: "12", 1.5: "1.5", 10.05: "10.05", 1e-7: "1e-07"} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}

// TestRun trains twice on a corpus of made-up pages, and checks that both runs learn and
// write the same bytes.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"html", "truth"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	list.WriteString("id\ttype\thtml_bytes\ttruth_chars\thas_markdown\turl\n")
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		id := fmt.Sprintf("%04d", i)
		kind := content.Kind(i % content.Kinds)
		var body, main strings.Builder
		for range 4 + rng.IntN(8) {
			var sentence strings.Builder
			sentence.WriteString("This is")
			for range 10 + rng.IntN(20) {
				fmt.Fprintf(&sentence, " w%d", rng.IntN(5000))
			}
			body.WriteString("<p>" + sentence.String() + ".</p>")
			main.WriteString(sentence.String() + ".\n\n")
		}
		packed := &bytes.Buffer{}
		z := gzip.NewWriter(packed)
		fmt.Fprintf(z, "<title>t</title><nav><a href=/>Home</a> <a href=/b>News</a></nav><main class=%v>%s</main><div class=footer>Imprint %d</div>", kind, body.String(), i)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		truth, err := json.Marshal(map[string]string{"main_content": main.String()})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "html", id+".html.gz"), packed.Bytes())
		write(t, filepath.Join(dir, "truth", id+".json"), truth)
		fmt.Fprintf(&list, "%s\t%v\t1\t1\t1\thttps://h%d.example/p\n", id, kind, i)
	}
	write(t, filepath.Join(dir, "pages.tsv"), []byte(list.String()))
	news := madeUpNews(t, rng)
	var out [2][]byte
	for i := range out {
		name := filepath.Join(dir, "weights.go")
		var log strings.Builder
		all, err := readSets(t.Context(), dir, news, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := run(&log, all, name, 2, i == 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "main content: all .9") && !strings.Contains(log.String(), "main content: all 0.9") && !strings.Contains(log.String(), "main content: all 1.0") {
			t.Errorf("it does not learn:\n%s", log.String())
		}
		if !strings.Contains(log.String(), "main content of news: aeb") || !strings.Contains(log.String(), ", seg ") || !strings.Contains(log.String(), ", read ") {
			t.Errorf("it does not measure all sets:\n%s", log.String())
		}
		if n := strings.Count(log.String(), "best cut, fitted to "); n != (1-i)*2*2 {
			t.Errorf("%d lines with fewer pages:\n%s", n, log.String())
		}
		if n := strings.Count(log.String(), ", best candidate "); n != 2*int(sets) {
			t.Errorf("%d worst pages:\n%s", n, log.String())
		}
		if out[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(out[0], out[1]) {
		t.Error("two runs write different weights")
	}
	verifyAgain(t, dir, news)
	if _, err := readSets(t.Context(), t.TempDir(), "", 1); err == nil {
		t.Error("an empty directory is a corpus")
	}
	if _, err := readSets(t.Context(), dir, t.TempDir(), 1); err == nil {
		t.Error("an empty directory has news")
	}
	all, err := readSets(t.Context(), dir, news, 1)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := leaveOut(&log, all, "news"); err != nil || !strings.Contains(log.String(), "without news: main content of news: aeb") {
		t.Errorf("without news: %v, %q", err, log.String())
	}
	if err := leaveOut(&log, all, "none"); err == nil {
		t.Error("a set without pages is left out")
	}
}

// madeUpNews writes pages of the three other sets, and returns their directory.
func madeUpNews(t *testing.T, rng *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "html"), 0o700); err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	for i := range 30 {
		var body strings.Builder
		var texts []string
		for range 5 {
			var text strings.Builder
			text.WriteString("It was")
			for range 12 {
				fmt.Fprintf(&text, " n%d", rng.IntN(5000))
			}
			texts = append(texts, text.String()+".")
			body.WriteString("<p>" + text.String() + ".</p>")
		}
		id := fmt.Sprintf("news-%02d", i)
		packed := &bytes.Buffer{}
		z := gzip.NewWriter(packed)
		fmt.Fprintf(z, "<title>t</title><nav><a href=/>Home</a></nav><main>%s</main><div class=footer>Imprint %d</div>", body.String(), i)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "html", id+".html.gz"), packed.Bytes())
		st := map[string]any{"id": id, "set": set(1 + i%3).String(), "url": fmt.Sprintf("https://n%d.example/", i)}
		switch set(1 + i%3) {
		case aeb:
			st["text"] = strings.Join(texts, "\n\n")
		case seg:
			st["with"], st["without"] = texts[:2], []string{fmt.Sprintf("Imprint %d", i)}
		default:
			st["html"] = body.String()
		}
		if err := json.NewEncoder(&list).Encode(st); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "truth.jsonl"), list.Bytes())
	return dir
}

// TestLocate checks that blocks are labeled by segments, and that other blocks stay
// unlabeled.
func TestLocate(t *testing.T) {
	s := &sample{set: seg}
	page := "<nav><a href=/>The first news</a></nav><main><p>The first news of the day.</p><p>More of it.</p><p>The last word.</p></main><div>Imprint and privacy</div><div>Other</div>"
	if err := s.cut(t.Context(), []byte(page), "text/html; charset=utf-8"); err != nil {
		t.Fatal(err)
	}
	s.locate(&story{With: []string{"The first  news", "last word", "not there"}, Without: []string{"Imprint"}})
	if want := []bool{false, true, true, true, true, false}; !slices.Equal(s.known, want) {
		t.Errorf("known %v, want %v", s.known, want)
	}
	if want := []float32{0, 1, 1, 1, 0, 0}; !slices.Equal(s.label, want) {
		t.Errorf("labels %v, want %v", s.label, want)
	}
	if h, m, w := s.segments([]bool{false, true, true, false, true, false}); h != 1 || m != 2 || w != 1 {
		t.Errorf("%v right, %v missing, %v wrong", h, m, w)
	}
}

// verifyAgain checks that the weights in dir belong to its pages, and no longer if a feature or a
// label is another.
func verifyAgain(t *testing.T, dir, news string) {
	t.Helper()
	for name, change := range map[string]func(*sample){
		"nothing":   nil,
		"a feature": func(s *sample) { s.rows[0][0]++ },
		"a label":   func(s *sample) { s.label[0] = 1 - s.label[0] },
	} {
		all, err := readSets(t.Context(), dir, news, 1)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(all[7])
		}
		err = newTrainer(all, all).verify(io.Discard, filepath.Join(dir, "weights.go"))
		if changed := change != nil; changed != errors.Is(err, errOther) || !changed && err != nil {
			t.Errorf("with %s changed: %v", name, err)
		}
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLexicon fits a lexicon to a word that speaks for content, one that speaks against it,
// and one that is everywhere.
func TestLexicon(t *testing.T) {
	tr := &trainer{lexicons: map[uint][groups + 1]lexicon{}}
	word := func(w string, near int) name { return name{unique.Make(w), near} }
	for i := range 400 {
		s := &sample{host: fmt.Sprint(i % 40), fold: i % folds, group: i % groups, blocks: make([][]uint64, 2)}
		s.names = [][]name{
			{word("good", 0), word("all", 2), word("rare"+s.host, 0)},
			{word("bad", 1), word("all", 2), word("good", 1)},
		}
		tr.all = append(tr.all, s)
		for b := range s.names {
			tr.owner, tr.block = append(tr.owner, s), append(tr.block, b)
			tr.target, tr.weight = append(tr.target, float32(1-b)), append(tr.weight, 3)
		}
	}
	tr.lexify(tr.all)
	if len(tr.names) != 4 {
		t.Fatalf("names %v: those of one host are among them", tr.names)
	}
	l := tr.lexiconWithout(1<<2, none)
	words := tr.wordsOf(l)
	if len(words) != 2 || words[0].Name != "bad" || words[1].Name != "good" {
		t.Fatalf("words %v", words)
	}
	if words[0].Close >= 0 || words[0].Own != 0 || words[1].Own <= 0 || words[1].Close >= 0 || words[1].Far != 0 {
		t.Errorf("words say %v", words)
	}
	for i := range tr.target {
		if tr.owner[i].fold == 2 || tr.owner[i].group == 1 {
			tr.target[i] = 1 - tr.target[i]
		}
	}
	clear(tr.lexicons)
	if again := tr.lexiconWithout(1<<2, 1); again[1] >= 0 || again[2] <= 0 {
		t.Errorf("what is left out turns %v to %v", l, again)
	}
}

// TestPrintLosses checks that the lost F1 of each kind is divided by cause, and that a page on which
// more than the candidates is right loses nothing by the choice.
func TestPrintLosses(t *testing.T) {
	forum := &sample{kind: content.Forum}
	var b strings.Builder
	printLosses(&b, []verdict{
		{s: forum, f1: .5, oracle: .75, labels: .875},
		{s: forum, f1: 1, oracle: .5, labels: .75},
		{s: &sample{kind: content.Product}, f1: .25, oracle: .25, labels: .125},
	})
	want := "wcxb forum: 2 pages lose 0.5: 0.2 by the choice, 0.1 by the candidates, 0.1 by the blocks\n" +
		"wcxb product: 1 pages lose 0.8: 0.0 by the choice, 0.0 by the candidates, 0.8 by the blocks\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
