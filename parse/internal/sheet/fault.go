// SPDX-License-Identifier: Apache-2.0

package sheet

import "strconv"

// ErrorText returns the text of a cell error code ([MS-XLS] 2.5.10,
// [MS-XLSB] 2.5.98.2).
func ErrorText(code byte) string {
	switch code {
	case 0x00:
		return "#NULL!"
	case 0x07:
		return "#DIV/0!"
	case 0x0F:
		return "#VALUE!"
	case 0x17:
		return "#REF!"
	case 0x1D:
		return "#NAME?"
	case 0x24:
		return "#NUM!"
	case 0x2A:
		return "#N/A"
	case 0x2B:
		return "#GETTING_DATA"
	}
	return "#ERR" + strconv.Itoa(int(code))
}
