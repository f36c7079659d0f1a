// SPDX-License-Identifier: Apache-2.0

package dom

import "context"

// Steps counts the steps of one long piece of work on a page, and ends the
// work with its context. The zero Steps never ends. It is not safe for
// concurrent use.
//
// Work on trees recurses and loops in many places, so it ends by a panic that
// [Steps.Recover] turns into an error, as in package text/template/parse.
type Steps struct {
	ctx  context.Context //nolint:containedctx // it lives as long as a call
	left int
}

// stepsBetween is the number of steps stepsBetween two looks at the context: well below
// a millisecond of work.
const stepsBetween = 2048

// NewSteps returns Steps that end with ctx.
func NewSteps(ctx context.Context) Steps { return Steps{ctx, stepsBetween} }

// Take counts n steps. A step is what takes about as long as a look at a node,
// at most some 100 ns. It panics if the context has ended.
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

// ended is what Take panics with.
type ended struct{ by *Steps }

// Recover is to be deferred by the function that does the work. If Take of s
// ended it, Recover sets err to the cause of the context. It lets other panics
// pass.
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
