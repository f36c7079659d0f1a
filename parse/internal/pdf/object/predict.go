// SPDX-License-Identifier: Apache-2.0

package object

// maxRow bounds a row, in bytes. The context is checked between rows.
const maxRow = 1 << 24

// unpredict reverses a predictor in place and returns the resulting part of
// data. It supports the TIFF predictor for 8 bits and the PNG predictors for
// all depths. If rows have an absurd length, it returns data unchanged.
func (g *gauge) unpredict(data []byte, p parms) []byte {
	if p.predictor < 2 || p.colors < 1 || p.bits < 1 || p.columns < 1 ||
		p.colors > 64 || p.bits > 32 || p.columns > 1<<26 {
		return data
	}
	step := max(1, p.colors*p.bits/8)
	row := (p.colors*p.bits*p.columns + 7) / 8
	if row > maxRow {
		return data
	}
	if p.predictor == 2 {
		if p.bits != 8 {
			return data
		}
		for rest := data; len(rest) >= row && !g.over(row); rest = rest[row:] {
			for i := step; i < row; i++ {
				rest[i] += rest[i-step]
			}
		}
		return data
	}
	return g.unpng(data, row, step)
}

// unpng reverses the PNG filters (RFC 2083, 6). Each row begins with the
// number of its filter. An incomplete last row is kept.
func (g *gauge) unpng(data []byte, row, step int) []byte {
	out := data[:0]
	above := make([]byte, min(row, len(data)))
	for len(data) > 1 && !g.over(row) {
		kind, line := data[0], data[1:min(len(data), row+1)]
		data = data[len(line)+1:]
		for i := range line {
			var left, upleft byte
			if i >= step {
				left, upleft = line[i-step], above[i-step]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2) //nolint:gosec // a mean of bytes
			case 4:
				line[i] += paeth(left, above[i], upleft)
			}
		}
		copy(above, line)
		out = append(out, line...)
	}
	return out
}

// paeth is the predictor of PNG filter 4.
func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
