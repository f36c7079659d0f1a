// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// Limits of a picture of a full page.
const (
	maxHeight  = 16_384   // pixels
	maxWidth   = 7_680    // pixels
	maxPixels  = 40 << 20 // 160 MiB while the picture is put together
	tileHeight = 4_096    // pixels; browsers that draw with a graphics card repeat what is higher than its largest texture
	maxPicture = 20 << 20 // bytes of a PNG; a larger one becomes a JPEG
	fallback   = 80       // quality of that JPEG
)

// reveal is a JavaScript expression that makes a page load the images and fonts that it
// defers until they are visible: it scrolls once through the page as it is, and back. Its
// parameters limit how many windows it scrolls and how many milliseconds that takes.
const reveal = `(async (windows, most) => {
	const x = scrollX, y = scrollY, height = document.documentElement.scrollHeight, end = Date.now() + most;
	const frame = () => new Promise(r => { requestAnimationFrame(() => r()); setTimeout(r, 100); });
	for (const e of document.querySelectorAll("img[loading=lazy], iframe[loading=lazy]")) e.loading = "eager";
	for (let n = 1; n <= windows && n * innerHeight < height && Date.now() < end; n++) {
		scrollTo({top: n * innerHeight, behavior: "instant"});
		await frame();
		await frame();
	}
	scrollTo({left: x, top: y, behavior: "instant"});
	await frame();
	await Promise.race([document.fonts.ready, new Promise(r => setTimeout(r, 2000))]);
	return 0;
})(30, 3000)`

// pending is a JavaScript expression for the number of images that are still loading.
const pending = `[...document.images].filter(e => !e.complete).length`

// captureFull takes a picture of the whole page, within the limits above. A quality of zero
// means PNG.
func (v *view) captureFull(ctx context.Context, quality int) (*render.Picture, error) {
	if _, err := evaluate[int](ctx, v, reveal, callTimeout); err != nil && isLost(err) {
		return nil, err // after other errors, the picture shows what is loaded
	}
	if err := v.calm(ctx); err != nil {
		return nil, err
	}
	if n, err := evaluate[int](ctx, v, pending, time.Second); err == nil && n > 0 {
		v.warn("%d images had not been loaded when the picture was taken", n)
	}
	m, err := call(ctx, v, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	clip := v.clip(m.CSSContentSize.Width, m.CSSContentSize.Height)
	step := tileHeight / (clip.Scale * v.density())
	if clip.Height <= 2*step {
		data, err := v.shoot(ctx, &clip, quality)
		if err != nil {
			return nil, err
		}
		return v.fit(&render.Picture{Type: pictureType(quality), Data: data})
	}
	var whole *image.RGBA
	for y := 0.0; y < clip.Height; y += step {
		part := clip
		part.Y, part.Height = y, min(step, clip.Height-y)
		data, err := v.shoot(ctx, &part, 0)
		if err != nil {
			return nil, err
		}
		if whole, err = join(whole, data, &clip, clip.Scale*v.density()); err != nil {
			return nil, err
		}
	}
	p, err := encode(whole, quality)
	if err != nil {
		return nil, err
	}
	return v.fit(p)
}

// clip returns the part of a page of a size in CSS pixels that can be in a picture, and
// its scale. It warns of what is left out.
func (v *view) clip(width, height float64) page.Viewport {
	clip := page.Viewport{Width: max(width, 1), Height: max(height, 1), Scale: 1}
	density := v.density()
	if density > 1 && clip.Height*density > maxHeight {
		clip.Scale, density = 1/density, 1
		v.warn("the picture has one pixel for each CSS pixel, because the page is high")
	}
	clip.Width = min(clip.Width, maxWidth/density)
	clip.Height = min(clip.Height, maxHeight/density, float64(int(maxPixels/(clip.Width*density)/density)))
	if width > clip.Width {
		v.warn("%.0f pixels at the right of the page are not in the picture, which may have %.0f", width-clip.Width, clip.Width)
	}
	if height > clip.Height {
		v.warn("%.0f pixels at the end of the page are not in the picture, which may have %.0f", height-clip.Height, clip.Height)
	}
	return clip
}

// join draws the next part of a page, a PNG, below the parts before. The first call has a
// nil whole. scale is the number of pixels for a CSS pixel.
func join(whole *image.RGBA, data []byte, clip *page.Viewport, scale float64) (*image.RGBA, error) {
	part, err := decodePNG(data)
	if err != nil {
		return nil, err
	}
	if whole == nil {
		whole = image.NewRGBA(image.Rect(0, 0, part.Bounds().Dx(), int(clip.Height*scale+0.5)))
		whole.Rect.Max.Y = 0 // the part that is drawn
	}
	top := whole.Rect.Max.Y
	whole.Rect.Max.Y = min(top+part.Bounds().Dy(), len(whole.Pix)/max(whole.Stride, 1))
	draw.Draw(whole, image.Rect(0, top, whole.Rect.Dx(), whole.Rect.Max.Y), part, part.Bounds().Min, draw.Src)
	return whole, nil
}

// decodePNG decodes a picture of the browser, if it does not have too many pixels.
func decodePNG(data []byte) (image.Image, error) {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the picture: %w", err)
	}
	if size.Width*size.Height > maxPixels+maxHeight+maxWidth { // its size may be rounded up
		return nil, fmt.Errorf("the picture: %w: %d x %d pixels", fetch.ErrTooLarge, size.Width, size.Height)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the picture: %w", err)
	}
	return whole, nil
}

// encode returns a picture of a quality, as in [render.Shot].
func encode(whole image.Image, quality int) (*render.Picture, error) {
	var b bytes.Buffer
	var err error
	if quality > 0 {
		err = jpeg.Encode(&b, whole, &jpeg.Options{Quality: min(quality, 100)})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, whole)
	}
	if err != nil {
		return nil, fmt.Errorf("the picture: %w", err)
	}
	return &render.Picture{Type: pictureType(quality), Data: b.Bytes()}, nil
}

// fit returns a picture that is not too large: a large PNG becomes a JPEG.
func (v *view) fit(p *render.Picture) (*render.Picture, error) {
	if len(p.Data) <= maxPicture || p.Type != "image/png" {
		return p, nil
	}
	whole, err := decodePNG(p.Data)
	if err != nil {
		return nil, err
	}
	v.warn("the picture is a JPEG, because as PNG it has %d bytes", len(p.Data))
	return encode(whole, fallback)
}
