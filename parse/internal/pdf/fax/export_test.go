// SPDX-License-Identifier: Apache-2.0

package fax

import "strings"

// Code returns the code for a run length that has a code of its own.
func Code(n int, black bool) string {
	list := whiteCodes
	if black {
		list = blackCodes
	}
	all := strings.Fields(list + " " + longCodes)
	if n < 64 {
		return all[n]
	}
	return all[63+n/64]
}
