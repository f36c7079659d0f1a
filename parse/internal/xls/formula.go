// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"bytes"
	"strings"
)

// operands has the sizes of tokens that push one value, by their first byte
// without the class bits ([MS-XLS] 2.5.198).
var operands = map[byte]int{0x16: 1, 0x1D: 2, 0x1E: 3, 0x1F: 9, 0x23: 5, 0x24: 5, 0x2C: 5, 0x3A: 7}

// linked returns the target of a formula that is a HYPERLINK of a literal
// URL. The second argument may be a text, a number or a cell. It returns ""
// for other formulas and for places inside the workbook.
func linked(tokens []byte) string {
	const text, class, hyperlink = 0x17, 0x60, "\x67\x01" // function 359
	literal := func() (string, bool) {
		if len(tokens) < 3 || tokens[0] != text {
			return "", false
		}
		p := pieces{rest: tokens[1:]}
		s := p.unicode(nil, 1)
		tokens = p.rest
		return string(s), true
	}
	href, ok := literal()
	if !ok || strings.HasPrefix(href, "#") || !strings.Contains(href, ":") {
		return ""
	}
	count := byte(1)
	if len(tokens) > 0 && tokens[0]&^class != 0x02 {
		kind := tokens[0]
		if kind >= 0x20 {
			kind = kind&^class | 0x20
		}
		if size := operands[kind]; size > 0 {
			tokens = tokens[min(size, len(tokens)):]
		} else if _, ok := literal(); !ok {
			return ""
		}
		count++
	}
	if len(tokens) != 4 || tokens[0]&^class != 0x02 || tokens[1] != count || !bytes.HasSuffix(tokens, []byte(hyperlink)) {
		return ""
	}
	return href
}
