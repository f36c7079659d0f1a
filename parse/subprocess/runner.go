// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew/parse"
)

// Unlimited switches a bound of a [Runner] off.
const Unlimited = -1

// Runner is a parse.Isolator. The zero value is ready to use. It is safe for
// concurrent use and must not be changed or copied after first use.
type Runner struct {
	Memory    int64         // bytes that a child may use beyond the document and the program itself; zero means 1 GiB
	CPU       time.Duration // CPU time of a child, rounded up to whole seconds; zero means 60 s
	Processes int           // children that run at once; zero means GOMAXPROCS. Further calls wait

	program string // set by tests: the program to start in place of this one
	once    sync.Once
	slots   chan struct{} // one for each running child
}

// The reasons why a child could not read a document. If a bound of [Runner]
// is exceeded, the error wraps [parse.ErrLimit]. If the child crashes or
// sends invalid data, the error wraps [parse.ErrCorrupt] and [ErrProcess].
var (
	ErrPlatform = errors.New("child processes are not supported on this system")
	ErrMain     = errors.New("subprocess.Main is not called at the start of the program")
	ErrStart    = errors.New("reading process cannot be started")
	ErrProcess  = errors.New("reading process ended without an answer")
)

var (
	errMemory = errors.New("reading needs more memory than the child process may use")
	errCPU    = errors.New("reading needs more CPU time than the child process may use")
)

// startIn is how long a child may take to report that it has started.
const startIn = 30 * time.Second

// endIn is how long a child may take to exit after it has closed its pipe.
const endIn = 5 * time.Second

// said is the maximum number of bytes kept of a child's standard error.
const said = 16 << 10

// Parse reads src in a child process with the settings of e. Errors are of
// type [*parse.Error]. They wrap the same causes as the errors of e, or an
// error of this package.
func (r *Runner) Parse(ctx context.Context, e *parse.Engine, src parse.Source, how *parse.Options) (*parse.Tree, error) {
	var o parse.Options
	if how != nil {
		o = *how
	}
	tree, err := r.parse(ctx, e, src, o)
	if err == nil {
		return tree, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause // not the error of a process that was killed because ctx ended
	}
	if e, ok := errors.AsType[*parse.Error](err); ok {
		return nil, e
	}
	return nil, &parse.Error{Name: src.Name, Kind: o.Kind, Err: err}
}

func (r *Runner) parse(ctx context.Context, e *parse.Engine, src parse.Source, o parse.Options) (tree *parse.Tree, err error) {
	if !supported {
		return nil, fmt.Errorf("%w: %s", ErrPlatform, runtime.GOOS)
	}
	if !called.Load() {
		return nil, ErrMain // without Main the child would run as a second host
	}
	r.once.Do(func() { r.slots = make(chan struct{}, max(1, cmp.Or(r.Processes, runtime.GOMAXPROCS(0)))) })
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	p, err := r.start(ctx, src.Size)
	if err != nil {
		stop()
		return nil, err
	}
	defer func() {
		// Kill the child and everything that it has started. If it has
		// closed its pipe, let it exit by itself first, because its exit
		// status gives the reason.
		kill := time.AfterFunc(endIn, stop)
		if !errors.Is(err, errGone) {
			stop()
		}
		err = p.end(err, r.cpu())
		kill.Stop()
		stop()
		if text := p.said.String(); text != "" && e.Logger != nil {
			e.Logger.WarnContext(ctx, "reading process wrote to standard error", "name", src.Name, "text", text)
		}
	}()
	return p.read(ctx, e, src, o)
}

func (r *Runner) memory() int64 { return cmp.Or(r.Memory, 1<<30) }

// cpu returns the bound in seconds, or Unlimited.
func (r *Runner) cpu() int64 {
	if r.CPU < 0 {
		return Unlimited
	}
	d := cmp.Or(r.CPU, time.Minute)
	return int64((d + time.Second - 1) / time.Second)
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	said   bounded
	memory int64 // bytes that the result may take; a child could not have held more
}

// start starts a child that is killed when ctx ends.
func (r *Runner) start(ctx context.Context, size int64) (*process, error) {
	path, err := r.program, error(nil)
	if path == "" {
		path, err = self()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	p := &process{memory: r.memory(), said: bounded{most: said}}
	if p.memory < 0 {
		p.memory = 1 << 62
	}
	cmd := exec.CommandContext(ctx, path) // #nosec G204 -- this program
	cmd.Args = []string{childName, strconv.FormatInt(r.memory(), 10), strconv.FormatInt(r.cpu(), 10), strconv.FormatInt(max(0, size), 10)}
	cmd.Env = []string{} // the environment of the host may contain keys
	cmd.WaitDelay = time.Second
	cmd.Stderr = &p.said
	own(cmd)
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	out, answers, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	cmd.ExtraFiles = []*os.File{answers}
	err = cmd.Start()
	_ = answers.Close() // the child has its own copy
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	p.cmd, p.out = cmd, out
	return p, nil
}

// errGone means that the child closed a pipe. Its exit status gives the
// reason.
var errGone = errors.New("the process has ended")

// read sends the document and returns the result.
func (p *process) read(ctx context.Context, e *parse.Engine, src parse.Source, o parse.Options) (*parse.Tree, error) {
	defer context.AfterFunc(ctx, func() { _ = p.out.SetReadDeadline(time.Now()) })()
	_ = p.out.SetReadDeadline(time.Now().Add(startIn))
	answers := bufio.NewReaderSize(p.out, 64<<10)
	if kind, _, err := receive(answers, upTo(0)); err != nil || kind != frameReady {
		return nil, fmt.Errorf("%w: the process did not report that it has started", ErrStart)
	}
	_ = p.out.SetReadDeadline(time.Time{})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := send(p.in, frameRequest, requested(e, src, o).marshal()); err != nil {
		return nil, errGone
	}
	if err := p.send(src); err != nil {
		return nil, err
	}
	for {
		kind, payload, err := receive(answers, p.most)
		if errors.Is(err, errAnswer) {
			return nil, fmt.Errorf("%w: %w: %w", parse.ErrCorrupt, ErrProcess, err)
		}
		if err != nil {
			return nil, errGone
		}
		r := &reader{room: p.memory, s: string(payload)}
		switch kind {
		case frameTree:
			tree := r.tree()
			if err := r.end(); err != nil {
				if errors.Is(err, parse.ErrLimit) {
					return nil, err
				}
				return nil, fmt.Errorf("%w: %w: %w", parse.ErrCorrupt, ErrProcess, err)
			}
			return tree, nil
		case frameError:
			return nil, r.failure(src.Name)
		default:
			answer, err := helped(ctx, e, kind, r)
			reply := byte(frameReply)
			if err != nil {
				var w writer
				w.text(err.Error())
				answer, reply = w.b, frameRefused
			}
			if send(p.in, reply, answer) != nil {
				return nil, errGone
			}
		}
	}
}

// most returns the maximum length of a frame from the child, or a negative
// number if the child may not send this kind.
func (p *process) most(kind byte) int64 {
	switch kind {
	case frameTree:
		return p.memory
	case frameError:
		return 1 << 20
	case framePicture, frameDraw:
		return maxCallback
	}
	return -1
}

// send sends the document in parts.
func (p *process) send(src parse.Source) error {
	b := make([]byte, 256<<10)
	for at := int64(0); at < src.Size; {
		n, err := src.Data.ReadAt(b[:min(int64(len(b)), src.Size-at)], at)
		if n > 0 && send(p.in, frameData, b[:n]) != nil {
			return errGone
		}
		at += int64(n)
		if err != nil && at < src.Size {
			if errors.Is(err, io.EOF) {
				break // the data is shorter than Size
			}
			return err
		}
	}
	if send(p.in, frameData, nil) != nil {
		return errGone
	}
	return nil
}

// helped does OCR or drawing for a child.
func helped(ctx context.Context, e *parse.Engine, kind byte, r *reader) (answer []byte, err error) {
	defer func() {
		if v := recover(); v != nil { // the data is untrusted, and the engine may be foreign code
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	var w writer
	switch {
	case kind == framePicture && e.OCR != nil:
		p := r.picture()
		if err := r.end(); err != nil {
			return nil, err
		}
		out, err := e.OCR.Recognize(ctx, p)
		if err != nil {
			return nil, err
		}
		if w.recognition(out); len(w.b) > maxRecognition {
			return nil, errors.New("the recognised text exceeds the limit")
		}
	case kind == frameDraw && e.Render != nil:
		page, dpi, file := r.int(), r.float(), r.text()
		if err := r.end(); err != nil {
			return nil, err
		}
		out, err := e.Render.Render(ctx, strings.NewReader(file), int64(len(file)), page, dpi)
		if err != nil {
			return nil, err
		}
		w.picture(out)
	default:
		return nil, errors.New("the host has no engine for this request")
	}
	return w.b, nil
}

// end waits until the child has exited. It returns err, or the reason why
// the child exited if err is errGone.
func (p *process) end(err error, cpu int64) error {
	_ = p.in.Close()
	_ = p.out.Close()
	_ = p.cmd.Wait() // an error of a killed process is expected
	if !errors.Is(err, errGone) {
		return err
	}
	state := p.cmd.ProcessState
	used := state.UserTime() + state.SystemTime()
	switch text := p.said.String(); {
	case cpu > 0 && used >= time.Duration(cpu)*time.Second-100*time.Millisecond:
		return &parse.LimitError{Name: "seconds of CPU time", Value: cpu, Err: errCPU}
	case strings.Contains(text, "out of memory"), strings.Contains(text, "cannot allocate memory"), outOfMemory(state):
		return &parse.LimitError{Name: "bytes of memory", Value: p.memory, Err: errMemory}
	}
	return fmt.Errorf("%w: %w: %s", parse.ErrCorrupt, ErrProcess, state)
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	b    bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.b.Write(p[:min(len(p), max(0, b.most-b.b.Len()))])
	return len(p), nil
}

func (b *bounded) String() string { return strings.ToValidUTF8(b.b.String(), "?") }
