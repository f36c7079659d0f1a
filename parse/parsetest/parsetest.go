// SPDX-License-Identifier: Apache-2.0

// Package parsetest checks implementations of parse.OCR and parse.Renderer.
package parsetest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // what a renderer may give
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/parse"
)

// prompt is how soon an engine must return after its ctx has ended.
const prompt = 5 * time.Second

//go:embed page.png
var page []byte

// Words returns some of the words on [Page].
func Words() []string { return []string{"orchard", "hundred", "counted", "written"} }

// Page returns a picture of a page of English text.
func Page(t testing.TB) parse.Picture { return picture(t, page) }

func picture(t testing.TB, data []byte) parse.Picture {
	t.Helper()
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return parse.Picture{MIME: "image/png", Data: slices.Clone(data), Width: c.Width, Height: c.Height, DPI: 120, Languages: []string{"en"}}
}

// blank returns a white picture.
func blank(t *testing.T) parse.Picture {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return picture(t, b.Bytes())
}

// CheckOCR fails t if the engines that open returns violate the contract of
// [parse.OCR]. It calls open once for each subtest; open releases the engine
// with t.Cleanup. The engine must recognise [Words] on [Page].
func CheckOCR(t *testing.T, open func(t *testing.T) parse.OCR) {
	t.Helper()
	t.Run("text", func(t *testing.T) { checkPage(t, open(t), Page(t)) })
	t.Run("blank", func(t *testing.T) {
		r, err := open(t).Recognize(t.Context(), blank(t))
		if err != nil || len(r.Words) > 0 || strings.TrimSpace(r.Markdown) != "" {
			t.Errorf("of an empty page: %+v, %v", r, err)
		}
	})
	t.Run("no picture", func(t *testing.T) {
		r, err := open(t).Recognize(t.Context(), parse.Picture{MIME: "image/png", Data: []byte("no picture"), Width: 10, Height: 10})
		if err == nil && len(r.Words) > 0 {
			t.Errorf("of what is no picture: %+v", r)
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		e := open(t)
		var wg sync.WaitGroup
		for range 2 {
			p := Page(t)
			wg.Go(func() { checkPage(t, e, p) })
		}
		wg.Wait()
	})
	t.Run("ctx", func(t *testing.T) { checkCtx(t, open(t)) })
}

func checkPage(t *testing.T, e parse.OCR, p parse.Picture) {
	t.Helper()
	r, err := e.Recognize(t.Context(), p)
	if err != nil {
		t.Error(err)
		return
	}
	var all strings.Builder
	all.WriteString(r.Markdown)
	for _, w := range r.Words {
		all.WriteString(" " + w.Text)
		if w.X0 < 0 || w.Y0 < 0 || w.X1 > float64(p.Width) || w.Y1 > float64(p.Height) || w.X0 >= w.X1 || w.Y0 >= w.Y1 {
			t.Errorf("the word %q stands outside the picture: %+v", w.Text, w)
		}
		if w.Confidence > 1 || w.Confidence < 0 && w.Confidence != -1 {
			t.Errorf("the word %q has confidence %v", w.Text, w.Confidence)
		}
	}
	if r.Confidence > 1 || r.Confidence < 0 && r.Confidence != -1 {
		t.Errorf("confidence %v", r.Confidence)
	}
	text := strings.ToLower(all.String())
	for _, w := range Words() {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in %q", w, text)
		}
	}
}

var errStop = errors.New("stopped by the test")

func checkCtx(t *testing.T, e parse.OCR) {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errStop)
	done := make(chan error, 1)
	p := Page(t)
	go func() {
		_, err := e.Recognize(ctx, p)
		done <- err
	}()
	timer := time.NewTimer(prompt)
	defer timer.Stop()
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error after its ctx has ended")
		}
	case <-timer.C:
		t.Error("it goes on after its ctx has ended")
	}
}

// Document returns a PDF of two pages. The first has 360 by 180 points; its
// left half is black and the rest white. The second has 180 by 360 points,
// is cut from a larger sheet by its crop box and is turned by Rotate; its
// upper half, as viewers show it, is black.
func Document() []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	stream := func(s string) { object("<</Length %d>>\nstream\n%s\nendstream", len(s), s) }
	b.WriteString("%PDF-1.4\n")
	object("<</Type /Catalog /Pages 2 0 R>>")
	object("<</Type /Pages /Count 2 /Kids [3 0 R 4 0 R]>>")
	object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 360 180] /Contents 5 0 R>>")
	object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 500 500] /CropBox [100 100 460 280] /Rotate 90 /Contents 6 0 R>>")
	stream("0 0 180 180 re f")
	stream("100 100 180 180 re f")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// CheckRenderer fails t if the renderers that open returns violate the
// contract of [parse.Renderer]. It calls open once for each subtest; open
// releases the renderer with t.Cleanup.
func CheckRenderer(t *testing.T, open func(t *testing.T) parse.Renderer) {
	t.Helper()
	t.Run("pages", func(t *testing.T) { checkDocument(t, open(t)) })
	t.Run("concurrent", func(t *testing.T) {
		r := open(t)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { checkDocument(t, r) })
		}
		wg.Wait()
	})
	t.Run("no page", func(t *testing.T) {
		for page, data := range map[int][]byte{3: Document(), 1: []byte("no document")} {
			if _, err := open(t).Render(t.Context(), bytes.NewReader(data), int64(len(data)), page, 72); err == nil {
				t.Errorf("page %d of %.11s was drawn", page, data)
			}
		}
	})
	t.Run("ctx", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(errStop)
		data := Document()
		if _, err := open(t).Render(ctx, bytes.NewReader(data), int64(len(data)), 1, 72); err == nil {
			t.Error("no error after its ctx has ended")
		}
	})
}

// checkDocument draws both pages of Document and checks them.
func checkDocument(t *testing.T, r parse.Renderer) {
	t.Helper()
	data := Document()
	const dpi = 144
	for page, want := range map[int]image.Point{1: {X: 720, Y: 360}, 2: {X: 360, Y: 720}} {
		p, err := r.Render(t.Context(), bytes.NewReader(data), int64(len(data)), page, dpi)
		if err != nil {
			t.Error(err)
			continue
		}
		img, _, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Errorf("page %d as %s: %v", page, p.MIME, err)
			continue
		}
		size := img.Bounds().Size()
		off := func(a, b int) bool { return a < b-2 || a > b+2 }
		if size != (image.Point{X: p.Width, Y: p.Height}) || off(size.X, want.X) || off(size.Y, want.Y) || p.DPI < dpi/1.1 || p.DPI > dpi*1.1 {
			t.Errorf("page %d is drawn in %v, said to be %d by %d at %v dpi; want %v at %d", page, size, p.Width, p.Height, p.DPI, want, dpi)
			continue
		}
		dark := func(x, y int) bool {
			g, _ := color.GrayModel.Convert(img.At(x, y)).(color.Gray)
			return g.Y < 128
		}
		first, last := dark(10, 10), dark(size.X-10, size.Y-10)
		other := dark(10, size.Y-10)
		if !first || last || other != (page == 1) {
			t.Errorf("page %d is not as a reader sees it", page)
		}
	}
}
