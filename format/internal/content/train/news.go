// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/dom"
)

// A set is a collection of pages with one kind of truth.
type set int

const (
	wcxb set = iota // the text of the content, of all kinds of pages
	aeb             // the text of an article
	seg             // segments that the content contains, and segments that it does not
	read            // the HTML of an article

	sets
)

// String returns the name of the set in the corpus.
func (s set) String() string { return [...]string{"wcxb", "aeb", "seg", "read"}[s] }

// A story is a page of news-dev with its truth.
type story struct {
	ID      string
	Set     string
	URL     string
	Text    string   // aeb
	With    []string // seg
	Without []string // seg
	HTML    string   // read
}

// readNews reads one of every `every` pages of dir.
func readNews(ctx context.Context, dir string, every int) ([]*sample, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := root.Open("truth.jsonl")
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var all []*sample
	stories := map[string]*story{}
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 64<<20)
	for n := 0; lines.Scan(); n++ {
		if n%every != 0 {
			continue
		}
		st := &story{}
		if err := json.Unmarshal(lines.Bytes(), st); err != nil {
			return nil, fmt.Errorf("truth %d of %s: %w", n, dir, err)
		}
		s := &sample{id: st.ID, url: st.URL}
		switch st.Set {
		case "aeb":
			s.set = aeb
		case "seg":
			s.set = seg
		case "read":
			s.set, s.url = read, "" // the address is a placeholder
		default:
			return nil, fmt.Errorf("truth %d of %s: unknown set %q", n, dir, st.Set)
		}
		stories[s.id] = st
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return all, readAll(all, func(s *sample) error { return s.readStory(ctx, root, stories[s.id]) })
}

// readStory fills in s from its file and its truth.
func (s *sample) readStory(ctx context.Context, root *os.Root, st *story) error {
	body, err := unpack(root, s.id)
	if err != nil {
		return err
	}
	mediaType := "text/html; charset=utf-8"
	if s.set == seg {
		mediaType = "text/html"
	}
	if err := s.cut(ctx, body, mediaType); err != nil {
		return err
	}
	switch s.set {
	case seg:
		s.locate(st)
	case read:
		text, err := textOf(ctx, st.HTML)
		if err != nil {
			return err
		}
		s.judge(text)
	default:
		s.judge(st.Text)
	}
	s.finish()
	return nil
}

// textOf returns the text of a piece of HTML, a line for each block.
func textOf(ctx context.Context, source string) (string, error) {
	doc, err := dom.Parse(ctx, []byte(source), "text/html; charset=utf-8")
	if err != nil {
		return "", err
	}
	ix, err := content.Read(ctx, doc.Root)
	if err != nil {
		return "", err
	}
	p := content.NewPage(ix, ix.NewSet(), "")
	var b strings.Builder
	for i := range p.Blocks {
		b.WriteString(p.Text(i) + "\n")
	}
	return b.String(), nil
}

// A segment contains the ranges of blocks, half-open, in which a text of the truth occurs.
// It is empty if the page does not contain the text.
type segment []struct{ from, to int32 }

// locate finds the segments of a truth in the blocks of s, and labels the blocks by them.
// Other blocks have no label, except those between two blocks of content that look like one
// of the two.
func (s *sample) locate(st *story) {
	n := len(s.blocks)
	s.label, s.known = make([]float32, n), make([]bool, n)
	var text strings.Builder
	starts := make([]int, n+1)
	for i := range n {
		starts[i] = text.Len()
		text.WriteString(strings.Join(strings.Fields(s.page.Text(i)), " ") + " ")
	}
	starts[n] = text.Len()
	find := func(all []string) (found []segment) {
		for _, want := range all {
			want = strings.Join(strings.Fields(want), " ")
			var at segment
			for from := 0; want != ""; {
				k := strings.Index(text.String()[from:], want)
				if k < 0 {
					break
				}
				from += k
				lo, exact := slices.BinarySearch(starts, from)
				if !exact {
					lo--
				}
				hi, _ := slices.BinarySearch(starts, from+len(want))
				at = append(at, struct{ from, to int32 }{count32(lo), count32(hi)})
				from += len(want)
			}
			found = append(found, at)
		}
		return found
	}
	s.with, s.without = find(st.With), find(st.Without)
	s.segmentLabels()
}

// segmentLabels fills in the labels from the segments.
func (s *sample) segmentLabels() {
	for _, all := range s.without {
		for _, at := range all {
			for i := at.from; i < at.to; i++ {
				s.known[i], s.label[i] = true, 0
			}
		}
	}
	for _, all := range s.with {
		// If a text occurs several times, take the first one outside menus and the like.
		k := max(slices.IndexFunc(all, func(at struct{ from, to int32 }) bool { return !s.late[at.from] }), 0)
		if len(all) == 0 {
			continue
		}
		for i := all[k].from; i < all[k].to; i++ {
			s.known[i], s.label[i] = true, 1
		}
	}
	last := -1
	for i, known := range s.known {
		if !known {
			continue
		}
		if s.label[i] == 0 {
			last = -1
			continue
		}
		for j := last + 1; last >= 0 && j < i; j++ {
			if s.page.Alike(j, i) || s.page.Alike(j, last) {
				s.known[j], s.label[j] = true, 1
			}
		}
		last = i
	}
}

// segments counts the segments of the content that are in the blocks of keep, those that are
// not, and the segments in keep that are not content.
func (s *sample) segments(keep []bool) (hits, misses, wrong float64) {
	has := func(all segment) bool {
		return slices.ContainsFunc(all, func(at struct{ from, to int32 }) bool {
			for i := at.from; i < at.to; i++ {
				if !keep[i] && len(s.blocks[i]) > 0 {
					return false
				}
			}
			return true
		})
	}
	for _, w := range s.with {
		if has(w) {
			hits++
		} else {
			misses++
		}
	}
	for _, w := range s.without {
		if has(w) {
			wrong++
		}
	}
	return hits, misses, wrong
}

// shingles returns the precision and recall of the runs of four words in the blocks of keep.
func (s *sample) shingles(keep []bool) (precision, recall float64) {
	var got []uint64
	for i, k := range keep {
		if k {
			got = append(got, s.blocks[i]...)
		}
	}
	runs := func(words []uint64) map[uint64]int {
		all := map[uint64]int{}
		for i := 0; i+run4 <= max(len(words), run4); i++ {
			all[gram(words[i:min(i+run4, len(words))])]++
		}
		return all
	}
	a, b := runs(got), runs(s.main)
	both, mine, truth := 0, 0, 0
	for g, n := range a {
		mine += n
		both += min(n, b[g])
	}
	for _, n := range b {
		truth += n
	}
	return float64(both) / float64(max(mine, 1)), float64(both) / float64(max(truth, 1))
}
