// SPDX-License-Identifier: Apache-2.0

package jpx

import "context"

// Samples decodes all components without the n highest resolutions and
// returns the samples unchanged.
func Samples(ctx context.Context, data []byte, n int) (out [][]int32, sizes [][2]int, err error) {
	f := readBoxes(data)
	f.palette, f.channels, f.space = nil, nil, Other
	s, err := open(f.stream)
	if s == nil {
		return nil, nil, err
	}
	d := decoder{ctx: ctx, stream: s, file: f, steps: 1 << 30, options: Options{Pixels: 1 << 26, Colors: len(s.size.parts)}}
	if n > 0 {
		a := s.size.image.every(s.size.parts[0].dx, s.size.parts[0].dy).halved(n)
		d.options.Width, d.options.Height = a.w(), a.h()
	}
	if err := d.choose(); err != nil {
		return nil, nil, err
	}
	for _, p := range d.planes {
		d.deep = append(d.deep, make([]int32, len(p.Pix)))
		sizes = append(sizes, [2]int{p.W, p.H})
	}
	for _, parts := range s.tiles() {
		if e := d.tile(parts); err == nil {
			err = e
		}
	}
	return d.deep, sizes, err
}

// Step returns the exponent and the mantissa of a subband from a marker
// segment QCD.
func Step(data []byte, band int) (exponent, mantissa int) {
	var c coding
	c.readSteps(&reader{data: data})
	return c.step(band)
}

// Block decodes a code-block of 64 by 64 samples with 28 bit planes and
// returns the magnitudes in half units. Each pass is a segment, and only the
// first has data. raw sets the bypass style.
func Block(data []byte, raw bool) (out []uint32) {
	style := termall
	if raw {
		style |= bypass
	}
	spans := []span{{size: uint32(len(data)), passes: 1, first: true, next: 1}}
	for i := range int32(80) {
		spans = append(spans, span{passes: 1, first: true, next: i + 2})
	}
	spans[80].next = -1
	var t tier1
	t.open(64, 64, 0, style)
	t.decode(data, spans, 0, 28, style)
	for _, v := range t.data {
		out = append(out, v&(1<<31-1))
	}
	return out
}
