// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"context"
	"errors"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestSteps checks that work ends soon after its context, with its cause, and
// not before.
func TestSteps(t *testing.T) {
	errOver := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	steps := dom.NewSteps(ctx)
	taken := 0
	err := func() (err error) {
		defer steps.Recover(&err)
		for ; taken < 1_000_000; taken++ {
			if taken == 100_000 {
				cancel(errOver)
			}
			steps.Take(1)
		}
		return nil
	}()
	if !errors.Is(err, errOver) || taken < 100_000 || taken > 110_000 {
		t.Errorf("%d steps, %v", taken, err)
	}
	var never dom.Steps
	for range 100_000 {
		never.Take(1)
	}
}

// TestStepsRecover checks that Recover lets other panics pass.
func TestStepsRecover(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outer, inner := dom.NewSteps(ctx), dom.NewSteps(ctx)
	for name, work := range map[string]func(){
		"others": func() { outer.Take(1 << 20) },
		"panic":  func() { panic("x") },
	} {
		var err error
		passed := func() (r any) {
			defer func() { r = recover() }()
			defer inner.Recover(&err)
			work()
			return nil
		}()
		if passed == nil || err != nil {
			t.Errorf("%s: %v passed, %v", name, passed, err)
		}
	}
}
