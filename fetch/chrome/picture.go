// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/page"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

const (
	maxPDF   = 50 << 20 // bytes
	maxPages = 200      // pages of a PDF
)

// pageObject begins the object of a page in the PDFs that the browser writes.
var pageObject = []byte("/Type /Page\n")

// picture takes a screenshot, in a window of the size that s has.
func (v *view) picture(ctx context.Context, s render.Shot) (_ *render.Picture, err error) {
	if s.Viewport != (render.Viewport{}) && s.Viewport != v.window {
		if err := v.resize(ctx, s.Viewport); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, v.resize(ctx, v.window)) }()
		if err := v.calm(ctx); err != nil { // the page may load other pictures for the new size
			return nil, err
		}
	}
	return v.capture(ctx, s)
}

// resize changes the size of the window.
func (v *view) resize(ctx context.Context, size render.Viewport) error {
	return done(call(ctx, v, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(size.Width), Height: int64(size.Height), DeviceScaleFactor: v.density(), Mobile: v.request.Mobile,
	}))
}

// density returns how many pixels of a picture a CSS pixel has in each direction.
func (v *view) density() float64 {
	if v.request.Mobile {
		return 2
	}
	return 1
}

// capture takes a screenshot in the window as it is.
func (v *view) capture(ctx context.Context, s render.Shot) (*render.Picture, error) {
	if s.Full {
		return v.captureFull(ctx, s.Quality)
	}
	data, err := v.shoot(ctx, nil, s.Quality)
	if err != nil {
		return nil, err
	}
	return &render.Picture{Type: pictureType(s.Quality), Data: data}, nil
}

// shoot takes a picture of the clip, or of the window if it is nil. A quality of zero
// means PNG.
func (v *view) shoot(ctx context.Context, clip *page.Viewport, quality int) ([]byte, error) {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, Clip: clip}
	if quality > 0 {
		q := int64(min(quality, 100))
		p.Format, p.Quality = page.CaptureScreenshotFormatJpeg, &q
	}
	if clip != nil {
		p.CaptureBeyondViewport = new(true)
	}
	r, err := cdp.Call(ctx, v.target, page.CaptureScreenshot, p) // not call, because this may take longer than callTimeout
	return r.Data, err
}

// pictureType returns the media type of a picture of a quality, as in [render.Shot].
func pictureType(quality int) string {
	if quality > 0 {
		return "image/jpeg"
	}
	return "image/png"
}

// print prints the first pages as a PDF. It warns if there are more than maxPages.
func (v *view) print(ctx context.Context, p render.Paper) ([]byte, error) {
	data, err := v.printPages(ctx, p, fmt.Sprintf("1-%d", maxPages))
	if err != nil || bytes.Count(data, pageObject) < maxPages {
		return data, err
	}
	// The browser does not say how many pages there are. It refuses to print a page
	// that does not exist.
	switch _, err := v.printPages(ctx, p, strconv.Itoa(maxPages+1)); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil:
		v.warn("the pages after page %d are not in the PDF", maxPages)
	}
	return data, nil
}

// printPages prints the pages of ranges, such as "1-200".
func (v *view) printPages(ctx context.Context, p render.Paper, ranges string) ([]byte, error) {
	yes := true
	r, err := cdp.Call(ctx, v.target, page.PrintToPDF, page.PrintToPDFParams{
		Landscape: &p.Landscape, PrintBackground: &yes, Scale: cmp.Or(p.Scale, 1),
		PaperWidth: cmp.Or(p.Width, 8.5), PaperHeight: cmp.Or(p.Height, 11),
		TransferMode: page.PrintToPDFTransferModeReturnAsStream, PageRanges: ranges,
	})
	if err != nil {
		return nil, err
	}
	data, err := v.drain(ctx, r.Stream, maxPDF)
	if err != nil {
		return nil, fmt.Errorf("the PDF: %w", err)
	}
	return data, nil
}

// drain reads a stream of the browser and closes it.
func (v *view) drain(ctx context.Context, handle io.StreamHandle, limit int64) ([]byte, error) {
	defer func() { _, _ = call(ctx, v, io.Close, io.CloseParams{Handle: handle}) }()
	var b bytes.Buffer
	for {
		chunk, err := cdp.Call(ctx, v.target, io.Read, io.ReadParams{Handle: handle, Size: 1 << 20})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", fetch.ErrProtocol, err)
		}
		if b.Write(chunk.Data); int64(b.Len()) > limit {
			return nil, fetch.ErrTooLarge
		}
		if chunk.EOF {
			return b.Bytes(), nil
		}
	}
}
