// SPDX-License-Identifier: Apache-2.0

package format

import "example.com/curlew/format/internal/pii"

// ShownPrice and MachinePrice parse one price each.
var (
	ShownPrice   = shownPrice
	MachinePrice = machinePrice
)

// FailRedaction makes a search for personal data panic if fail returns true for
// the number of the search.
func FailRedaction(e *Engine, fail func(n int) bool) {
	n := 0
	e.find = func(f *pii.Finder, s string, url bool) []pii.Span {
		if n++; fail(n) {
			panic("no search")
		}
		return find(f, s, url)
	}
}

// LossTexts returns the warnings about lists and tables that were left out.
var LossTexts = lossTexts
