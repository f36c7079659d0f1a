// SPDX-License-Identifier: Apache-2.0

// Package color reads and compares colours of CSS.
package color

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Color has red, green and blue from 0 to 255, and alpha from 0 (transparent) to 1.
type Color struct{ R, G, B, A float64 }

// Hex returns c as #RRGGBB.
func (c Color) Hex() string {
	return fmt.Sprintf("#%02X%02X%02X", int(c.R+.5), int(c.G+.5), int(c.B+.5))
}

// Over returns c blended with a background.
func (c Color) Over(ground Color) Color {
	mix := func(top, below float64) float64 { return top*c.A + below*(1-c.A) }
	return Color{mix(c.R, ground.R), mix(c.G, ground.G), mix(c.B, ground.B), 1}
}

// Luminance returns the relative luminance of c (WCAG 2.2).
func (c Color) Luminance() float64 {
	linear := func(v float64) float64 {
		if v /= 255; v <= .04045 {
			return v / 12.92
		}
		return math.Pow((v+.055)/1.055, 2.4)
	}
	return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
}

// Chroma returns the chroma of c, from 0 (grey) to 1.
func (c Color) Chroma() float64 {
	return (max(c.R, c.G, c.B) - min(c.R, c.G, c.B)) / 255
}

// Near reports whether two colours are hard to distinguish.
func (c Color) Near(d Color) bool {
	return math.Abs(c.R-d.R)+math.Abs(c.G-d.G)+math.Abs(c.B-d.B) < 24
}

// The colours of a page that sets none.
var (
	White = Color{255, 255, 255, 1}
	Black = Color{0, 0, 0, 1}
)

// named are the colour keywords of CSS Color 4, without those that are hardly
// used.
const named = " " +
	"black=000000 silver=c0c0c0 gray=808080 grey=808080 white=ffffff maroon=800000 red=ff0000 purple=800080 fuchsia=ff00ff " +
	"magenta=ff00ff green=008000 lime=00ff00 olive=808000 yellow=ffff00 navy=000080 blue=0000ff teal=008080 aqua=00ffff " +
	"cyan=00ffff orange=ffa500 aliceblue=f0f8ff beige=f5f5dc brown=a52a2a chocolate=d2691e coral=ff7f50 crimson=dc143c " +
	"darkblue=00008b darkgray=a9a9a9 darkgrey=a9a9a9 darkgreen=006400 darkorange=ff8c00 darkred=8b0000 dodgerblue=1e90ff " +
	"firebrick=b22222 forestgreen=228b22 gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700 goldenrod=daa520 hotpink=ff69b4 " +
	"indianred=cd5c5c indigo=4b0082 ivory=fffff0 khaki=f0e68c lavender=e6e6fa lightblue=add8e6 lightgray=d3d3d3 " +
	"lightgrey=d3d3d3 lightgreen=90ee90 limegreen=32cd32 linen=faf0e6 mediumblue=0000cd midnightblue=191970 orangered=ff4500 " +
	"orchid=da70d6 pink=ffc0cb plum=dda0dd rebeccapurple=663399 royalblue=4169e1 salmon=fa8072 seagreen=2e8b57 sienna=a0522d " +
	"skyblue=87ceeb slateblue=6a5acd slategray=708090 slategrey=708090 snow=fffafa steelblue=4682b4 tan=d2b48c tomato=ff6347 " +
	"turquoise=40e0d0 violet=ee82ee whitesmoke=f5f5f5 "

// Read reads a CSS colour: hexadecimal, rgb(), hsl(), a keyword.
func Read(s string) (Color, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		return readHex(digits)
	}
	if i := strings.Index(named, " "+s+"="); i >= 0 && s != "" && !strings.ContainsAny(s, "= ") {
		i += len(s) + 2
		return readHex(named[i : i+6])
	}
	name, rest, ok := strings.Cut(s, "(")
	rest, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return Color{}, false
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(parts) != 3 && len(parts) != 4 {
		return Color{}, false
	}
	var v [4]float64
	v[3] = 1
	for i, p := range parts {
		number, percent := strings.CutSuffix(p, "%")
		f, err := strconv.ParseFloat(strings.TrimSuffix(number, "deg"), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return Color{}, false
		}
		switch {
		case i == 3 && percent:
			f /= 100
		case percent && strings.HasPrefix(name, "rgb"):
			f *= 2.55
		}
		v[i] = f
	}
	v[3] = clamped(v[3], 1)
	switch name {
	case "rgb", "rgba":
		return Color{clamped(v[0], 255), clamped(v[1], 255), clamped(v[2], 255), v[3]}, true
	case "hsl", "hsla":
		c := fromHSL(v[0], clamped(v[1], 100)/100, clamped(v[2], 100)/100)
		c.A = v[3]
		return c, true
	}
	return Color{}, false
}

func clamped(v, most float64) float64 { return min(max(v, 0), most) }

func readHex(s string) (Color, bool) {
	if len(s) == 3 || len(s) == 4 {
		var long strings.Builder
		for i := range len(s) {
			long.WriteByte(s[i])
			long.WriteByte(s[i])
		}
		s = long.String()
	}
	if len(s) == 6 {
		s += "ff"
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return Color{}, false
	}
	return Color{float64(n >> 24), float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n&255) / 255}, true
}

// fromHSL converts hue in degrees, saturation and lightness: CSS Color 4, 7.1.
func fromHSL(h, s, l float64) Color {
	h = math.Mod(math.Mod(h, 360)+360, 360)
	f := func(n float64) float64 {
		k := math.Mod(n+h/30, 12)
		return 255 * (l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1)))
	}
	return Color{f(0), f(8), f(4), 1}
}
