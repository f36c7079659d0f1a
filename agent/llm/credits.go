// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"fmt"
)

// Credits is an amount of money, in millionths of a credit.
type Credits int64

// Credit is one credit.
const Credit Credits = 1_000_000

// Whole returns c in whole credits, rounded up, as a bill shows it. The ceiling of
// a run is whole, so a bill never shows more than the ceiling.
func (c Credits) Whole() int64 {
	if c <= 0 {
		return 0
	}
	return int64((c-1)/Credit) + 1
}

// String returns c as a number of credits.
func (c Credits) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	if c%Credit == 0 {
		return fmt.Sprintf("%s%d", sign, int64(c/Credit))
	}
	return fmt.Sprintf("%s%d.%06d", sign, int64(c/Credit), int64(c%Credit))
}

// Rates are prices. A zero field means the default price, and -1 means that nothing is
// charged.
type Rates struct {
	Page   Credits // for one page; zero means 1 credit
	Map    Credits // for one map; zero means 1 credit
	Search Credits // for up to 10 hits; zero means 2 credits
	Scan   Credits // the most that one Admit may charge; zero means 2 credits

	// Prices of a million tokens, before the factor Rate of the profile. Zero means
	// 200, 50 and 800 credits.
	Input, Cached, Output Credits
}

// WithDefaults returns r with the default price in each zero field.
func (r Rates) WithDefaults() Rates {
	set := func(p *Credits, standard Credits) {
		if *p = cmp.Or(*p, standard); *p < 0 {
			*p = 0
		}
	}
	set(&r.Page, Credit)
	set(&r.Map, Credit)
	set(&r.Search, 2*Credit)
	set(&r.Scan, 2*Credit)
	set(&r.Input, 200*Credit)
	set(&r.Cached, 50*Credit)
	set(&r.Output, 800*Credit)
	return r
}
