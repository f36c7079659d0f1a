// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
)

// worn turns a grey picture in PGM by up to half a degree and adds noise and a
// lighter edge, as scanners do.
func worn(path string, r *rand.Rand) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var width, height, most int
	if _, err := fmt.Sscanf(string(data[:min(len(data), 40)]), "P5\n%d %d\n%d\n", &width, &height, &most); err != nil {
		return err
	}
	pixels := data[len(data)-width*height:]
	out := make([]byte, len(pixels))
	sin, cos := math.Sincos((r.Float64() - .5) * math.Pi / 180)
	for y := range height {
		for x := range width {
			dx, dy := float64(x-width/2), float64(y-height/2)
			sx, sy := int(dx*cos-dy*sin)+width/2, int(dx*sin+dy*cos)+height/2
			v := 245.0
			if sx >= 0 && sx < width && sy >= 0 && sy < height {
				v = 30 + .84*float64(pixels[sy*width+sx])
			}
			out[y*width+x] = byte(min(255, max(0, v+12*r.NormFloat64())))
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n%d %d\n255\n", width, height)
	b.Write(out)
	return os.WriteFile(path, b.Bytes(), 0o600)
}
