// SPDX-License-Identifier: Apache-2.0

package chunk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format/internal/chunk"
)

func split(t testing.TB, text string, o chunk.Options) []chunk.Chunk {
	t.Helper()
	chunks, err := chunk.Split(t.Context(), text, o)
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// ending is a context that ends when it was asked so many times.
type ending struct {
	context.Context

	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestSplitEnds ends the context while many blocks, or one large block, are split.
func TestSplitEnds(t *testing.T) {
	cause := errors.New("enough")
	parent, stop := context.WithCancelCause(t.Context())
	stop(cause)
	for name, text := range map[string]string{"blocks": strings.Repeat("a b\n\n", 10_000), "one block": strings.Repeat("a b. ", 10_000)} {
		for _, left := range []int{0, 100} {
			e := &ending{parent, left}
			if chunks, err := chunk.Split(e, text, chunk.Options{Size: 20}); !errors.Is(err, cause) || chunks != nil {
				t.Errorf("%s: %d chunks, %v", name, len(chunks), err)
			}
			if e.left < -3 {
				t.Errorf("%s: asked %d times after the end", name, -e.left)
			}
		}
	}
}

// check reports what is wrong with the chunks of a text.
func check(text string, o chunk.Options, chunks []chunk.Chunk) error {
	covered, last := 0, -1
	for i, c := range chunks {
		switch {
		case c.Start < 0 || c.End > len(text) || c.Start >= c.End:
			return fmt.Errorf("chunk %d is %d to %d of %d bytes", i, c.Start, c.End, len(text))
		case c.Start < last:
			return fmt.Errorf("chunk %d begins at %d, before the chunk before it", i, c.Start)
		case !strings.Contains(c.Text, text[c.Start:c.End]):
			return fmt.Errorf("chunk %d does not have the text of its span: %q, %q", i, c.Text, text[c.Start:c.End])
		case c.Tokens != chunk.Tokens(c.Text):
			return fmt.Errorf("chunk %d has %d tokens, not %d", i, chunk.Tokens(c.Text), c.Tokens)
		case c.Tokens > o.Size:
			return fmt.Errorf("chunk %d has %d tokens: %q", i, c.Tokens, c.Text)
		case c.Start > covered && strings.TrimSpace(text[covered:c.Start]) != "":
			return fmt.Errorf("no chunk has %q", text[covered:c.Start])
		case c.Start < covered && chunk.Tokens(text[c.Start:covered]) > o.Overlap:
			return fmt.Errorf("chunk %d repeats %q", i, text[c.Start:covered])
		case c.End <= covered:
			return fmt.Errorf("chunk %d has nothing new", i)
		}
		own := max(c.Start, covered)
		own += len(text[own:]) - len(strings.TrimLeftFunc(text[own:], unicode.IsSpace))
		if want := strings.Count(text[:own], "\n"); c.Line != want {
			return fmt.Errorf("chunk %d begins on line %d, not %d", i, want, c.Line)
		}
		covered, last = c.End, c.Start
	}
	if strings.TrimSpace(text[covered:]) != "" {
		return fmt.Errorf("no chunk has %q", text[covered:])
	}
	return nil
}

// random returns Markdown of random blocks.
func random(r *rand.Rand) string {
	words := strings.Fields("the duck swims. ein Wasservogel příliš žluťoučký 12345 3.14 水鳥在游泳。 утка плавает, a-b <b>x</b> [link](http://example.com/a) | `code` ! ?")
	line := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return strings.TrimSpace(b.String())
	}
	var b strings.Builder
	for range r.IntN(30) {
		switch r.IntN(8) {
		case 0:
			b.WriteString(strings.Repeat("#", 1+r.IntN(6)) + " " + line(4) + "\n\n")
		case 1:
			b.WriteString("| a | b |\n| --- | :-: |\n")
			for range r.IntN(40) {
				b.WriteString("| " + line(3) + " | 1 |\n")
			}
			b.WriteString("\n")
		case 2:
			b.WriteString("```go\n" + strings.Repeat(line(9)+"\n\n", r.IntN(30)) + "```\n\n")
		case 3:
			b.WriteString("<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n" + strings.Repeat("<tr><td>"+line(3)+"</td></tr>\n", r.IntN(40)) + "</tbody>\n</table>\n\n")
		case 4:
			b.WriteString(strings.Repeat("- "+line(12)+"\n  - "+line(3)+"\n", 1+r.IntN(20)) + "\n")
		case 5:
			b.WriteString(strings.Repeat("x", r.IntN(3000)) + "\n")
		case 6:
			b.WriteString(line(4) + "\n" + []string{"===", "---", "~~~"}[r.IntN(3)] + "\n")
		default:
			b.WriteString(line(300) + strings.Repeat("\n", r.IntN(4)))
		}
	}
	return b.String()
}

// TestProperties splits random documents with random options.
func TestProperties(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := random(r)
		o := chunk.Options{Size: 20 + r.IntN(400)}
		if r.IntN(2) == 0 {
			o.Overlap = r.IntN(o.Size/2 + 1)
		}
		if err := check(text, o, split(t, text, o)); err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, o, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{ // long seeds would be made shorter for a minute each
		"# a\n\nb c\n\n## d\n\ne. f\n", "| a | b |\n| --- | :-: |\n| c | 1 |\n| d e | 2 |\n", "```go\na\n\n b\n```\n", "- a\n  - b c\n- d\n\n> e\n",
		"<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n<tr><td>b</td></tr>\n<tr><td>c</td></tr>\n</tbody>\n</table>\n", "a\n===\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 水鳥在游泳。утка",
	} {
		f.Add(text, uint16(0), uint16(2))
	}
	f.Add("a\n|b\n|-\n- \n\x00\xff\u2028\r\n```", uint16(3), uint16(1))
	f.Fuzz(func(t *testing.T, text string, size, overlap uint16) {
		text = text[:min(len(text), 2000)]
		o := chunk.Options{Size: 10 + int(size)%800}
		o.Overlap = int(overlap) % (o.Size/2 + 1)
		if err := check(text, o, split(t, text, o)); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"prose", strings.Repeat("The duck swims on the lake. ", 40_000)},
		{"word", strings.Repeat("x", 1<<20)},
		{"rows", "| a |\n| - |\n" + strings.Repeat("| row of words |\n", 60_000)},
		{"sections", strings.Repeat("# Head\n\ntext of it\n\n", 50_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				split(b, c.text, chunk.Options{Size: 500, Overlap: 100})
			}
		})
	}
}

// show writes chunks as one line for each: their headings, a colon, and their
// text with a slash for each line end.
func show(chunks []chunk.Chunk) (lines []string) {
	for _, c := range chunks {
		lines = append(lines, strings.Join(c.Headings, " > ")+": "+strings.ReplaceAll(c.Text, "\n", "/"))
	}
	return lines
}

func TestSplit(t *testing.T) {
	rows := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "| row %d |\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		what, text string
		o          chunk.Options
		want       []string
	}{
		{"nothing", " \n\n", chunk.Options{Size: 100}, nil},
		{"sections", "# Ducks\n\n" + strings.Repeat("swim ", 20) + "\n\n## Food\n\n" + strings.Repeat("eat ", 20) + "\n\n# Geese\n\nhonk\n", chunk.Options{Size: 50}, []string{
			"Ducks: # Ducks//" + strings.TrimSpace(strings.Repeat("swim ", 20)),
			"Ducks > Food: ## Food//" + strings.TrimSpace(strings.Repeat("eat ", 20)),
			"Geese: # Geese//honk",
		}},
		{"small sections of one heading", "# A\n\n## B\n\none\n\n## C\n\ntwo\n\n# D\n\nthree\n", chunk.Options{Size: 100}, []string{"A: # A//## B//one//## C//two", "D: # D//three"}},
		{"a heading stands with its text", "one two three four five\n\nsix\n\n## B\n\n" + strings.Repeat("long ", 7), chunk.Options{Size: 12}, []string{": one two three four five//six", "B: ## B//" + strings.TrimSpace(strings.Repeat("long ", 7))}},
		{"a table that fits", "one two three\n\n| a |\n| - |\n" + rows(2), chunk.Options{Size: 20}, []string{": one two three", ": | a |/| - |/| row 0 |/| row 1 |"}},
		{"a table that does not", "# T\n\n| a |\n| - |\n" + rows(4), chunk.Options{Size: 20}, []string{"T: # T//| a |/| - |/| row 0 |/| row 1 |", "T: | a |/| - |/| row 2 |/| row 3 |"}},
		{"a table as HTML", "<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n" + strings.Repeat("<tr><td>b</td></tr>\n", 4) + "</tbody>\n</table>\n", chunk.Options{Size: 64}, []string{
			": <table>/<thead>/<tr><th>a</th></tr>/</thead>/<tbody>/<tr><td>b</td></tr>/<tr><td>b</td></tr>/</tbody>/</table>",
			": <table>/<thead>/<tr><th>a</th></tr>/</thead>/<tbody>/<tr><td>b</td></tr>/<tr><td>b</td></tr>/</tbody>/</table>",
		}},
		{"code", "```go\n" + strings.Repeat("a b c d\n", 4) + "```\n", chunk.Options{Size: 14}, []string{": ```go/a b c d/a b c d/```", ": ```go/a b c d/a b c d/```"}},
		{"headings in code", "```\n# no\n```\n", chunk.Options{Size: 24}, []string{": ```/# no/```"}},
		{"sentences", "One two three. Four five six. Seven eight nine.", chunk.Options{Size: 10}, []string{": One two three. Four five six.", ": Seven eight nine."}},
		{"sentences repeated", "One two three. Four five six. Seven eight nine. Ten eleven.", chunk.Options{Size: 15, Overlap: 5}, []string{": One two three. Four five six.", ": Four five six. Seven eight nine. Ten eleven."}},
		{"plain headings", "# **A** [b `c`](http://x.example/a_b) \\# d_e #\n\nx", chunk.Options{Size: 100}, []string{"A b c # d_e: # **A** [b `c`](http://x.example/a_b) \\# d_e #//x"}},
		{"underlined headings", "A\n===\n\nx\n\nB\n---\n\ny", chunk.Options{Size: 100}, []string{"A: A/===//x//B/---//y"}},
		{"breaks", "one\n\ntwo", chunk.Options{Size: 100, Breaks: []int{2}}, []string{": one", ": two"}},
	} {
		got := split(t, c.text, c.o)
		if err := check(c.text, c.o, got); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if d := cmp.Diff(c.want, show(got)); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
}

// TestCutCharacters splits text without spaces. What is shown as one character stays together.
func TestCutCharacters(t *testing.T) {
	for _, c := range []string{"e\u0301", "👩\u200d👩\u200d👧\u200d👦", "🇩🇪", "👍🏽", "ที่", "مُ", "☂\ufe0f"} {
		for size := 40; size < 60; size++ {
			text := strings.Repeat(c, 100)
			o := chunk.Options{Size: size}
			got := split(t, text, o)
			if err := check(text, o, got); err != nil {
				t.Fatal(err)
			}
			for _, k := range got {
				if strings.Trim(strings.ReplaceAll(k.Text, c, ""), " ") != "" {
					t.Errorf("size %d: %q is cut: %q", size, c, k.Text)
				}
			}
		}
	}
}

// TestCutTables splits tables and code. Each chunk is a table, or code, and none has only the header.
func TestCutTables(t *testing.T) {
	row := func(cell string) string { return "<tr><td>" + cell + "</td></tr>\n" }
	for _, text := range []string{
		"<table>\n<tbody>\n" + strings.Repeat(row("x"), 30) + "</tbody>\n</table>\n",
		"<table>\n" + strings.Repeat(row("x"), 30) + "</table>\n",
		"> <table>\n> <tbody>\n" + strings.Repeat("> "+row("x"), 30) + "> </tbody>\n> </table>\n",
		"<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n" + strings.Repeat(row("x"), 30) + "</tbody>\n</table>\n",
		"<table>\n<tbody>\n" + row(strings.Repeat("x ", 200)) + "</tbody>\n</table>\n",
		"<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n" + row(strings.Repeat("x ", 200)) + "</tbody>\n</table>\n",
		"| a | b |\n| --- | --- |\n| " + strings.Repeat("x ", 200) + "|x|\n",
		"```go\n" + strings.Repeat("x", 2000) + "\n```\n",
	} {
		o := chunk.Options{Size: 80}
		got := split(t, text, o)
		if err := check(text, o, got); err != nil {
			t.Fatal(err)
		}
		for i, k := range got {
			if !strings.Contains(k.Text, "x") {
				t.Errorf("%.40q: chunk %d has only the header: %q", text, i, k.Text)
			}
			if strings.HasPrefix(strings.TrimLeft(k.Text, "> "), "<tr") || strings.Count(k.Text, "<tr") > 1 && strings.Count(k.Text, "<table") != strings.Count(k.Text, "</table") {
				t.Errorf("%.40q: chunk %d is not a table: %q", text, i, k.Text)
			}
		}
	}
}

// TestTokensCut checks that no text has fewer tokens if it is cut, anywhere but between blanks.
func TestTokensCut(t *testing.T) {
	for seed := range uint64(30) {
		text := random(rand.New(rand.NewPCG(seed, 2)))
		text = text[:min(len(text), 400)]
		for i := range text {
			a, b := text[:i], text[i:]
			if strings.HasSuffix(a, " ") && strings.HasPrefix(b, " ") {
				continue
			}
			if cut, whole := chunk.Tokens(a)+chunk.Tokens(b), chunk.Tokens(text); cut < whole {
				t.Fatalf("%d tokens, not %d: %q, %q", cut, whole, a, b)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"duck", 1},
		{"The ducks swim.", 4},
		{"The quick brown fox jumps over the lazy dog.", 12}, // 10 in cl100k_base
		{"unbelievable", 5},
		{"příliš žluťoučký kůň", 17}, // 16
		{"2023-05-12", 10},
		{"| 1 | 2 |", 8}, // 7,
		{"水鳥", 4},
		{"утка", 3},
		{"მგელი", 13},
		{"a\n\nb", 2},
		{"----------------------------------------", 3},
		{" ", 0},
	} {
		if got := chunk.Tokens(c.text); got != c.want {
			t.Errorf("%q has %d tokens, want %d", c.text, got, c.want)
		}
	}
}
