// SPDX-License-Identifier: Apache-2.0

package value

import "regexp"

// between matches what stands between the two ends of a range: "£120 - £150", "2-3", "10 kg - 12 kg".
var between = regexp.MustCompile(`^ ?(?:[$€£¥]|\pL{1,4})? ?- ?[$€£¥]?$`)

// Range returns the other end of the range in a normal text of which v is one end. If the text also
// states v by itself, or has no such range, it returns false. Years, and numbers with more dashes, such
// as those of telephones, are no ranges.
func Range(s string, v float64) (other float64, ok bool) {
	all := Numerals(s)
	inside := map[int]bool{} // numbers of the numerals that are ends
	for i := 0; i+1 < len(all); i++ {
		a, b := all[i], all[i+1]
		if b.at < a.End || !between.MatchString(s[a.End:b.at]) || dashed(s, a.at-1) || dashed(s, b.End) {
			continue
		}
		low, _ := a.Value(MarksPoint, false)
		high, _ := b.Value(MarksPoint, false)
		if low >= high || isYear(low) && isYear(high) {
			continue
		}
		inside[i], inside[i+1] = true, true
		switch {
		case Same(low, v):
			other, ok = high, true
		case Same(high, v):
			other, ok = low, true
		}
	}
	for i, n := range all {
		if x, _ := n.Value(MarksPoint, false); ok && !inside[i] && Same(x, v) {
			return 0, false
		}
	}
	return other, ok
}

// dashed reports whether a text has a dash, or a mark of a date or a time, at i.
func dashed(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '-' || s[i] == '/' || s[i] == ':')
}

func isYear(v float64) bool { return v >= 1800 && v < 2200 }
