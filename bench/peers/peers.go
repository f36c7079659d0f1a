// SPDX-License-Identifier: Apache-2.0

// Package peers reads documents with other programs: files -> Markdown. Those
// of npm are there once `npm install` has been run in this folder.
package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Peer is another reader.
type Peer struct {
	Name  string
	Kinds []string // extensions of the files that it reads, without a dot; nil: it is asked for all

	pack string // of npm; empty: the program Name
}

// Reading is what a peer made of a file.
type Reading struct {
	Markdown *string // nil: not read
	MS       float64 // the best time; a program's has its start in it
}

// PDF returns the readers of PDF files.
func PDF() []Peer {
	return []Peer{
		{"liteparse", []string{"pdf"}, "@llamaindex/liteparse"},
		{"pdf-inspector", []string{"pdf"}, "@firecrawl/pdf-inspector"},
	}
}

// Office returns the readers of other kinds.
func Office() []Peer {
	return []Peer{
		{"anydoc", nil, "@firecrawl/anydoc"},
		{"mammoth", []string{"docx"}, "mammoth"},
		{"pandoc", []string{"docx", "odt", "epub", "html", "csv", "rtf", "pptx", "xlsx"}, ""},
	}
}

// program returns the path of what runs p, and an error where something is
// not installed.
func (p Peer) program() (string, error) {
	if p.pack == "" {
		return exec.LookPath(p.Name)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join("peers", "node_modules", p.pack)); err != nil {
		return "", fmt.Errorf("%s is not installed: run npm install in bench/peers", p.pack)
	}
	return node, nil
}

// Missing says why p cannot be asked; nil: it can.
func (p Peer) Missing() error {
	_, err := p.program()
	return err
}

// Read returns what p makes of files, in their order and of the same number,
// each read so many rounds. It runs in bench, as its commands do.
func (p Peer) Read(ctx context.Context, files []string, rounds int) ([]Reading, error) {
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(files))
	for i, f := range files {
		if paths[i], err = filepath.Abs(f); err != nil {
			return nil, err
		}
	}
	if p.pack == "" {
		return p.byPandoc(ctx, program, paths)
	}
	return p.byNode(ctx, program, paths, rounds)
}

// byNode asks one process for all files; where it dies, the rest is not read.
func (p Peer) byNode(ctx context.Context, node string, files []string, rounds int) ([]Reading, error) {
	args := append([]string{"read.mjs", p.Name, strconv.Itoa(rounds)}, files...)
	cmd := exec.CommandContext(ctx, node, args...) // #nosec G204 -- found above
	cmd.Dir = "peers"
	out, err := cmd.Output() // what they say besides is shown where they die
	all := make([]Reading, len(files))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; n < len(all) && lines.Scan(); n++ {
		var line struct {
			Markdown *string `json:"markdown"`
			MS       float64 `json:"ms"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		all[n] = Reading(line)
	}
	if n < len(files) {
		said := ""
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			said = string(e.Stderr)
		}
		fmt.Printf("%s stopped after %d of %d files: %v %s\n", p.Name, n, len(files), err, said)
	}
	return all, errors.Join(lines.Err(), context.Cause(ctx))
}

// byPandoc starts a process for each file.
func (p Peer) byPandoc(ctx context.Context, pandoc string, files []string) ([]Reading, error) {
	all := make([]Reading, len(files))
	for i, f := range files {
		from := strings.TrimPrefix(filepath.Ext(f), ".")
		if !slices.Contains(p.Kinds, from) {
			continue
		}
		start := time.Now()
		out, err := exec.CommandContext(ctx, pandoc, "-f", from, "-t", "gfm", f).Output() // #nosec G204 -- found above
		all[i].MS = float64(time.Since(start).Microseconds()) / 1000
		if err == nil {
			all[i].Markdown = new(string(out))
		}
	}
	return all, context.Cause(ctx)
}
