// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

// The tags of TIFF 6.0 that are read.
const (
	tagWidth, tagHeight           = 256, 257
	tagBits, tagCompression       = 258, 259
	tagPhotometric, tagFillOrder  = 262, 266
	tagOffsets, tagOrientation    = 273, 274
	tagSamples, tagRows, tagSizes = 277, 278, 279
	tagResolution, tagPlanar      = 282, 284
	tagT4, tagUnit                = 292, 296
	tagPredictor, tagColours      = 317, 320
	tagTileW, tagTileH            = 322, 323
	tagTileOffsets, tagTileSizes  = 324, 325
	tagExtra, tagTables           = 338, 347
)

const (
	maxDirectories = 10_000
	maxValues      = 1 << 20 // of one tag
)

// tiff is a TIFF file or EXIF data.
type tiff struct {
	data  []byte
	order binary.ByteOrder
}

func newTIFF(data []byte) (*tiff, error) {
	switch {
	case bytes.HasPrefix(data, []byte("II*\x00")):
		return &tiff{data, binary.LittleEndian}, nil
	case bytes.HasPrefix(data, []byte("MM\x00*")):
		return &tiff{data, binary.BigEndian}, nil
	}
	return nil, fmt.Errorf("%w: no TIFF", ErrCorrupt)
}

// directory has the tags of one page.
type directory map[int][]int

// int returns the first value of a tag, or otherwise if there is none.
func (d directory) int(tag, otherwise int) int {
	if v := d[tag]; len(v) > 0 {
		return v[0]
	}
	return otherwise
}

func (t *tiff) u16(at int) int { return int(t.order.Uint16(bytesAt(t.data).take(at, 2))) }
func (t *tiff) u32(at int) int { return int(t.order.Uint32(bytesAt(t.data).take(at, 4))) }

// directories reads the first directories, at most most.
func (t *tiff) directories(most int) []directory {
	var out []directory
	seen := map[int]bool{}
	values := maxValues // for all tags, because they may share bytes
	for at := t.u32(4); at > 0 && at < len(t.data)-1 && !seen[at] && len(out) < most; {
		seen[at] = true
		d := directory{}
		n := t.u16(at)
		for i := range n {
			entry := at + 2 + 12*i
			if entry+12 > len(t.data) {
				break
			}
			v := t.values(entry, values)
			values -= len(v)
			d[t.u16(entry)] = v
		}
		out = append(out, d)
		at = t.u32(at + 2 + 12*n)
	}
	return out
}

// values reads the values of an entry. A fraction gives its numerator and
// its denominator.
func (t *tiff) values(entry, most int) []int {
	kind, n := t.u16(entry+2), t.u32(entry+4)
	size := map[int]int{1: 1, 3: 2, 4: 4, 5: 8, 7: 1}[kind]
	if size == 0 || n > most || n > len(t.data)/size {
		return nil
	}
	at := entry + 8
	if n*size > 4 {
		at = t.u32(at)
	}
	if at > len(t.data)-n*size {
		return nil
	}
	out := make([]int, 0, n)
	for i := range n {
		switch size {
		case 1:
			out = append(out, int(t.data[at+i]))
		case 2:
			out = append(out, t.u16(at+2*i))
		case 4:
			out = append(out, t.u32(at+4*i))
		default:
			out = append(out, t.u32(at+8*i), t.u32(at+8*i+4))
		}
	}
	return out
}

// openTIFF reads the pages of a TIFF file. It does not leave out thumbnails.
func openTIFF(data []byte) (*File, error) {
	t, err := newTIFF(data)
	if err != nil {
		return nil, err
	}
	all := t.directories(maxDirectories)
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no pages", ErrCorrupt)
	}
	for _, d := range all {
		if err := check(d.int(tagWidth, 0), d.int(tagHeight, 0), maxPixels); err != nil {
			return nil, err
		}
	}
	return &File{Pages: len(all), page: func(ctx context.Context, i int) (Page, error) { return t.page(ctx, all[i]) }}, nil
}

// page draws one page. Its strips or tiles are drawn as images side by side.
func (t *tiff) page(ctx context.Context, d directory) (Page, error) {
	w, h := d.int(tagWidth, 0), d.int(tagHeight, 0)
	dict, err := t.dict(d)
	if err != nil {
		return Page{}, err
	}
	pw, ph := w, min(d.int(tagRows, h), h)
	offsets, sizes := d[tagOffsets], d[tagSizes]
	if len(d[tagTileOffsets]) > 0 {
		pw, ph, offsets, sizes = d.int(tagTileW, 0), d.int(tagTileH, 0), d[tagTileOffsets], d[tagTileSizes]
	}
	if pw <= 0 || ph <= 0 {
		return Page{}, fmt.Errorf("%w: no strips", ErrCorrupt)
	}
	across := (w + pw - 1) / pw
	turn := d.int(tagOrientation, 1)
	var parts []content.Image
	for i := range min(len(offsets), len(sizes)) {
		x, y := i%across*pw, i/across*ph
		if y >= h {
			break
		}
		rows := ph
		if across == 1 {
			rows = min(ph, h-y) // the last strip is shorter; tiles are not
		}
		parts = append(parts, content.Image{
			Matrix: oriented(turn, float64(x), float64(y), float64(pw), float64(rows), float64(w), float64(h)),
			Stream: object.NewStream(dict(pw, rows), t.part(d, offsets[i], sizes[i])),
		})
	}
	dpi := 0.0
	if v := d[tagResolution]; len(v) == 2 && v[1] > 0 {
		dpi = float64(v[0]) / float64(v[1])
		if d.int(tagUnit, 2) == 3 {
			dpi *= centi
		}
	}
	return drawn(ctx, parts, turn, float64(w), float64(h), dpi)
}

// part returns the bytes of a strip or tile.
func (t *tiff) part(d directory, at, size int) []byte {
	if at < 0 || at > len(t.data) {
		return nil
	}
	data := t.data[at : at+min(size, len(t.data)-at)]
	if tables := d[tagTables]; len(tables) > 4 && d.int(tagCompression, 1) == 7 && len(data) > 2 {
		joined := make([]byte, 0, len(tables)+len(data))
		for _, v := range tables[:len(tables)-2] { // without the end marker
			joined = append(joined, byte(v)) //nolint:gosec // a byte
		}
		return append(joined, data[2:]...) // without the start marker
	}
	if d.int(tagFillOrder, 1) == 2 {
		turned := make([]byte, len(data))
		for i, v := range data {
			turned[i] = bits.Reverse8(v)
		}
		return turned
	}
	return data
}

// dict returns a function that makes the image dictionary of a PDF for parts
// of the page with a size in pixels. TIFF and PDF share the same encodings
// and colour spaces.
func (t *tiff) dict(d directory) (func(w, h int) object.Dict, error) {
	depth, samples := d.int(tagBits, 1), d.int(tagSamples, 1)
	out := object.Dict{"BitsPerComponent": depth}
	parms := object.Dict{}
	if p := d.int(tagPredictor, 1); p == 2 {
		parms["Predictor"], parms["Colors"], parms["BitsPerComponent"] = 2, samples, depth
	}
	compression, photometric := d.int(tagCompression, 1), d.int(tagPhotometric, 0)
	switch compression {
	case 1:
	case 2:
		out["Filter"] = object.Name("CCITTFaxDecode")
		parms["EncodedByteAlign"], parms["BlackIs1"] = true, true
	case 3:
		out["Filter"] = object.Name("CCITTFaxDecode")
		parms["K"], parms["BlackIs1"], parms["EndOfLine"] = d.int(tagT4, 0)&1, true, true
	case 4:
		out["Filter"] = object.Name("CCITTFaxDecode")
		parms["K"], parms["BlackIs1"] = -1, true
	case 5:
		out["Filter"] = object.Name("LZWDecode")
	case 7:
		out["Filter"] = object.Name("DCTDecode")
	case 8, 32946:
		out["Filter"] = object.Name("FlateDecode")
	case 32773:
		out["Filter"] = object.Name("RunLengthDecode")
	default:
		return nil, fmt.Errorf("%w: compression %d", ErrCorrupt, compression)
	}
	switch {
	case d.int(tagPlanar, 1) != 1 || len(d[tagExtra]) > 0 || depth == 16 && t.order == binary.LittleEndian:
		return nil, fmt.Errorf("%w: invalid samples", ErrCorrupt)
	case photometric == 0 && samples == 1:
		out["ColorSpace"], out["Decode"] = object.Name("DeviceGray"), object.Array{1, 0}
	case photometric == 1 && samples == 1:
		out["ColorSpace"], out["Decode"] = object.Name("DeviceGray"), object.Array{0, 1}
	case photometric == 3 && samples == 1 && depth <= 8:
		out["ColorSpace"] = object.Array{object.Name("Indexed"), object.Name("DeviceRGB"), 255, palette(d[tagColours])}
	case (photometric == 2 || photometric == 6 && compression == 7) && samples == 3:
		out["ColorSpace"], out["Decode"] = object.Name("DeviceRGB"), object.Array{0, 1, 0, 1, 0, 1}
	case photometric == 5 && samples == 4:
		out["ColorSpace"] = object.Name("DeviceCMYK")
	default:
		return nil, fmt.Errorf("%w: photometric interpretation %d with %d samples a pixel", ErrCorrupt, photometric, samples)
	}
	return func(w, h int) object.Dict {
		p := object.Dict{"Columns": w}
		maps.Copy(p, parms)
		e := object.Dict{"Width": w, "Height": h, "DecodeParms": p}
		maps.Copy(e, out)
		return e
	}, nil
}

// palette converts a TIFF colour map, with 16-bit values and all reds first,
// to a PDF lookup table.
func palette(v []int) object.String {
	n := len(v) / 3
	out := make([]byte, 0, len(v))
	for i := range n {
		out = append(out, byte(v[i]>>8), byte(v[n+i]>>8), byte(v[2*n+i]>>8)) //nolint:gosec // of 16 bits
	}
	return object.String(out)
}
