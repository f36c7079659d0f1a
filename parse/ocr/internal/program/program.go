// SPDX-License-Identifier: Apache-2.0

// Package program runs programs that an operator has installed: input ->
// output.
//
// No shell is involved and no file is written. A program dies with its
// context, what it says is bounded, and no more than a set number run at once.
package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Runner runs a program for any number of callers. It is not copied after its
// first run.
type Runner struct {
	once  sync.Once
	slots chan struct{} // one for each that runs
}

// Command is one run.
type Command struct {
	Path      string
	Args      []string
	Env       []string  // added to the environment
	Input     io.Reader // nil is empty
	Output    int       // bytes of output; more is an error
	Processes int       // that run at once, of all the runner's; zero means GOMAXPROCS; the first run's counts
}

// complaint is how much is kept of what a program says of its failure, in
// bytes.
const complaint = 4 << 10

// Run waits for its turn and returns what the program wrote. The error is the
// cause that ended ctx, or says how the program failed, with the beginning of
// what it said.
func (r *Runner) Run(ctx context.Context, c Command) ([]byte, error) {
	r.once.Do(func() { r.slots = make(chan struct{}, max(1, cmp.Or(c.Processes, runtime.GOMAXPROCS(0)))) })
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...) // #nosec G204 -- the operator's program
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdin = c.Input
	out := bounded{most: c.Output}
	said := bounded{most: complaint, cut: true}
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %.200s", err, strings.TrimSpace(strings.ToValidUTF8(said.b.String(), "?")))
	}
	return out.b.Bytes(), nil
}

// bounded keeps what is written to it.
type bounded struct {
	b    bytes.Buffer
	most int
	cut  bool // what is more is dropped, not an error
}

var errLong = errors.New("too much output")

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.b.Len(); len(p) > room {
		if !b.cut {
			return 0, errLong
		}
		b.b.Write(p[:max(0, room)])
		return len(p), nil
	}
	return b.b.Write(p)
}
