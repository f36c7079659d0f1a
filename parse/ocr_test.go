// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// scanPage has the content operators that show the image resource I over the
// whole page.
const scanPage = "q 612 0 0 792 0 0 cm /I Do Q\n"

// scans returns a PDF with one page for each content. Its resources have the
// image I with the given stream entries and data, and the font F9, which
// does not map its codes to characters.
func scans(entries, data string, contents ...string) []byte {
	var d pdftest.Document
	im := d.Stream("/Type /XObject /Subtype /Image "+entries, data)
	resources := strings.Replace(pdftest.Fonts, "<<", fmt.Sprintf("<</XObject <</I %d 0 R>> ", im), 1)
	resources = strings.Replace(resources, "/F1 ", "/F9 <</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts "+
		"[<</Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>]>> /F1 ", 1)
	for _, c := range contents {
		d.Page(c, resources, "")
	}
	return d.Bytes()
}

const (
	grayPixels = "/Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray"
	jpxPixels  = "/Width 2 /Height 2 /Filter /JPXDecode"
	// jpxData is the codestream of an image of two by two pixels. With any
	// other data, an image of jpxPixels is damaged.
	jpxData = "\xff\x4f\xff\x51\x00\x29\x00\x00\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x07" +
		"\x01\x01\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x00\x04\x04\x00\x01\xff\x5c\x00\x04\x40\x40\xff\x90\x00\x0a\x00\x00\x00" +
		"\x00\x00\x16\x00\x01\xff\x93\xdf\x80\x28\x06\xfc\xf6\x39\x8f\xff\xd9"
)

// funcOCR is an OCR engine made from a function.
type funcOCR func(context.Context, parse.Picture) (parse.Recognition, error)

func (f funcOCR) Recognize(ctx context.Context, p parse.Picture) (parse.Recognition, error) {
	return f(ctx, p)
}

// jp2OCR also accepts JPEG 2000.
type jp2OCR struct{ funcOCR }

func (jp2OCR) Takes(mime string) bool { return mime == "image/jp2" }

// funcRenderer is a renderer made from a function.
type funcRenderer func(ctx context.Context, page int, dpi float64) (parse.Picture, error)

func (f funcRenderer) Render(ctx context.Context, _ io.ReaderAt, _ int64, page int, dpi float64) (parse.Picture, error) {
	return f(ctx, page, dpi)
}

func readingOf(t *testing.T, tree *parse.Tree) string {
	t.Helper()
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, tree.Root, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// said recognises "scanned" in the small test images and "drawn" in all
// other images.
func said(_ context.Context, p parse.Picture) (parse.Recognition, error) {
	text := "drawn"
	if p.Width == 2 {
		text = "scanned"
	}
	w := float64(p.Width)
	return parse.Recognition{Confidence: .8, Words: []parse.Word{{Text: text, X0: w / 8, Y0: 0, X1: w / 4, Y1: w / 50, Line: 1, Confidence: .7}}}, nil
}

func refuse(context.Context, parse.Picture) (parse.Recognition, error) {
	return parse.Recognition{}, errors.New("broken")
}

// canvas is a renderer that draws a blank page.
func canvas(_ context.Context, _ int, dpi float64) (parse.Picture, error) {
	img := image.NewGray(image.Rect(0, 0, 85, 110))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return parse.Picture{MIME: "image/png", Data: b.Bytes(), DPI: dpi / 30}, err
}

// TestModes checks for each mode which pages are recognised and what the
// result is.
func TestModes(t *testing.T) {
	text := pdftest.Lines("F1", 10, 72, 700, 14, "A page of text that says enough", "to be no image.")
	const private = "BT /F9 10 Tf 72 700 Td <01020304050607080102030405060708> Tj ET" // codes that map to no characters
	ocr, fails := funcOCR(said), funcOCR(refuse)
	type row struct {
		what   string
		pages  []string
		pixels string // image entries and, after a vertical bar, image data
		ocr    parse.OCR
		render parse.Renderer
		mode   parse.Mode
		err    error
		want   string // expected Markdown
		status string
		codes  string // codes of expected warnings
	}
	for _, c := range []row{
		{"fast, a scan", []string{scanPage}, grayPixels, ocr, nil, parse.Fast, parse.ErrOCRRequired, "", "", ""},
		{"fast, a scan beside text", []string{text, scanPage}, grayPixels, ocr, nil, parse.Fast, nil, "A page of text that says enough to be no image.\n", "ok partial", "ocr-needed"},
		{"fast, nothing", []string{""}, grayPixels, ocr, nil, parse.Fast, parse.ErrOCRRequired, "", "", ""},
		{"auto, a scan", []string{scanPage}, grayPixels, ocr, nil, parse.Auto, nil, "scanned\n", "ok", ""},
		{"auto, a scan beside text", []string{text, scanPage}, grayPixels, ocr, nil, parse.Auto, nil, "A page of text that says enough to be no image.\n\nscanned\n", "ok ok", ""},
		{"auto, no engine", []string{scanPage}, grayPixels, nil, nil, parse.Auto, parse.ErrOCRRequired, "", "", ""},
		{"auto, no engine, text too", []string{text, scanPage}, grayPixels, nil, nil, parse.Auto, nil, "A page of text that says enough to be no image.\n", "ok partial", "ocr-needed"},
		{"auto, the engine fails", []string{text, scanPage}, grayPixels, fails, nil, parse.Auto, nil, "A page of text that says enough to be no image.\n", "ok failed", "ocr-needed ocr-needed"},
		{"auto, the engine fails for all", []string{scanPage}, grayPixels, fails, nil, parse.Auto, parse.ErrOCRRequired, "", "", ""},
		{"auto, blank", []string{""}, grayPixels, ocr, nil, parse.Auto, nil, "", "ok", "no-text"},
		{"auto, a drawing", []string{"72 72 m 500 700 l S"}, grayPixels, ocr, nil, parse.Auto, nil, "", "ok", "no-text"},
		{"auto, letters without meaning", []string{text, private}, grayPixels, ocr, nil, parse.Auto, nil, "A page of text that says enough to be no image.", "ok partial", "garbled-font ocr-needed"},
		{"auto, letters without meaning, drawn", []string{text, private}, grayPixels, ocr, funcRenderer(canvas), parse.Auto, nil, "A page of text that says enough to be no image.\n\ndrawn\n", "ok ok", ""},
		{"auto, a scan needs no renderer", []string{scanPage}, grayPixels, ocr, funcRenderer(canvas), parse.Auto, nil, "scanned\n", "ok", ""},
		{"auto, a stamp on a scan stays", []string{scanPage + pdftest.Text("F1", 10, 300, 30, "No. 7")}, grayPixels, ocr, nil, parse.Auto, nil, "scanned\n\nNo. 7\n", "ok", ""},
		{"auto, JPEG 2000", []string{scanPage}, jpxPixels + "|" + jpxData, ocr, nil, parse.Auto, nil, "scanned\n", "ok", ""},
		{"auto, damaged JPEG 2000", []string{text, scanPage}, jpxPixels, ocr, nil, parse.Auto, nil, "A page of text that says enough to be no image.\n", "ok failed", "ocr-needed ocr-needed"},
		{"auto, JPEG 2000 is taken", []string{scanPage}, jpxPixels, jp2OCR{said}, nil, parse.Auto, nil, "scanned\n", "ok", ""},
		{"auto, JPEG 2000 is drawn", []string{scanPage}, jpxPixels, ocr, funcRenderer(canvas), parse.Auto, nil, "drawn\n", "ok", ""},
		{"ocr, no engine", []string{text}, grayPixels, nil, nil, parse.ForceOCR, parse.ErrOCRRequired, "", "", ""},
		{"ocr, a scan", []string{scanPage}, grayPixels, ocr, nil, parse.ForceOCR, nil, "scanned\n", "ok", ""},
		{"ocr, a scan with a layer of text", []string{scanPage + "3 Tr " + text}, grayPixels, ocr, nil, parse.ForceOCR, nil, "scanned\n", "ok", ""},
		{"ocr, text that is no image", []string{text}, grayPixels, ocr, nil, parse.ForceOCR, nil, "A page of text that says enough to be no image.\n", "ok", ""},
		{"ocr, text, drawn", []string{text}, grayPixels, ocr, funcRenderer(canvas), parse.ForceOCR, nil, "drawn\n", "ok", ""},
		{"ocr, a scan with a layer, not drawn", []string{scanPage + "3 Tr " + text}, grayPixels, ocr, funcRenderer(canvas), parse.ForceOCR, nil, "scanned\n", "ok", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			e := parse.Engine{OCR: c.ocr, Render: c.render}
			entries, pixels, own := strings.Cut(c.pixels, "|")
			if !own {
				pixels = "\x00\xff\xff\x00"
			}
			data := scans(entries, pixels, c.pages...)
			tree, err := e.Parse(t.Context(), source("a.pdf", "", string(data)), &parse.Options{PDF: parse.PDFOptions{Mode: c.mode}})
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("Parse = %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			var status, codes []string
			for _, p := range tree.Pages {
				status = append(status, string(p.Status))
				if p.NeedsOCR != (p.Status != parse.PageOK) {
					t.Errorf("page %d needs OCR: %t, status %s", p.Number, p.NeedsOCR, p.Status)
				}
			}
			for _, w := range tree.Warnings {
				codes = append(codes, w.Code)
			}
			if got := readingOf(t, tree); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("read %q, want %q", got, c.want)
			}
			if got := strings.Join(status, " "); got != c.status {
				t.Errorf("pages are %s, want %s", got, c.status)
			}
			if got := strings.Join(codes, " "); got != c.codes {
				t.Errorf("warned of %q, want %q: %+v", got, c.codes, tree.Warnings)
			}
		})
	}
}

// TestFilterNamed checks that a warning names the filter and the page of an
// unreadable image.
func TestFilterNamed(t *testing.T) {
	e := parse.Engine{OCR: funcOCR(said)}
	text := strings.Repeat(pdftest.Text("F1", 10, 72, 700, "A page of text."), 2)
	tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scans(jpxPixels, "x", text, scanPage))), nil)
	if err != nil || len(tree.Warnings) == 0 || tree.Warnings[0].Page != 2 || !strings.Contains(tree.Warnings[0].Text, "JPXDecode") {
		t.Errorf("%+v, %v", tree, err)
	}
}

// TestSideways recognises lines that run down, left and up. The page and its
// boxes are rotated until the lines run to the right.
func TestSideways(t *testing.T) {
	text := [][]string{{"Above", "all", "words"}, {"stand", "other", "ones,", "alone."}}
	for quarters, size := range []image.Point{{X: 200, Y: 100}, {X: 100, Y: 200}, {X: 200, Y: 100}, {X: 100, Y: 200}} {
		var r parse.Recognition
		for line, words := range text {
			for i, w := range words {
				x0, y0, x1, y1 := 10+40*float64(i), 10+8*float64(line), 40+40*float64(i), 15+8*float64(line)
				switch quarters {
				case 1:
					x0, y0, x1, y1 = 100-y1, x0, 100-y0, x1
				case 2:
					x0, y0, x1, y1 = 200-x1, 100-y1, 200-x0, 100-y0
				case 3:
					x0, y0, x1, y1 = y0, 200-x1, y1, 200-x0
				}
				r.Words = append(r.Words, parse.Word{Text: w, X0: x0, Y0: y0, X1: x1, Y1: y1, Line: line + 1, Confidence: .5 + float64(line)/10})
			}
		}
		var img bytes.Buffer
		if err := png.Encode(&img, image.NewGray(image.Rectangle{Max: size})); err != nil {
			t.Fatal(err)
		}
		e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) { return r, nil })}
		tree, err := e.Parse(t.Context(), source("a.png", "", img.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(readingOf(t, tree)), "Above all words stand other ones, alone."; strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%d quarters: read %q, want %q", quarters, got, want)
		}
		p := tree.Pages[0]
		if p.Width < p.Height {
			t.Errorf("%d quarters: the page is %v by %v", quarters, p.Width, p.Height)
		}
		for b := range tree.Blocks() {
			if b.Box.Y1 > p.Height/2 || b.OCR < .5 || b.OCR > .6 {
				t.Errorf("%d quarters: a block at %v, sure by %v", quarters, b.Box, b.OCR)
			}
		}
	}
}

// TestConfidence checks that each block has the confidence of its words.
func TestConfidence(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 850, 1100))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	r := parse.Recognition{Confidence: .5, Words: []parse.Word{
		{Text: "Sure", X0: 100, Y0: 100, X1: 150, Y1: 115, Line: 1, Confidence: .9},
		{Text: "doubt", X0: 100, Y0: 500, X1: 150, Y1: 515, Line: 2, Confidence: .25},
		{Text: "unmeasured", X0: 100, Y0: 900, X1: 250, Y1: 915, Line: 3, Confidence: -1},
	}}
	e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) { return r, nil })}
	tree, err := e.Parse(t.Context(), source("a.png", "", b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for b := range tree.Blocks() {
		got = append(got, b.OCR)
	}
	if d := cmp.Diff([]float64{.9, .25, .5}, got); d != "" {
		t.Error(d)
	}
}

// TestTranscript checks that Markdown from a model cannot set the data
// attributes of this package.
func TestTranscript(t *testing.T) {
	const hostile = "# Read\n\n<section data-page=\"9\" data-role=\"running\"><p data-src=\"native_text\">obey</p></section></section></body><p>more</p>"
	for conf, want := range map[float64]float64{.5: .5, -1: -1} {
		e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) {
			return parse.Recognition{Markdown: hostile, Confidence: conf}, nil
		})}
		tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scans(grayPixels, "\x00\xff\xff\x00", scanPage))), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := readingOf(t, tree); !strings.Contains(got, "obey") || !strings.Contains(got, "more") {
			t.Errorf("read %q", got)
		}
		for b := range tree.Blocks() {
			if b.Page != 1 || b.Source != "layout_ocr" || b.OCR != want {
				t.Errorf("%s on page %d of %q at %v", b.Node.Data, b.Page, b.Source, b.OCR)
			}
		}
	}
}

// TestOCRAtOnce recognises many pages at once, returns them in order, and
// stops all of them when the context ends.
func TestOCRAtOnce(t *testing.T) {
	contents := make([]string, 40)
	for i := range contents {
		contents[i] = scanPage
	}
	data := string(scans(grayPixels, "\x00\xff\xff\x00", contents...))
	var n, running, most atomic.Int32
	e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		return parse.Recognition{Markdown: fmt.Sprint("page ", n.Add(1))}, nil
	})}
	tree, err := e.Parse(t.Context(), source("a.pdf", "", data), nil)
	if err != nil || n.Load() != 40 || len(tree.Pages) != 40 {
		t.Fatalf("%d pages recognised, %v", n.Load(), err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	var once sync.Once
	var after atomic.Int32
	e.OCR = funcOCR(func(ctx context.Context, _ parse.Picture) (parse.Recognition, error) {
		after.Add(1)
		once.Do(func() { stop(errStopped) })
		<-ctx.Done()
		return parse.Recognition{}, ctx.Err()
	})
	if _, err := e.Parse(ctx, source("a.pdf", "", data), nil); !errors.Is(err, errStopped) {
		t.Errorf("stopped: %v", err)
	}
	if after.Load() > 20 {
		t.Errorf("%d pages were begun after the end", after.Load())
	}
}

// TestDoubtfulText recognises pages of which some are noise, such as
// handwriting.
func TestDoubtfulText(t *testing.T) {
	for _, c := range []struct {
		what, text string
		confidence float64 // of each word
		markdown   bool
		want       string
	}{
		{"print", "The meeting of 12 May 2023 was opened by I. Novák, at 9:30 (see p. 4).", .9, false, ""},
		{"Greek", "Η συνεδρίαση της επιτροπής άρχισε στις εννέα το πρωί", -1, false, ""},
		{"Chinese, one character a word", "会 议 于 五 月 十 二 日 召 开", .8, false, ""},
		{"a short label", "|| ~ 7a", .9, false, ""},
		{"uncertain", "The meeting was opened", .31, false, "The text was recognised with a confidence of 31 %: it may be wrong."},
		{"handwriting", "|~ wE} r lJn : . ,, ~~ oF-", .7, false, "9 of 9 recognised words have no form of a word: the text may be wrong."},
		{"handwriting, not measured", "|~ wE} r lJn : . ,, ~~ oF-", -1, false, "9 of 9 recognised words have no form of a word: the text may be wrong."},
		{"Markdown", "# Minutes\n\n| a | b |\n| --- | --- |\n| one | two |\n\nThe meeting was opened", -1, true, ""},
		{"Markdown of noise", "~ r l ; q j w z f", -1, true, "9 of 9 recognised words have no form of a word: the text may be wrong."},
	} {
		e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) {
			if c.markdown {
				return parse.Recognition{Markdown: c.text, Confidence: c.confidence}, nil
			}
			r := parse.Recognition{Confidence: -1}
			for i, w := range strings.Fields(c.text) {
				x := float64(i) / 20
				r.Words = append(r.Words, parse.Word{Text: w, X0: x, Y0: 0, X1: x + .04, Y1: .05, Line: 1, Confidence: c.confidence})
			}
			return r, nil
		})}
		tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scans(grayPixels, "\x00\xff\xff\x00", scanPage))), nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var got strings.Builder
		for _, w := range tree.Warnings {
			if w.Code == parse.WarnOCRDoubt && w.Page == 1 {
				got.WriteString(w.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", c.what, got.String(), c.want)
		}
	}
}

// TestPanicOfOCR checks that an engine that panics loses only its page.
func TestPanicOfOCR(t *testing.T) {
	text := strings.Repeat(pdftest.Text("F1", 10, 72, 700, "A page of text."), 2)
	e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) { panic("engine") })}
	tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scans(grayPixels, "\x00\xff\xff\x00", text, scanPage))), nil)
	if err != nil || tree.Pages[1].Status != parse.PageFailed {
		t.Errorf("%+v, %v", tree, err)
	}
}

// TestHostileWords recognises words at impossible places.
func TestHostileWords(t *testing.T) {
	nan := 0.0
	nan /= nan
	words := []parse.Word{
		{Text: "a", X0: -5, Y0: -5, X1: 1e300, Y1: 1e300, Line: 1, Confidence: 7},
		{Text: "b", X0: nan, Y0: nan, X1: nan, Y1: nan, Line: 1, Confidence: nan},
		{Text: "c", X0: 1, Y0: 1, X1: 0, Y1: 0, Line: 1},
		{Text: "\x00\xff", X0: 0, Y0: 0, X1: 1, Y1: 1, Line: -3, Confidence: -1},
		{Text: strings.Repeat("d", 1<<20), X0: 0, Y0: 1, X1: 1, Y1: 2},
	}
	e := parse.Engine{OCR: funcOCR(func(context.Context, parse.Picture) (parse.Recognition, error) {
		return parse.Recognition{Words: words, Confidence: nan}, nil
	})}
	tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scans(grayPixels, "\x00\xff\xff\x00", scanPage))), nil)
	if err != nil {
		t.Fatal(err)
	}
	for b := range tree.Blocks() {
		p := tree.Pages[0]
		if !(b.Box.X0 >= 0 && b.Box.Y0 >= 0 && b.Box.X1 <= p.Width && b.Box.Y1 <= p.Height) || !(b.OCR == -1 || b.OCR >= 0 && b.OCR <= 1) {
			t.Errorf("a block at %v, sure by %v", b.Box, b.OCR)
		}
	}
}
