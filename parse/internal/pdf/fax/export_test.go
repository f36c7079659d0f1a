// SPDX-License-Identifier: Apache-2.0

package fax

import "strings"

// Code returns the code of a run, of those that have one.
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
