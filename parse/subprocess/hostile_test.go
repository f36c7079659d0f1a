// SPDX-License-Identifier: Apache-2.0

package subprocess_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
	"example.com/curlew/parse/subprocess"
)

// TestHostile runs children that violate the protocol. Each must give an
// error for its document and leave no process behind.
func TestHostile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no scripts on windows")
	}
	// A frame is a letter and a length in eight bytes, little endian.
	const ready = `printf 'y\000\000\000\000\000\000\000\000' >&3`
	left := filepath.Join(t.TempDir(), "left") // a pipe that a process has open until it ends
	if out, err := exec.CommandContext(t.Context(), "mkfifo", left).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	pipe, err := os.OpenFile(left, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for name, test := range map[string]struct {
		script string
		want   error
	}{
		"it ends":               {`exit 0`, subprocess.ErrStart},
		"it says something":     {`echo hello; echo hello >&3`, subprocess.ErrStart},
		"it ends after a while": {ready + `; exit 3`, subprocess.ErrProcess},
		"it answers rubbish":    {ready + `; cat >/dev/null & printf 't\004\000\000\000\000\000\000\000\377\377\377\377' >&3; wait`, subprocess.ErrProcess},
		"it announces much":     {ready + `; printf 't\377\377\377\377\377\377\377\177' >&3; sleep 60`, subprocess.ErrProcess},
		"an unknown frame":      {ready + `; printf 'z\000\000\000\000\000\000\000\000' >&3; sleep 60`, subprocess.ErrProcess},
		"half a frame":          {ready + `; printf 't\011\000\000' >&3; exit 1`, subprocess.ErrProcess},
		"it reads nothing":      {ready + `; sleep 60`, errLate},
		"it kills itself":       {ready + `; kill -9 $$`, parse.ErrLimit}, // as the kernel does if memory runs out
		"it leaves a process":   {ready + `; exec 9>` + left + `; echo open >&9; sleep 600 & printf 'z\000\000\000\000\000\000\000\000' >&3; wait`, subprocess.ErrProcess},
	} {
		path := filepath.Join(t.TempDir(), "child")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := new(subprocess.Runner)
		r.Run(path)
		engine := parse.Engine{Isolate: r}
		size := 1000
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errLate)
		if errors.Is(test.want, errLate) { // more data than the buffer of a pipe holds
			size = 1 << 20
			cancel()
			ctx, cancel = context.WithTimeoutCause(t.Context(), 500*time.Millisecond, errLate)
		}
		_, err := engine.Parse(ctx, source("a.txt", bytes.Repeat([]byte("t"), size)), nil)
		cancel()
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if errors.Is(err, subprocess.ErrProcess) && !errors.Is(err, parse.ErrCorrupt) {
			t.Errorf("%s: %v is not ErrCorrupt", name, err)
		}
	}
	if err := pipe.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(pipe); err != nil || string(said) != "open\n" {
		t.Errorf("what a child started has outlived it: it said %q, %v", said, err)
	}
}

var errLate = errors.New("late")

// TestMainMissing checks that a program that does not call Main is not
// started again.
func TestMainMissing(t *testing.T) {
	subprocess.Called(false)
	defer subprocess.Called(true)
	engine := parse.Engine{Isolate: new(subprocess.Runner)}
	if _, err := engine.Parse(t.Context(), source("a.txt", []byte("x")), nil); !errors.Is(err, subprocess.ErrMain) {
		t.Errorf("error %v, want ErrMain", err)
	}
}

// TestRoom checks that a result may not take more memory than the child
// could have had.
func TestRoom(t *testing.T) {
	root := &html.Node{Type: html.DocumentNode}
	for range 10_000 {
		root.AppendChild(&html.Node{Type: html.ElementNode, Data: "p", Attr: make([]html.Attribute, 3)})
	}
	b := subprocess.Encode(&parse.Tree{Root: root})
	if _, err := subprocess.Decode(b, 10<<20); err != nil {
		t.Errorf("with room: %v", err)
	}
	if _, err := subprocess.Decode(b, 1<<20); !errors.Is(err, parse.ErrLimit) {
		t.Errorf("without room: %v, want ErrLimit", err)
	}
	deep := &html.Node{Type: html.DocumentNode}
	for at, i := deep, 0; i < 30_000; i++ {
		n := &html.Node{Type: html.ElementNode, Data: "p"}
		at.AppendChild(n)
		at = n
	}
	if _, err := subprocess.Decode(subprocess.Encode(&parse.Tree{Root: deep}), 1<<30); err == nil {
		t.Error("a tree without bottom is taken")
	}
}

// TestErrors encodes and decodes errors.
func TestErrors(t *testing.T) {
	for _, err := range []error{
		errors.New("plain"), fmt.Errorf("%w: x", parse.ErrCorrupt), parse.ErrEncrypted, fmt.Errorf("%w: %w", parse.ErrEncrypted, parse.ErrPassword), parse.ErrUnsupported, parse.ErrOCRRequired,
		&parse.LimitError{Name: "bytes", Value: 1<<40 + 1}, &parse.LimitError{Name: "entries", Value: 3, Err: errors.New("over a limit: x")},
	} {
		sent := &parse.Error{Name: "name", Kind: parse.PDF, Page: 3, Err: err}
		same(t, err.Error(), nil, nil, sent, subprocess.DecodeError(subprocess.EncodeError(sent)))
		if l, ok := errors.AsType[*parse.LimitError](err); ok {
			if got, ok := errors.AsType[*parse.LimitError](subprocess.DecodeError(subprocess.EncodeError(sent))); !ok || got.Name != l.Name || got.Value != l.Value {
				t.Errorf("limit %+v, want %+v", got, l)
			}
		}
	}
}

// FuzzAnswer decodes arbitrary answers of a child. A tree that is accepted
// must encode and decode to the same bytes.
func FuzzAnswer(f *testing.F) {
	engine := new(parse.Engine)
	for name, data := range samples(f) {
		if len(data) > 8<<10 {
			continue
		}
		if tree, err := engine.Parse(f.Context(), source(name, data), nil); err == nil {
			f.Add(subprocess.Encode(tree))
		}
	}
	f.Add(subprocess.EncodeError(&parse.Error{Kind: parse.PDF, Err: &parse.LimitError{Name: "x", Value: 1}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = subprocess.DecodeError(b)
		subprocess.Ask(t.Context(), &parse.Engine{OCR: scribe{}, Render: painter{}}, 'p', b)
		subprocess.Ask(t.Context(), &parse.Engine{OCR: scribe{}, Render: painter{}}, 'D', b)
		tree, err := subprocess.Decode(b, 16<<20)
		if err != nil {
			return
		}
		again := subprocess.Encode(tree)
		other, err := subprocess.Decode(again, 16<<20)
		if err != nil || !bytes.Equal(subprocess.Encode(other), again) {
			t.Errorf("a tree that was read is not read again: %v", err)
		}
		if depth := deepest(tree.Root); depth > 20_000 {
			t.Errorf("a tree of depth %d is taken", depth)
		}
	})
}

func deepest(root *html.Node) (most int) {
	depth := 0
	for n := root; n != nil; {
		most = max(most, depth)
		if n.FirstChild != nil {
			n = n.FirstChild
			depth++
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			depth--
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return most
}
