// SPDX-License-Identifier: Apache-2.0

// Package program runs programs that an operator has installed.
//
// It uses no shell and writes no file. A program is killed when its context
// ends. Its output and the number of concurrent processes are bounded.
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

// Runner runs programs for any number of callers. It must not be copied
// after the first run.
type Runner struct {
	once  sync.Once
	slots chan struct{} // one for each running process
}

// Command is one run of a program.
type Command struct {
	Path      string
	Args      []string
	Env       []string  // added to the environment of this process
	Input     io.Reader // standard input; nil is empty
	Output    int       // limit on the output in bytes; more is an error
	Processes int       // limit on the processes of the Runner at once; zero means GOMAXPROCS. Only the value of the first run counts
}

// complaint is the maximum number of bytes kept of a program's standard error.
const complaint = 4 << 10

// Run waits until a process may start and returns the output of the program.
// The error is the cause that ended ctx, or it says how the program failed
// and quotes the start of its standard error.
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

// bounded keeps up to most bytes of what is written to it.
type bounded struct {
	b    bytes.Buffer
	most int
	cut  bool // drop further bytes; otherwise they are an error
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
