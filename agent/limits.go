// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/agent/llm"
)

// Credits is an amount of money, in millionths of a credit.
type Credits = llm.Credits

// Unlimited switches a limit off.
const Unlimited = -1

// Limits bound a run. -1 means none.
type Limits struct {
	Credits Credits       // zero means 2,500 credits; parts of a credit are cut off
	Tokens  int           // input and output; zero means none
	Pages   int           // fetched; zero means 2,000
	Steps   int           // decide calls; zero means 60
	Wall    time.Duration // zero means 15 minutes
}

// within returns the limits of a run: those of a task, whose zeros are the
// engine's or the standard, and at most what the engine allows.
func (l Limits) within(e Limits) Limits {
	return Limits{
		Credits: limit(l.Credits, e.Credits, 2500*llm.Credit),
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
	if l.Credits < 0 && l.Credits != Unlimited || l.Credits > 0 && l.Credits < llm.Credit {
		faults = append(faults, fmt.Errorf("a limit of %v credits", l.Credits))
	}
	if l.Tokens < Unlimited || l.Pages < Unlimited || l.Steps < Unlimited || l.Wall < Unlimited {
		faults = append(faults, errors.New("a limit is below -1"))
	}
	return errors.Join(faults...)
}
