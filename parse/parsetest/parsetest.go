// SPDX-License-Identifier: Apache-2.0

// Package parsetest checks what parse is given: parse.OCR -> findings.
package parsetest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"image"
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

// Words are some of those on [Page].
func Words() []string { return []string{"orchard", "hundred", "counted", "written"} }

// Page is a picture of a page of English text.
func Page(t testing.TB) parse.Picture { return picture(t, page) }

func picture(t testing.TB, data []byte) parse.Picture {
	t.Helper()
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return parse.Picture{MIME: "image/png", Data: slices.Clone(data), Width: c.Width, Height: c.Height, DPI: 120, Languages: []string{"en"}}
}

// blank is a white picture.
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

// CheckOCR fails t where the engines that open returns break the contract of
// [parse.OCR]. Each of its parts opens one, and open closes it by t.Cleanup.
// The engine must read [Words] in [Page].
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
