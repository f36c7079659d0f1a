// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// layout scores the Markdown of pages with truth, and that of the peers where
// node and their packages (bench/peers) are there.
func layout() {
	files, _ := filepath.Glob(filepath.Join(*corpora, "pdf-layout-dev", "pdfs", "*.pdf"))
	if len(files) == 0 {
		return
	}
	report("curlew", files, func(f string) string {
		r, err := convert(f, "")
		if err != nil {
			return ""
		}
		return r.text
	})
	for _, peer := range []string{"liteparse", "pdf-inspector"} {
		out, err := readings(peer, files)
		if err != nil {
			fmt.Printf("skipped: %s: %v\n", peer, err)
			continue
		}
		report(peer, files, func(f string) string {
			text, _ := os.ReadFile(filepath.Join(out, strings.TrimSuffix(filepath.Base(f), ".pdf")+".md")) // missing is empty
			return string(text)
		})
		_ = os.RemoveAll(out)
	}
}

// readings runs a peer over files and returns the folder of what it wrote.
func readings(peer string, files []string) (string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join("peers", "node_modules", packages[peer])); err != nil {
		return "", fmt.Errorf("%s is not installed in bench/peers", packages[peer])
	}
	out, err := os.MkdirTemp("", "curlew-bench-")
	if err != nil {
		return "", err
	}
	args := []string{"peers/pdf.mjs", peer, out}
	for _, f := range files {
		abs, err := filepath.Abs(f)
		if err != nil {
			return "", err
		}
		args = append(args, abs)
	}
	cmd := exec.Command(node, args...) // #nosec G204 -- found above
	return out, cmd.Run()
}

var packages = map[string]string{"liteparse": "@llamaindex/liteparse", "pdf-inspector": "@firecrawl/pdf-inspector"}

// report prints the means of a reader's scores.
func report(name string, files []string, read func(string) string) {
	var sum [4]float64
	var n [4]float64
	for _, f := range files {
		s, ok := layoutScore(f, read)
		if !ok {
			continue
		}
		for i, v := range []float64{s.overall(), s.nid, s.teds, s.mhs} {
			if v >= 0 {
				sum[i] += v
				n[i]++
			}
		}
	}
	for i := range sum {
		sum[i] /= max(1, n[i])
	}
	fmt.Printf("layout of %.0f pages, %s: overall %.4f NID %.4f TEDS %.4f MHS %.4f\n", n[0], name, sum[0], sum[1], sum[2], sum[3])
}

// layoutScore scores the reading of one page; false where it has no truth.
func layoutScore(f string, read func(string) string) (scores, bool) {
	truth, err := os.ReadFile(filepath.Join(*corpora, "pdf-layout-dev", "truth", strings.TrimSuffix(filepath.Base(f), ".pdf")+".md"))
	if err != nil {
		return scores{}, false
	}
	return score(string(truth), read(f)), true
}
