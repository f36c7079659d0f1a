// SPDX-License-Identifier: Apache-2.0

// Package peers converts documents to Markdown by other programs. Those from
// npm must be installed by `npm install` in this directory.
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

// Peer is another program that reads documents.
type Peer struct {
	Name  string
	Kinds []string // extensions of the files that it reads, without a dot; nil means all

	pack string // npm package; empty for the program Name
}

// Reading is the result of a peer for a file.
type Reading struct {
	Markdown *string // nil if the file could not be read
	MS       float64 // the best time; for a program it includes the start
}

// PDF returns the peers for PDF files.
func PDF() []Peer {
	return []Peer{
		{"liteparse", []string{"pdf"}, "@llamaindex/liteparse"},
		{"pdf-inspector", []string{"pdf"}, "@firecrawl/pdf-inspector"},
	}
}

// Office returns the peers for other kinds.
func Office() []Peer {
	return []Peer{
		{"anydoc", nil, "@firecrawl/anydoc"},
		{"mammoth", []string{"docx"}, "mammoth"},
		{"pandoc", []string{"docx", "odt", "epub", "html", "csv", "rtf", "pptx", "xlsx"}, ""},
	}
}

// program returns the path of the program that runs p, or an error if something
// is not installed.
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

// Missing returns why p is not available, or nil.
func (p Peer) Missing() error {
	_, err := p.program()
	return err
}

// Read returns the results of p for files, in their order, each read the given
// number of rounds. It must run in the directory bench.
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

// byNode reads all files in one process. If it crashes, the remaining files are
// not read.
func (p Peer) byNode(ctx context.Context, node string, files []string, rounds int) ([]Reading, error) {
	args := append([]string{"read.mjs", p.Name, strconv.Itoa(rounds)}, files...)
	cmd := exec.CommandContext(ctx, node, args...) // #nosec G204 -- a program that was found before
	cmd.Dir = "peers"
	out, err := cmd.Output() // its messages are printed if it crashes
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
		out, err := exec.CommandContext(ctx, pandoc, "-f", from, "-t", "gfm", f).Output() // #nosec G204 -- a program that was found before
		all[i].MS = float64(time.Since(start).Microseconds()) / 1000
		if err == nil {
			all[i].Markdown = new(string(out))
		}
	}
	return all, context.Cause(ctx)
}
