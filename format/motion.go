// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strconv"
	"strings"

	"example.com/curlew/format/brand"
)

// A poll counts how often each value occurs. If several occur most often, the
// first one wins.
type poll struct {
	counts map[string]int
	order  []string
}

// maxPolled limits the number of distinct values in a poll.
const maxPolled = 1000

func (p *poll) add(value string) {
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	if p.counts[value] == 0 {
		if len(p.order) == maxPolled {
			return
		}
		p.order = append(p.order, value)
	}
	p.counts[value]++
}

// winner returns the most frequent value, or an empty string.
func (p *poll) winner() string {
	best := ""
	for _, v := range p.order {
		if p.counts[v] > p.counts[best] {
			best = v
		}
	}
	return best
}

// motion reads the duration and easing of transitions and animations.
func (r *brandReader) motion(design *brand.Design) {
	var durations, easings poll
	for i := range r.sheet.rules {
		for _, d := range r.sheet.rules[i].declared {
			switch d.name {
			case "transition", "animation", "transition-duration", "animation-duration", "transition-timing-function", "animation-timing-function":
			default:
				continue
			}
			for _, one := range selectorsOf(d.value) {
				timed := false
				for part := range topParts(one) {
					if ms, ok := milliseconds(part); ok && !timed { // the second time is a delay
						timed = true
						if ms > 0 {
							durations.add(strconv.Itoa(ms) + "ms")
						}
					} else if isEasing(part) {
						easings.add(part)
					}
				}
			}
		}
	}
	design.Animations = brand.Animations{Duration: durations.winner(), Easing: easings.winner()}
}

// milliseconds parses a CSS time of up to a minute.
func milliseconds(s string) (int, bool) {
	number, ok := strings.CutSuffix(strings.ToLower(s), "s")
	if !ok {
		return 0, false
	}
	scale := 1000.
	if short, ok := strings.CutSuffix(number, "m"); ok {
		number, scale = short, 1
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || !(f >= 0 && f*scale <= 60_000) {
		return 0, false
	}
	return int(f*scale + .5), true
}

// isEasing reports whether s is an easing function (CSS Easing 1).
func isEasing(s string) bool {
	switch s {
	case "ease", "ease-in", "ease-out", "ease-in-out", "linear":
		return true
	}
	return strings.HasPrefix(s, "cubic-bezier(") || strings.HasPrefix(s, "steps(")
}

// Plausible widths of a page's content, in pixels.
const leastWidth, mostWidth = 480, 2400

// width reads the maximal width of the content.
func (r *brandReader) width(design *brand.Design) {
	var widths poll
	rem := r.root.size(1)
	for i := range r.sheet.rules {
		for _, d := range r.sheet.rules[i].declared {
			if d.name != "max-width" || strings.HasSuffix(d.value, "%") || strings.HasSuffix(d.value, "vw") {
				continue
			}
			value := d.value
			if r.body != nil {
				value = r.body.resolved(value, 0)
			}
			if f, ok := length(value, rem, rem); ok && f >= leastWidth && f <= mostWidth {
				widths.add(px(f))
			}
		}
	}
	design.Layout.MaxWidth = widths.winner()
}
