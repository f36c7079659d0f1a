// SPDX-License-Identifier: Apache-2.0

package raster

import "image"

// Stroke returns the mean width in pixels of the strokes of text in a part
// of an image, measured along the lines of text, and the number of strokes
// measured. Dark runs longer than most are ignored, because they are bars.
// sideways means that the lines of text run up or down.
func Stroke(m *image.Gray, part image.Rectangle, most int, sideways bool) (width float64, count int) {
	part = part.Intersect(m.Rect)
	outer, inner := part.Dy(), part.Dx()
	step, across := 1, m.Stride
	if sideways {
		outer, inner = inner, outer
		step, across = across, step
	}
	sum := 0
	origin := m.PixOffset(part.Min.X, part.Min.Y)
	for i := range outer {
		length := 0
		for k := range inner + 1 {
			if k < inner && m.Pix[origin+i*across+k*step] < dark {
				length++
				continue
			}
			if length > 0 && length <= most {
				sum += length
				count++
			}
			length = 0
		}
	}
	return float64(sum) / float64(max(count, 1)), count
}
