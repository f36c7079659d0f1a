// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"fmt"

	"example.com/curlew/parse/internal/pdf/object"
)

// samples describes how the samples of an image are converted to gray: n
// components for each pixel, or one component that is an index into the
// palette.
type samples struct {
	n       int
	ink     bool   // 0 means no ink, as in Separation and DeviceN
	lab     bool   // the first component is the lightness
	palette []byte // gray values; nil if there is no palette
}

// luma returns the gray value of an RGB colour (ITU-R BT.601).
func luma(r, g, b int) byte {
	return byte((299*r + 587*g + 114*b) / 1000) //nolint:gosec // at most 255
}

// maxInks is the maximum number of components of a pixel.
const maxInks = 32

// gray returns the gray value of a pixel with up to four components.
func (s samples) gray(px [4]byte) byte {
	switch {
	case s.lab:
		return px[0]
	case s.n == 3:
		return luma(int(px[0]), int(px[1]), int(px[2]))
	case s.n == 4:
		k := 255 - int(px[3])
		return luma((255-int(px[0]))*k/255, (255-int(px[1]))*k/255, (255-int(px[2]))*k/255)
	case s.ink:
		return 255 - px[0]
	}
	return px[0]
}

// grays returns the gray value for each sample of an image with one
// component. depth is the number of bits of a sample, at most 8, and decode
// is the Decode array.
func (s samples) grays(decode []float64, depth int) (out [256]byte) {
	most := 1<<depth - 1
	for i := range most + 1 {
		switch {
		case s.palette == nil:
			out[i] = s.gray([4]byte{stretch(i, most, decode, 0)})
		case len(decode) >= 2:
			at := int(decode[0] + float64(i)*(decode[1]-decode[0])/float64(most))
			out[i] = s.color(at)
		default:
			out[i] = s.color(i)
		}
	}
	return out
}

// color returns the gray value of a palette entry, or white if there is no
// such entry.
func (s samples) color(i int) byte {
	if i < 0 || i >= len(s.palette) {
		return 255
	}
	return s.palette[i]
}

// stretch maps a sample from 0 to most to a byte. If there is a Decode
// array, it uses its k-th pair.
func stretch(v, most int, decode []float64, k int) byte {
	part := float64(v) / float64(most)
	if len(decode) >= 2*k+2 {
		part = decode[2*k] + part*(decode[2*k+1]-decode[2*k])
	}
	return byte(min(max(part, 0), 1)*255 + .5)
}

// unpack converts packed samples to gray values. Missing samples become
// white.
func unpack(data []byte, w, h, depth int, s samples, decode []float64) (*plane, error) {
	row := (w*s.n*depth + 7) / 8
	rows := min(h, len(data)/row)
	if rows == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrFilter)
	}
	p := &plane{w, h, make([]byte, w*h)}
	for i := rows * w; i < len(p.pix); i++ {
		p.pix[i] = 255
	}
	byteDepth := min(depth, 8) // of 16-bit samples only the upper byte is used
	var of [maxInks][256]byte
	if s.n == 1 {
		of[0] = s.grays(decode, byteDepth)
	} else {
		for k := range s.n {
			for i := range 1 << byteDepth {
				of[k][i] = stretch(i, 1<<byteDepth-1, decode, k)
			}
		}
	}
	for y := range rows {
		line := data[y*row : (y+1)*row]
		out := p.pix[y*w : (y+1)*w]
		for x := range out {
			switch {
			case s.n == 1:
				out[x] = of[0][sample(line, x, depth)]
			case s.ink:
				ink := 0
				for k := range s.n {
					ink = max(ink, int(of[k][sample(line, x*s.n+k, depth)]))
				}
				out[x] = byte(255 - ink)
			default:
				var px [4]byte
				for k := range s.n {
					px[k] = of[k][sample(line, x*s.n+k, depth)]
				}
				out[x] = s.gray(px)
			}
		}
	}
	return p, nil
}

// sample returns the i-th sample of a row; for 16-bit samples, the upper
// byte.
func sample(row []byte, i, depth int) byte {
	switch depth {
	case 8:
		return row[i]
	case 16:
		return row[2*i]
	}
	bit := i * depth
	return row[bit/8] >> (8 - depth - bit%8) & (1<<depth - 1)
}

// ranges returns the Decode array of an image, or nil if it has none.
func (d *decoder) ranges(s *object.Stream) []float64 {
	a := d.file.Array(s.Dict["Decode"])
	if len(a) > 2*maxInks {
		return nil
	}
	v, _ := d.file.Floats(a, len(a))
	return v
}

// colors reads a colour space.
func (d *decoder) colors(o object.Object, depth int) samples {
	switch v := d.file.Resolve(o).(type) {
	case object.Name:
		switch v {
		case "DeviceGray", "CalGray", "G":
			return samples{n: 1}
		case "DeviceRGB", "CalRGB", "RGB":
			return samples{n: 3}
		case "DeviceCMYK", "CMYK":
			return samples{n: 4}
		case "Lab":
			return samples{n: 3, lab: true}
		}
	case object.Array:
		if len(v) == 0 || depth > 4 {
			return samples{}
		}
		switch name := d.file.Name(v[0]); {
		case name == "ICCBased" && len(v) > 1:
			if n := d.file.Int(d.file.Dict(v[1])["N"], 0); n == 1 || n == 3 || n == 4 {
				return samples{n: n}
			}
		case name == "Separation":
			return samples{n: 1, ink: true}
		case name == "DeviceN" && len(v) > 1:
			if n := len(d.file.Array(v[1])); n > 0 && n <= maxInks {
				return samples{n: n, ink: true}
			}
		case (name == "Indexed" || name == "I") && len(v) > 3:
			return d.indexed(v, depth)
		default:
			return d.colors(name, depth+1)
		}
	}
	return samples{}
}

// indexed reads the palette of an Indexed colour space.
func (d *decoder) indexed(v object.Array, depth int) samples {
	base := d.colors(v[1], depth+1)
	if base.n == 0 || base.n > 4 || base.palette != nil {
		return samples{}
	}
	var table []byte
	switch t := d.file.Resolve(v[3]).(type) {
	case object.String:
		table = []byte(t)
	case *object.Stream:
		table, _ = d.file.Data(t) // of a damaged stream the first part may be enough
	}
	s := samples{n: 1, palette: []byte{}}
	for ; len(table) >= base.n && len(s.palette) < 256; table = table[base.n:] {
		var px [4]byte
		copy(px[:], table[:base.n])
		s.palette = append(s.palette, base.gray(px))
	}
	return s
}
