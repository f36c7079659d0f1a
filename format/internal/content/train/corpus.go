// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/dom"
)

// A sample is one page of a set.
type sample struct {
	set     set
	id, url string
	kind    content.Kind // known only in wcxb
	lang    string       // what the html element says, such as "en"; empty if it says nothing
	host    string
	fold    int
	group   int // of the lexicon, see groups

	page    *content.Page
	main    []uint64         // words of the main content; none in seg
	truth   map[uint64]int32 // number of occurrences of each of them
	size    int32            // number of words in main
	with    []segment        // seg: segments that the content contains
	without []segment        // seg: segments that it does not contain
	blocks  [][]uint64       // words of each block of page
	late    []bool           // for each block, whether Strip strips it
	label   []float32        // for each block, the share of it that is in the truth
	known   []bool           // for each block, whether the truth labels it; nil if it labels all
	rows    [][]float32      // features of each block
	names   [][]name         // names of the elements around each block
	terms   [][]term         // those of them that have a number
}

const folds = 5

// readCorpus reads the pages of dir in the order of its list, one of every `every` pages.
func readCorpus(ctx context.Context, dir string, every int) ([]*sample, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := root.Open("pages.tsv")
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var all []*sample
	lines := bufio.NewScanner(list)
	for n := -1; lines.Scan(); n++ {
		field := strings.Split(lines.Text(), "\t")
		kind, ok := content.KindOf(field[1])
		if n < 0 || !ok || n%every != 0 {
			continue
		}
		all = append(all, &sample{id: field[0], url: field[5], kind: kind})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return all, readAll(all, func(s *sample) error { return s.read(ctx, root) })
}

// readAll calls read for each sample, for several at the same time.
func readAll(all []*sample, read func(*sample) error) error {
	next := make(chan *sample)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for s := range next {
				if errs[i] == nil {
					errs[i] = read(s)
				}
			}
		})
	}
	for _, s := range all {
		next <- s
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

// read fills in s from its files.
func (s *sample) read(ctx context.Context, root *os.Root) error {
	body, err := unpack(root, s.id)
	if err != nil {
		return err
	}
	raw, err := root.ReadFile(filepath.Join("truth", s.id+".json"))
	if err != nil {
		return err
	}
	var truth struct {
		Main *string `json:"main_content"`
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		return fmt.Errorf("truth of %s: %w", s.id, err)
	}
	if err := s.cut(ctx, body, "text/html; charset=utf-8"); err != nil {
		return err
	}
	if truth.Main != nil {
		s.judge(*truth.Main)
	} else {
		s.judge("")
	}
	s.finish()
	return nil
}

// unpack returns the page id of the set in root.
func unpack(root *os.Root, id string) ([]byte, error) {
	packed, err := root.ReadFile(filepath.Join("html", id+".html.gz"))
	if err != nil {
		return nil, err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpack)
}

// cut divides the page of s into blocks.
func (s *sample) cut(ctx context.Context, body []byte, mediaType string) error {
	doc, err := dom.Parse(ctx, body, mediaType)
	if err != nil {
		return err
	}
	ix, err := content.Read(ctx, doc.Root)
	if err != nil {
		return err
	}
	s.page = content.NewPage(ix, ix.NewSet(), s.url)
	s.lang = language(doc.Root)
	s.blocks = make([][]uint64, len(s.page.Blocks))
	s.late = make([]bool, len(s.blocks))
	for i := range s.blocks {
		s.blocks[i] = words(s.page.Text(i))
		s.late[i] = s.page.Blocks[i].Stripped()
	}
	s.names = namesOf(s.page)
	return nil
}

// language returns the language that the html element of a page names, without its country.
func language(root *html.Node) string {
	for n := range root.ChildNodes() {
		for _, a := range n.Attr {
			if n.DataAtom == atom.Html && a.Key == "lang" {
				lang, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(a.Val)), "_", "-"), "-")
				return lang
			}
		}
	}
	return ""
}

// judge labels the blocks by the text of the main content.
func (s *sample) judge(text string) {
	s.main = words(text)
	s.truth, s.size = map[uint64]int32{}, count32(len(s.main))
	for _, w := range s.main {
		s.truth[w]++
	}
	s.mark(s.main)
}

// finish reads the features of the blocks, and assigns s to a fold and a group.
func (s *sample) finish() {
	s.rows = make([][]float32, len(s.blocks))
	var row content.Row
	for i := range s.rows {
		s.page.Features(i, &row)
		s.rows[i] = append([]float32(nil), row[:content.Fixed]...)
	}
	s.host = hostOf(s.url, s.id)
	s.fold = deal(s.host+"/5", folds)
	s.group = deal(s.host+"/lexicon", groups)
}

// hostOf returns the host of a page, or its id if it has no URL.
func hostOf(url, id string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return cmp.Or(strings.TrimPrefix(host, "www."), id)
}

// deal returns the number of the part to which key belongs.
func deal(key string, parts int) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32()>>8) % parts
}

// words returns the hashes of the words of s: runs of letters, digits and _,
// in lower case.
func words(s string) []uint64 {
	const seed, prime = 14695981039346656037, 1099511628211
	var out []uint64
	word := uint64(seed)
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' {
			word = (word ^ uint64(r)) * prime //nolint:gosec // no rune of a string is negative
			continue
		}
		if word != seed {
			out = append(out, word)
		}
		word = seed
	}
	if word != seed {
		out = append(out, word)
	}
	return out
}

// mark fills in the labels. The label of a block of four words and more is the share of its
// runs of four words that the truth contains, each at most as often as in the truth. A
// shorter block counts only if the truth contains it between the longer blocks that are
// around it, because menus have the words of headings.
func (s *sample) mark(main []uint64) {
	s.label = make([]float32, len(s.blocks))
	anchors := s.anchor(main)
	found := slices.ContainsFunc(anchors, func(a place) bool { return a.to > 0 })
	next := count32(len(main))
	follow := make([]int32, len(s.blocks)) // for each block, the word of main at which the next anchor begins
	for i := len(s.blocks) - 1; i >= 0; i-- {
		follow[i] = next
		if anchors[i].to > 0 {
			next = anchors[i].from
		}
	}
	used := make([]bool, len(main))
	before := int32(0)
	for i, b := range s.blocks {
		if anchors[i].to > 0 {
			before = anchors[i].to
			continue
		}
		if len(b) == 0 || len(b) >= run4 {
			continue
		}
		lo, hi := before, follow[i]
		switch {
		case !found:
			lo, hi = 0, count32(len(main))
		case lo > hi:
			lo, hi = max(0, hi-20), min(count32(len(main)), lo+20)
		}
		if use(main[lo:hi], used[lo:hi], b) {
			s.label[i] = 1
		}
	}
}

// use marks the first unused occurrence of block in main as used, and reports whether there
// is one.
func use(main []uint64, used []bool, block []uint64) bool {
	n := len(block)
	for j := 0; j+n <= len(main); j++ {
		if !used[j] && slices.Equal(main[j:j+n], block) {
			for k := j; k < j+n; k++ {
				used[k] = true
			}
			return true
		}
	}
	return false
}

// A place is a range of words of the truth, half-open.
type place struct{ from, to int32 }

// run4 is the number of words in a row that identify a place.
const run4 = 4

// anchor labels the blocks of four words and more, and returns the place in main of each
// block that is in it. For other blocks, to is 0. If the page has a text more often than
// main, its first blocks count. For this, late blocks come after all others.
func (s *sample) anchor(main []uint64) []place {
	at := map[uint64][]int32{} // positions at which each run of the truth begins
	for i := 0; i+run4 <= len(main); i++ {
		g := gram(main[i : i+run4])
		at[g] = append(at[g], count32(i))
	}
	anchors := make([]place, len(s.blocks))
	taken := make([]bool, len(main)) // runs that belong to a block
	for _, late := range [2]bool{false, true} {
		last := int32(0)
		for i, b := range s.blocks {
			if len(b) < run4 || s.late[i] != late {
				continue
			}
			hits := 0
			var a place
			for j := 0; j+run4 <= len(b); j++ {
				starts := at[gram(b[j:j+run4])]
				k := slices.IndexFunc(starts, func(p int32) bool { return p >= last && !taken[p] })
				if k < 0 {
					k = slices.IndexFunc(starts, func(p int32) bool { return !taken[p] })
				}
				if k < 0 {
					continue
				}
				hits++
				start := starts[k]
				taken[start] = true
				if a.to == 0 {
					a.from = start
				}
				a.to = start + run4
			}
			s.label[i] = float32(hits) / float32(len(b)-run4+1)
			if s.label[i] >= .5 {
				anchors[i] = a
				last = a.to
			}
		}
	}
	return anchors
}

// gram returns a hash of words.
func gram(words []uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = (h*0x9e3779b97f4a7c15 ^ w) * 0xff51afd7ed558ccd
		h ^= h >> 29
	}
	return h
}

// count32 converts n. It does not overflow, because no page has 2^31 words.
func count32(n int) int32 { return int32(n) } //nolint:gosec // see above

// f1 returns the F1 of the words in the blocks of keep, or of the segments in a page of seg.
func (s *sample) f1(keep []bool) float64 {
	if s.set == seg {
		hits, misses, wrong := s.segments(keep)
		return 2 * hits / max(2*hits+misses+wrong, 1)
	}
	seen := make(map[uint64]int32, len(s.truth))
	common, predicted := int32(0), int32(0)
	for i, kept := range keep {
		if !kept {
			continue
		}
		b := s.blocks[i]
		predicted += count32(len(b))
		for _, w := range b {
			if n := seen[w]; n < s.truth[w] {
				seen[w] = n + 1
				common++
			}
		}
	}
	switch {
	case predicted == 0 && s.size == 0:
		return 1
	case common == 0:
		return 0
	}
	return 2 * float64(common) / float64(predicted+s.size)
}
