// SPDX-License-Identifier: Apache-2.0

package parsetest_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// fakeOCR recognises the page of parsetest only.
type fakeOCR struct{ page []byte }

func (f fakeOCR) Recognize(ctx context.Context, p parse.Picture) (parse.Recognition, error) {
	if err := context.Cause(ctx); err != nil {
		return parse.Recognition{}, err
	}
	if bytes.Equal(p.Data, f.page) {
		return parse.Recognition{Markdown: strings.Join(parsetest.Words(), " "), Confidence: -1}, nil
	}
	return parse.Recognition{Confidence: -1}, nil
}

func TestCheckOCR(t *testing.T) {
	parsetest.CheckOCR(t, func(t *testing.T) parse.OCR { return fakeOCR{parsetest.Page(t).Data} })
}

// fakeRenderer draws the document of parsetest only.
type fakeRenderer struct{}

func (fakeRenderer) Render(ctx context.Context, pdf io.ReaderAt, size int64, page int, dpi float64) (parse.Picture, error) {
	if err := context.Cause(ctx); err != nil {
		return parse.Picture{}, err
	}
	data, err := io.ReadAll(io.NewSectionReader(pdf, 0, size))
	if err != nil || !bytes.Equal(data, parsetest.Document()) || page < 1 || page > 2 {
		return parse.Picture{}, errors.New("no such page")
	}
	w, h := int(5*dpi), int(2.5*dpi)
	if page == 2 {
		w, h = h, w
	}
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if page == 1 && x >= w/2 || page == 2 && y >= h/2 {
				m.Pix[y*w+x] = 255
			}
		}
	}
	var b bytes.Buffer
	err = png.Encode(&b, m)
	return parse.Picture{MIME: "image/png", Data: b.Bytes(), Width: w, Height: h, DPI: dpi}, err
}

func TestCheckRenderer(t *testing.T) {
	parsetest.CheckRenderer(t, func(*testing.T) parse.Renderer { return fakeRenderer{} })
}
