// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// rowColor is the color of the n-th row of the page of TestFullPage.
func rowColor(n int) color.RGBA {
	return color.RGBA{R: uint8(40 + n%10*20), G: uint8(40 + n/10%10*20), B: uint8(40 + n/100%10*20), A: 255}
}

// near reports whether two colors are the same, apart from the losses of a JPEG.
func near(a, b color.Color) bool {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	for _, d := range []int{int(ar>>8) - int(br>>8), int(ag>>8) - int(bg>>8), int(ab>>8) - int(bb>>8)} {
		if max(d, -d) > 8 {
			return false
		}
	}
	return true
}

// rows serves /N, a page of N rows of 100 pixels with a sticky header, a fixed box, and
// images at rows 90 and 120 that the page loads when they are visible.
func rows(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/lazy") {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="#00f"/></svg>`)
		return
	}
	n := 0
	_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, `<!DOCTYPE html><meta name=viewport content="width=device-width"><style>body{margin:0} .r{height:100px;position:relative} img{position:absolute;left:100px;top:0;width:50px;height:50px}
		.s{position:sticky;top:0;height:0;z-index:1} .s i{position:absolute;left:200px;top:0;width:50px;height:50px;background:#0f0} .f{position:fixed;z-index:1;left:300px;top:10px;width:50px;height:50px;background:#f00}</style>
		<div class=s><i></i></div><div class=f></div>`)
	for i := range n {
		c := rowColor(i)
		fmt.Fprintf(w, `<div class=r style="background:rgb(%d,%d,%d)">`, c.R, c.G, c.B)
		switch i {
		case 90:
			fmt.Fprint(w, `<img loading=lazy src=/lazy>`)
		case 120:
			fmt.Fprint(w, `<img data-src=/lazy2><script>new IntersectionObserver((all, o) => all.forEach(e => { if (e.isIntersecting) e.target.src = e.target.dataset.src })).observe(document.querySelector("[data-src]"))</script>`)
		}
		fmt.Fprint(w, `</div>`)
	}
}

// TestFullPage takes pictures of whole pages, some of which are larger than a picture may
// be. Every row must be in its place, and the header and the box must be there once.
func TestFullPage(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(rows))
	b := shared(t)
	for name, test := range map[string]struct {
		path          string
		request       render.Request
		width, height int
		scale         int
		warnings      []string
	}{
		"one piece":  {"/60", render.Request{Screenshot: &render.Shot{Full: true}}, 360, 6000, 1, nil},
		"tiles":      {"/130", render.Request{Screenshot: &render.Shot{Full: true, Viewport: render.Viewport{Width: 380, Height: 500}}}, 380, 13000, 1, nil},
		"cut":        {"/400", render.Request{Screenshot: &render.Shot{Full: true, Quality: 95}}, 360, 16384, 1, []string{"23616 pixels at the end"}},
		"phone":      {"/45", render.Request{Mobile: true, Screenshot: &render.Shot{Full: true}}, 720, 9000, 2, nil},
		"long phone": {"/180", render.Request{Mobile: true, Screenshot: &render.Shot{Full: true}}, 360, 16384, 1, []string{"one pixel for each CSS pixel", "1616 pixels at the end"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.URL, test.request.Viewport = at+test.path, render.Viewport{Width: 360, Height: 600}
			p := show(t, b, &test.request)
			decode := png.Decode
			if test.request.Screenshot.Quality > 0 {
				decode = jpeg.Decode
			}
			img, err := decode(bytes.NewReader(p.Screenshot.Data))
			if err != nil {
				t.Fatal(err)
			}
			if img.Bounds() != image.Rect(0, 0, test.width, test.height) {
				t.Fatalf("the picture has the size %v", img.Bounds().Size())
			}
			for y := range test.height {
				n := y / test.scale / 100
				if edge := y / test.scale % 100; edge < 2 || edge > 97 {
					continue // a JPEG blurs the edge
				}
				if got := img.At(20, y); !near(got, rowColor(n)) {
					t.Fatalf("line %d is %v, want row %d", y, got, n)
				}
				lazy := (n == 90 || n == 120) && y/test.scale%100 < 45
				if got := img.At(120*test.scale, y); lazy && !near(got, color.RGBA{B: 255, A: 255}) {
					t.Fatalf("line %d has no image, but %v", y, got)
				}
				for x, top := range map[int]int{220: 0, 320: 10} { // the header and the box
					at := y/test.scale - top
					if inside := at >= 2 && at < 48; inside == near(img.At(x*test.scale, y), rowColor(n)) && (at < -2 || at > 52 || inside) {
						t.Fatalf("line %d has %v at %d", y, img.At(x*test.scale, y), x)
					}
				}
			}
			if len(p.Warnings) != len(test.warnings) {
				t.Errorf("warnings: %q", p.Warnings)
			}
			for _, want := range test.warnings {
				if !slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
					t.Errorf("%q is not in the warnings %q", want, p.Warnings)
				}
			}
		})
	}
}

// TestClip checks how much of a page can be in a picture.
func TestClip(t *testing.T) {
	for name, test := range map[string]struct {
		page, picture [2]float64
		warnings      []string
	}{
		"small": {[2]float64{1280, 800}, [2]float64{1280, 800}, nil},
		"high":  {[2]float64{1280, 20_000}, [2]float64{1280, 16_384}, []string{"3616 pixels at the end of the page are not in the picture, which may have 16384"}},
		"wide": {
			[2]float64{9000, 13_000},
			[2]float64{7680, 5461},
			[]string{"1320 pixels at the right of the page are not in the picture, which may have 7680", "7539 pixels at the end of the page are not in the picture, which may have 5461"},
		},
		"empty": {[2]float64{}, [2]float64{1, 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			width, height, warnings := chrome.Clip(test.page[0], test.page[1])
			if width != test.picture[0] || height != test.picture[1] || !slices.Equal(warnings, test.warnings) {
				t.Errorf("got %v x %v, %q", width, height, warnings)
			}
		})
	}
}

// TestFit turns a large PNG into a JPEG, and refuses pictures with too many pixels.
func TestFit(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 20, 10))); err != nil {
		t.Fatal(err)
	}
	end := len(b.Bytes()) - 12 // of the last chunk, which has no content
	large := slices.Concat(b.Bytes()[:end], chunk("zzZz", make([]byte, 21<<20)), b.Bytes()[end:])
	p, warnings, err := chrome.Fit(large)
	if err != nil || p.Type != "image/jpeg" || len(p.Data) > 20<<20 || len(warnings) != 1 {
		t.Errorf("%v, %q", err, warnings)
	}
	if p, warnings, err := chrome.Fit(b.Bytes()); err != nil || p.Type != "image/png" || len(warnings) != 0 {
		t.Errorf("a small PNG: %+v, %v, %q", p, err, warnings)
	}
	header := b.Bytes()[12:29] // the type and the content of the first chunk
	binary.BigEndian.PutUint32(header[4:], 60<<20)
	binary.BigEndian.PutUint32(b.Bytes()[29:], crc32.ChecksumIEEE(header))
	if err := chrome.DecodePNG(b.Bytes()); !errors.Is(err, fetch.ErrTooLarge) {
		t.Errorf("a picture that says that it has billions of pixels: %v", err)
	}
	if err := chrome.DecodePNG([]byte("\x89PNG broken")); err == nil {
		t.Error("a broken picture was decoded")
	}
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = append(append(c, kind...), data...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}
