// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

var (
	notText = regexp.MustCompile(`(?s)<!--.*?-->|\$\$.*?\$\$|\$[^$\n]+\$`) // comments, formulas
	target  = regexp.MustCompile(`\]\([^)\s]*\)`)
	word    = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// tokens counts the words of Markdown text without markup, comments and
// formulas.
func tokens(md string) map[string]int {
	md = target.ReplaceAllString(notText.ReplaceAllString(html.UnescapeString(md), " "), "]")
	count := map[string]int{}
	for _, w := range word.FindAllString(strings.ToLower(strings.ReplaceAll(md, `\`, "")), -1) {
		count[w]++
	}
	return count
}

// recall returns the share of want's tokens that got has (recall) and the
// share of got's tokens that want has (precision).
func recall(got, want map[string]int) (recall, precision float64) {
	common, all, given := 0, 0, 0
	for w, n := range want {
		common += min(n, got[w])
		all += n
	}
	for _, n := range got {
		given += n
	}
	return float64(common) / float64(max(all, 1)), float64(common) / float64(max(given, 1))
}

// TestCorpusOffice compares the words of office documents with the Markdown
// of another converter and prints the mean token recall of each kind.
func TestCorpusOffice(t *testing.T) {
	root := golden.Root("..", "shared", "corpora", "office-dev")
	for _, c := range []struct {
		dir  string
		exts []string
		want float64 // mean recall
	}{
		{"docx", []string{".docx"}, .98},
		{"pptx", []string{".pptx"}, .95},
		{"epub", []string{".epub"}, .98},
		{"odf", []string{".odt", ".ods", ".odp"}, .95},
	} {
		t.Run(c.dir, func(t *testing.T) {
			paths, _ := filepath.Glob(filepath.Join(root, c.dir, "*"))
			if len(paths) == 0 {
				t.Skipf("no corpus at %s", root)
			}
			sum, f1, files := 0.0, 0.0, 0
			for _, p := range paths {
				if !slices.Contains(c.exts, filepath.Ext(p)) {
					continue
				}
				reference, err := os.ReadFile(p + ".md")
				if err != nil {
					t.Fatal(err)
				}
				got := markdownOf(t, p)
				r, precision := recall(tokens(got), tokens(string(reference)))
				files++
				sum += r
				if r+precision > 0 {
					f1 += 2 * r * precision / (r + precision)
				}
				if r < .9 {
					t.Logf("%s: token recall %.3f, precision %.3f", filepath.Base(p), r, precision) // low, but not a failure
				}
			}
			mean := sum / float64(files)
			t.Logf("%s: %d files, mean token recall %.4f, mean F1 %.4f", c.dir, files, mean, f1/float64(files))
			if mean < c.want {
				t.Errorf("mean token recall %.4f, want %.2f", mean, c.want)
			}
		})
	}
}

// peers are the options that write tables as the converters do whose Markdown is
// compared: merged cells in each of their slots.
var peers = markdown.Options{Tables: markdown.TablesGFM, Spans: markdown.SpansMirror}

func markdownOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source(filepath.Base(path), "", string(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Logf("%s: %s: %s", filepath.Base(path), w.Code, w.Text)
	}
	var b bytes.Buffer
	if err := markdown.Render(t.Context(), &b, tree.Root, &peers); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOfficeErrors checks the errors for containers that cannot be read.
func TestOfficeErrors(t *testing.T) {
	deep := strings.Repeat("<w:p>", 500)
	for _, c := range []struct {
		what string
		data string
		kind parse.Kind
		want error
	}{
		{"no container", "PK", parse.DOCX, parse.ErrCorrupt},
		{"no main part", pack("a", "b"), parse.DOCX, parse.ErrCorrupt},
		{"encrypted entry", strings.ReplaceAll(pack("[Content_Types].xml", "x", "word/document.xml", "<a/>"), "\x14\x00\x08\x00", "\x14\x00\x09\x00"), parse.DOCX, parse.ErrEncrypted},
		{"depth", pack("[Content_Types].xml", "x", "word/document.xml", deep), parse.DOCX, parse.ErrLimit},
		{"ratio", pack("[Content_Types].xml", "x", "word/document.xml", strings.Repeat(" ", 40<<20)), parse.DOCX, parse.ErrLimit},
	} {
		var e parse.Engine
		_, err := e.Parse(t.Context(), source("a", "", c.data), &parse.Options{Kind: c.kind})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
}

// pack returns a ZIP container. The arguments are names and texts in turn.
func pack(parts ...string) string {
	var list []zipxmltest.Part
	for i := 0; i+1 < len(parts); i += 2 {
		list = append(list, zipxmltest.Part{Name: parts[i], Text: parts[i+1]})
	}
	return string(zipxmltest.Pack(list...))
}

const wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// TestChild reads documents inside documents and stops at documents that
// contain themselves.
func TestChild(t *testing.T) {
	wrap := func(chunk, data string) string {
		return pack(
			"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="html" ContentType="text/html"/></Types>`,
			"word/document.xml", `<w:document `+wordSpace+`><w:body><w:p><w:r><w:t>outer</w:t></w:r></w:p><w:altChunk r:id="c"/></w:body></w:document>`,
			"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c" Type="x/aFChunk" Target="`+chunk+`"/></Relationships>`,
			"word/"+chunk, data,
		)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.docx", "", wrap("a.html", "<html><body><p>inner</body></html>")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := render(t, tree.Root), `<p>outer</p><div data-role="chunk"><p>inner</p></div>`; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	nested := wrap("a.html", "<p>innermost")
	for range 6 {
		nested = wrap("a.docx", nested)
	}
	if tree, err = e.Parse(t.Context(), source("a.docx", "", nested), nil); err != nil {
		t.Fatal(err)
	}
	if got := render(t, tree.Root); strings.Count(got, "outer") != 4 {
		t.Errorf("%d nested documents were read: %s", strings.Count(got, "outer"), got)
	}
}

// TestWarningsWithin checks that warnings of an inner document are added
// under its name, and that an external part is named but not fetched.
func TestWarningsWithin(t *testing.T) {
	rels := func(more string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + more + `</Relationships>`
	}
	word := func(body, relations string, parts ...string) string {
		return pack(append([]string{
			"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
			"word/document.xml", `<w:document ` + wordSpace + `><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p>` + body + `</w:body></w:document>`,
			"_rels/.rels", rels(`<Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/>`),
			"word/_rels/document.xml.rels", rels(relations),
		}, parts...)...)
	}
	inner := word(`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>`, "")
	outer := word(`<w:altChunk r:id="a"/><w:altChunk r:id="b"/>`,
		`<Relationship Id="a" Type="x/aFChunk" Target="inner.docx"/><Relationship Id="b" Type="x/aFChunk" Target="https://a.example/x.docx" TargetMode="External"/>`,
		"word/inner.docx", inner)
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.docx", "", outer), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range tree.Warnings {
		got = append(got, w.Code)
	}
	if want := []string{parse.WarnExternal, parse.WarnHiddenText}; !slices.Equal(got, want) {
		t.Errorf("warnings %v, want %v", tree.Warnings, want)
	}
	if last := tree.Warnings[len(tree.Warnings)-1].Text; !strings.HasPrefix(last, `Within "word/inner.docx": `) {
		t.Errorf("the warning of the inner document is %q", last)
	}
}

// TestPolyglot reads documents that are valid in two kinds. The start
// decides, and a warning names the other kind.
func TestPolyglot(t *testing.T) {
	docx := pack("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", `<w:document `+wordSpace+`><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>`)
	for _, c := range []struct {
		data string
		kind parse.Kind
		want bool
	}{
		{`{\rtf1 text}` + docx, parse.RTF, true},
		{"<!doctype html><p>text</p>" + docx, parse.HTML, true},
		{"<p></p>\n%PDF-1.4\n1 0 obj<<>>endobj\nstartxref\n0\n%%EOF", parse.HTML, true},
		{docx, parse.DOCX, false},
		{`{\rtf1 text}`, parse.RTF, false},
	} {
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source("", "", c.data), nil)
		if err != nil || tree.Kind != c.kind {
			t.Errorf("%.20q: %v, %v", c.data, tree, err)
			continue
		}
		said := slices.ContainsFunc(tree.Warnings, func(w parse.Warning) bool { return w.Code == parse.WarnPolyglot })
		if said != c.want {
			t.Errorf("%.20q as %s: polyglot is %v, want %v", c.data, c.kind, said, c.want)
		}
	}
}

func TestChanges(t *testing.T) {
	text := pack("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`, "word/document.xml",
		`<w:document `+wordSpace+`><w:body><w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r>`+
			`<w:del w:id="1" w:author="Ann"><w:r><w:delText>old</w:delText></w:r></w:del><w:ins w:id="2" w:author="Ann"><w:r><w:t>new</w:t></w:r></w:ins></w:p></w:body></w:document>`)
	for changes, want := range map[parse.Changes]string{
		parse.ChangesAccepted: "It is new\n", parse.ChangesRejected: "It is old\n", parse.ChangesMarked: "It is ~~old~~new\n",
	} {
		var engine parse.Engine
		tree, err := engine.Parse(t.Context(), source("a.docx", "", text), &parse.Options{Changes: changes})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := markdown.Render(t.Context(), &got, tree.Root, nil); err != nil || got.String() != want {
			t.Errorf("%d: %q, %v, want %q", changes, got.String(), err, want)
		}
		var said []string
		for _, w := range tree.Warnings {
			said = append(said, w.Code+": "+w.Text)
		}
		lost := changes != parse.ChangesMarked
		if n := strings.Count(strings.Join(said, "\n"), parse.WarnChanges+": Text of tracked changes was left out at 1 place."); lost != (n == 1) {
			t.Errorf("%d: warnings %q", changes, said)
		}
	}
}
