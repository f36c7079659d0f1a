// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"slices"

	"example.com/curlew/internal/pdf/content"
	"example.com/curlew/internal/pdf/object"
)

// Picture is the image of a page.
type Picture struct {
	MIME          string // image/png, image/jpeg, image/jp2 or image/tiff
	Data          []byte
	Width, Height int // pixels
	DPI           float64
	Languages     []string // of the document; may be empty
}

// Recognition is the text that a recognizer found.
type Recognition struct {
	Words      []Word
	Markdown   string  // where it knows no places; ignored where there are words
	Confidence float64 // 0..1; -1 where it was not measured
}

// Word is one recognised word.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // pixels from the top left
	Line           int     // words of one line have the same number
	Confidence     float64 // 0..1; -1 where it was not measured
}

// Recognizer finds text in a picture.
type Recognizer func(context.Context, Picture) (Recognition, error)

// maxPixels bounds a picture that is decoded.
const maxPixels = 100_000_000

// picture returns the one image that is the page p, and where it stands; false
// where there is none, or none that can be handed on without drawing it.
func (d *reader) picture(c *content.Page) (Picture, content.Box, bool) {
	var best *content.Image
	for i := range c.Images {
		im := &c.Images[i]
		if im.Stream != nil && (best == nil || im.Box.Area() > best.Box.Area()) {
			best = im
		}
	}
	if best == nil || best.Box.Area() < .5*c.Width*c.Height {
		return Picture{}, content.Box{}, false
	}
	dict := best.Stream.Dict
	w, h := d.file.Int(dict["Width"], 0), d.file.Int(dict["Height"], 0)
	if w <= 0 || h <= 0 || w > maxPixels/h {
		return Picture{}, content.Box{}, false
	}
	p := Picture{Width: w, Height: h, DPI: float64(w) * 72 / max(1, best.Box.Width())}
	if lang := d.doc.Meta.Language; lang != "" {
		p.Languages = []string{lang}
	}
	data, err := d.file.Data(best.Stream)
	if err != nil && len(data) == 0 {
		return Picture{}, content.Box{}, false
	}
	filters := d.file.Filters(best.Stream)
	last := object.Name("")
	if len(filters) > 0 {
		last = filters[len(filters)-1]
	}
	switch last {
	case "DCTDecode", "DCT":
		p.MIME, p.Data = "image/jpeg", data
	case "JPXDecode":
		p.MIME, p.Data = "image/jp2", data
	case "CCITTFaxDecode", "CCF":
		p.MIME, p.Data = "image/tiff", d.fax(dict, data, h)
	case "JBIG2Decode":
		return Picture{}, content.Box{}, false // nobody takes it alone
	default:
		if p.Data = d.bitmap(dict, data, w, h); p.Data == nil {
			return Picture{}, content.Box{}, false
		}
		p.MIME = "image/png"
	}
	return p, best.Box, true
}

// fax wraps CCITT data as a TIFF file of one strip (TIFF 6.0, section 11).
func (d *reader) fax(dict object.Dict, data []byte, h int) []byte {
	parms := d.file.Dict(dict["DecodeParms"])
	if a := d.file.Array(dict["DecodeParms"]); len(a) > 0 {
		parms = d.file.Dict(a[len(a)-1])
	}
	compression, options := uint32(3), uint32(0)
	switch k := d.file.Int(parms["K"], 0); {
	case k < 0:
		compression = 4
	case k > 0:
		options = 1
	}
	photometric := uint32(0) // zero is white
	if black, _ := d.file.Resolve(parms["BlackIs1"]).(bool); black {
		photometric = 1
	}
	w := d.file.Int(parms["Columns"], 1728)
	entries := [][3]uint32{ // tag, type (3 short, 4 long), value
		{256, 4, uint32(w)}, {257, 4, uint32(h)}, {258, 3, 1}, {259, 3, compression}, {262, 3, photometric}, //nolint:gosec // bounded above
		{273, 4, 0}, {277, 3, 1}, {278, 4, uint32(h)}, {279, 4, uint32(len(data))}, {292, 4, options}, //nolint:gosec // bounded above
	}
	at := uint32(8 + 2 + 12*len(entries) + 4) //nolint:gosec // ten entries
	b := []byte{'I', 'I', 42, 0, 8, 0, 0, 0}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries))) //nolint:gosec // ten
	for _, e := range entries {
		if e[0] == 273 {
			e[2] = at
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0])) //nolint:gosec // a tag
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1])) //nolint:gosec // a type
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	b = binary.LittleEndian.AppendUint32(b, 0)
	return append(b, data...)
}

// bitmap returns samples as PNG, nil where their colours are not known.
func (d *reader) bitmap(dict object.Dict, data []byte, w, h int) []byte {
	space := d.colors(dict["ColorSpace"], 0)
	depth := d.file.Int(dict["BitsPerComponent"], 8)
	if mask, _ := d.file.Resolve(dict["ImageMask"]).(bool); mask {
		space, depth = samples{n: 1}, 1
	}
	if space.n == 0 || !slices.Contains([]int{1, 2, 4, 8, 16}, depth) {
		return nil
	}
	row := (w*space.n*depth + 7) / 8
	if h > len(data)/max(1, row) {
		h = len(data) / max(1, row) // what came of it
	}
	if h == 0 {
		return nil
	}
	inverted := false
	if v, ok := d.file.Floats(dict["Decode"], 2); ok && space.palette == nil {
		inverted = v[0] > v[1]
	}
	img := image.NewGray(image.Rect(0, 0, w, h))
	var px [4]byte
	for y := range h {
		line := data[y*row : (y+1)*row]
		for x := range w {
			for k := range space.n {
				px[k] = sample(line, x*space.n+k, depth, space.palette == nil)
				if inverted {
					px[k] = 255 - px[k]
				}
			}
			img.SetGray(x, y, color.Gray{Y: space.gray(px)})
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil
	}
	return out.Bytes()
}

// sample returns the i-th sample of a row, scaled to a byte where it is a
// colour and as it is where it is an index.
func sample(row []byte, i, depth int, scaled bool) byte {
	switch depth {
	case 8:
		return row[i]
	case 16:
		return row[2*i]
	}
	bit := i * depth
	v := int(row[bit/8]) >> (8 - depth - bit%8) & (1<<depth - 1)
	if scaled {
		v = v * 255 / (1<<depth - 1)
	}
	return byte(v) //nolint:gosec // at most 255
}

// samples is how the colours of an image are read: n components, of an index
// into the palette.
type samples struct {
	n       int
	palette []byte // grays
}

// gray returns the brightness of a pixel.
func (s samples) gray(px [4]byte) byte {
	switch {
	case s.palette != nil:
		if int(px[0]) < len(s.palette) {
			return s.palette[px[0]]
		}
		return 255
	case s.n == 3:
		return byte((299*int(px[0]) + 587*int(px[1]) + 114*int(px[2])) / 1000) //nolint:gosec // at most 255
	case s.n == 4:
		c, m, y, k := 255-int(px[0]), 255-int(px[1]), 255-int(px[2]), 255-int(px[3])
		return byte((299*c*k + 587*m*k + 114*y*k) / 255000) //nolint:gosec // at most 255
	}
	return px[0]
}

// colors reads a colour space.
func (d *reader) colors(o object.Object, depth int) samples {
	switch v := d.file.Resolve(o).(type) {
	case object.Name:
		switch v {
		case "DeviceGray", "CalGray", "G":
			return samples{n: 1}
		case "DeviceRGB", "CalRGB", "RGB", "Lab":
			return samples{n: 3}
		case "DeviceCMYK", "CMYK":
			return samples{n: 4}
		}
	case object.Array:
		if len(v) == 0 || depth > 4 {
			return samples{}
		}
		switch name := d.file.Name(v[0]); {
		case name == "ICCBased" && len(v) > 1:
			return samples{n: min(max(d.file.Int(d.file.Dict(v[1])["N"], 0), 0), 4)}
		case (name == "Indexed" || name == "I") && len(v) > 3:
			base := d.colors(v[1], depth+1)
			var table []byte
			switch t := d.file.Resolve(v[3]).(type) {
			case object.String:
				table = []byte(t)
			case *object.Stream:
				table, _ = d.file.Data(t) // what a damaged stream gave may do
			}
			if base.n == 0 || base.palette != nil {
				return samples{}
			}
			s := samples{n: 1, palette: []byte{}}
			for ; len(table) >= base.n && len(s.palette) < 256; table = table[base.n:] {
				var px [4]byte
				copy(px[:], table[:base.n])
				s.palette = append(s.palette, base.gray(px))
			}
			return s
		default:
			return d.colors(name, depth+1)
		}
	}
	return samples{}
}
