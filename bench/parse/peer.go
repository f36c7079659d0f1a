// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peer is another reader. Read gives the Markdown of files, nil for those that
// it does not read, and the best times in milliseconds.
type peer struct {
	name string
	read func(ctx context.Context, files []string, rounds int) ([]*string, []float64, error)
}

// installed returns the peers that are there and says which are not.
func installed(wanted bool) []peer {
	if !wanted {
		return nil
	}
	var all []peer
	for _, p := range []struct{ name, module string }{{"anydoc", "@firecrawl/anydoc"}, {"mammoth", "mammoth"}} {
		node, err := exec.LookPath("node")
		if _, there := os.Stat(filepath.Join("peers", "node_modules", p.module)); err != nil || there != nil {
			fmt.Printf("%s is not measured: node or peers/node_modules is absent (npm ci in bench/peers)\n", p.name)
			continue
		}
		all = append(all, peer{p.name, func(ctx context.Context, files []string, rounds int) ([]*string, []float64, error) {
			return byNode(ctx, node, p.name, files, rounds)
		}})
	}
	if pandoc, err := exec.LookPath("pandoc"); err == nil {
		all = append(all, peer{"pandoc", func(ctx context.Context, files []string, _ int) ([]*string, []float64, error) {
			return byPandoc(ctx, pandoc, files)
		}})
	} else {
		fmt.Println("pandoc is not measured: it is not installed")
	}
	return all
}

func byNode(ctx context.Context, node, name string, files []string, rounds int) ([]*string, []float64, error) {
	args := []string{"office.mjs", name, strconv.Itoa(rounds)}
	for _, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, path)
	}
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Dir, cmd.Stderr = "peers", os.Stderr
	out, err := cmd.Output()
	var texts []*string
	var times []float64
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var line struct {
			Markdown *string `json:"markdown"`
			MS       float64 `json:"ms"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, nil, err
		}
		texts, times = append(texts, line.Markdown), append(times, line.MS)
	}
	if len(texts) < len(files) { // it died on one: the rest is not read
		fmt.Printf("%s stopped after %d of %d files: %v\n", name, len(texts), len(files), err)
	}
	return texts, times, lines.Err()
}

// byPandoc starts a process for each file; its time has that in it.
func byPandoc(ctx context.Context, pandoc string, files []string) (texts []*string, times []float64, err error) {
	for _, f := range files {
		from := strings.TrimPrefix(filepath.Ext(f), ".")
		if !slices.Contains([]string{"docx", "odt", "epub", "html", "csv", "rtf", "pptx", "xlsx"}, from) {
			texts, times = append(texts, nil), append(times, 0)
			continue
		}
		start := time.Now()
		out, err := exec.CommandContext(ctx, pandoc, "-f", from, "-t", "gfm", f).Output()
		times = append(times, float64(time.Since(start).Microseconds())/1000)
		if err != nil {
			texts = append(texts, nil)
			continue
		}
		texts = append(texts, new(string(out)))
	}
	return texts, times, nil
}

// score reads files and compares what comes out; not ok where it reads none.
func (p peer) score(ctx context.Context, files []string, rounds int) (s score, ok bool, err error) {
	texts, times, err := p.read(ctx, files, rounds)
	if err != nil {
		return s, false, fmt.Errorf("%s: %w", p.name, err)
	}
	for i, text := range texts {
		if text == nil {
			s.failed++
			continue
		}
		if recall, f1, there := compare(files[i], *text); there {
			s.recall, s.f1 = append(s.recall, recall), append(s.f1, f1)
		}
		s.times = append(s.times, times[i])
	}
	s.failed += len(files) - len(texts)
	return s, len(s.times) > 0, nil
}
