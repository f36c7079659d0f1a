// SPDX-License-Identifier: Apache-2.0

package dom

import "context"

// Steps counts the steps of a long computation on a page, and ends it with its
// context. The zero Steps never ends it. It is not safe for concurrent use.
//
// Such computations recurse and loop in many places, so they end by a panic
// that [Steps.Recover] turns into an error, like in package
// text/template/parse.
type Steps struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call
	left int
}

// stepsBetween is the number of steps between two checks of the context, which
// is well below a millisecond of work.
const stepsBetween = 2048

// NewSteps returns Steps that end with ctx.
func NewSteps(ctx context.Context) Steps { return Steps{ctx, stepsBetween} }

// Take counts n steps. A step should take about as long as visiting a node, at
// most about 100 ns. If the context has ended, Take panics.
func (s *Steps) Take(n int) {
	if s.left -= n; s.left < 0 {
		s.look()
	}
}

func (s *Steps) look() {
	s.left = stepsBetween
	if s.ctx != nil && s.ctx.Err() != nil {
		panic(ended{s})
	}
}

// ended is the panic value of Take.
type ended struct{ by *Steps }

// Recover must be deferred by the function that starts the computation. If Take
// has ended it, Recover sets err to the cause of the context. Other panics
// continue.
func (s *Steps) Recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case ended:
		if r.by != s {
			panic(r)
		}
		*err = context.Cause(s.ctx)
	default:
		panic(r)
	}
}
