// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/curlew/format"
)

// encodings are the tokenizers of peers/tokens.js.
var encodings = [...]string{"cl100k_base", "o200k_base"}

// counter counts the tokens of chunks with peers/tokens.js, which runs until its input ends.
type counter struct {
	in      *json.Encoder
	out     *bufio.Scanner
	folders map[string]*counts
	files   map[string]*counts
}

// counts are the tokens of some chunks.
type counts struct {
	chunks, estimate int
	tokens, over     [len(encodings)]int // over: chunks with more tokens than the limit
	most             [len(encodings)]float64
}

// newCounter starts the program.
func newCounter(ctx context.Context) (*counter, error) {
	if _, err := os.Stat("peers/node_modules/gpt-tokenizer"); err != nil {
		return nil, fmt.Errorf("%w (npm install in peers)", err)
	}
	cmd := exec.CommandContext(ctx, "node", "tokens.js")
	cmd.Dir, cmd.Stderr = "peers", os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &counter{json.NewEncoder(in), bufio.NewScanner(out), map[string]*counts{}, map[string]*counts{}}, cmd.Start()
}

// add counts a chunk of a file. limit is the most tokens that it may have.
func (c *counter) add(folder, file string, chunk *format.Chunk, limit int) error {
	if err := c.in.Encode(chunk.Text); err != nil {
		return err
	}
	if !c.out.Scan() {
		return fmt.Errorf("tokens.js ended: %w", c.out.Err())
	}
	var tokens [len(encodings)]int
	if err := json.Unmarshal(c.out.Bytes(), &tokens); err != nil {
		return err
	}
	for _, p := range []struct {
		of   map[string]*counts
		name string
	}{{c.folders, folder}, {c.files, file}} {
		n := p.of[p.name]
		if n == nil {
			n = &counts{}
			p.of[p.name] = n
		}
		n.chunks++
		n.estimate += chunk.Tokens
		for i, t := range tokens {
			n.tokens[i] += t
			if t > limit {
				n.over[i]++
			}
			if t > 100 {
				n.most[i] = max(n.most[i], float64(t)/float64(chunk.Tokens))
			}
		}
	}
	return nil
}

// print prints the counts of the folders and of the files of which the estimate is lowest. names are
// those of files that are printed, too.
func (c *counter) print(show int, names []string) {
	fmt.Printf("\n%-24s %7s %s: tokens / estimate, most of a chunk, chunks over the limit\n", "", "chunks", strings.Join(encodings[:], ", "))
	line := func(name string, n *counts) {
		fmt.Printf("%-24s %7d", name, n.chunks)
		for i := range encodings {
			fmt.Printf("  %5.2f %5.2f %5d", float64(n.tokens[i])/float64(n.estimate), n.most[i], n.over[i])
		}
		fmt.Println()
	}
	for _, name := range slices.Sorted(maps.Keys(c.folders)) {
		line(name, c.folders[name])
	}
	files := slices.SortedFunc(maps.Keys(c.files), func(a, b string) int {
		return cmp.Compare(c.files[b].most[0], c.files[a].most[0])
	})
	for i, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		if i < show || slices.Contains(names, base) {
			line(base, c.files[name])
		}
	}
}
