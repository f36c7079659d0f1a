// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Credits is an amount of money, in millionths of a credit.
type Credits int64

// Credit is one credit.
const Credit Credits = 1_000_000

// Unlimited switches a limit off.
const Unlimited = -1

// Whole returns c in whole credits, rounded up: what a bill shows. Ceilings are
// whole, so it never shows more than was allowed.
func (c Credits) Whole() int64 {
	if c <= 0 {
		return 0
	}
	return int64((c-1)/Credit) + 1
}

// String writes c in credits.
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

// Rates are prices. A zero field means the default; -1 means free.
type Rates struct {
	Page   Credits // one brought; zero means 1 credit
	Map    Credits // zero means 1 credit
	Search Credits // each started 10 hits; zero means 2 credits
	Scan   Credits // the most that one Admit may charge; zero means 2 credits

	// Per million tokens, times the rate of the profile: zero means 200, 50 and
	// 800 credits.
	Input, Cached, Output Credits
}

func (r Rates) withDefaults() Rates {
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

// Limits bound a run. -1 means none.
type Limits struct {
	Credits Credits       // zero means 2,500 credits; parts of a credit are cut off
	Tokens  int           // input and output; zero means none
	Pages   int           // brought; zero means 2,000
	Steps   int           // decide calls; zero means 60
	Wall    time.Duration // zero means 15 minutes
}

// within returns the limits of a run: those of a task, whose zeros are the
// engine's or the standard, and at most what the engine allows.
func (l Limits) within(e Limits) Limits {
	return Limits{
		Credits: limit(l.Credits, e.Credits, 2500*Credit),
		Tokens:  limit(l.Tokens, e.Tokens, Unlimited),
		Pages:   limit(l.Pages, e.Pages, 2000),
		Steps:   limit(l.Steps, e.Steps, 60),
		Wall:    limit(l.Wall, e.Wall, 15*time.Minute),
	}
}

func limit[N ~int | ~int64](task, engine, standard N) N {
	n := cmp.Or(task, engine, standard)
	if engine > 0 && (n == Unlimited || n > engine) {
		return engine
	}
	return n
}

// validate returns what is wrong with the limits of a task.
func (l Limits) validate() error {
	var faults []error
	if l.Credits < 0 && l.Credits != Unlimited || l.Credits > 0 && l.Credits < Credit {
		faults = append(faults, fmt.Errorf("a limit of %v credits", l.Credits))
	}
	if l.Tokens < Unlimited || l.Pages < Unlimited || l.Steps < Unlimited || l.Wall < Unlimited {
		faults = append(faults, errors.New("a limit is below -1"))
	}
	return errors.Join(faults...)
}
