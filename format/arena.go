// SPDX-License-Identifier: Apache-2.0

package format

import (
	"sync"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
)

// An arena is memory that is needed only while a Document is made: for the index
// and for the copy that the forms are read from. The next Document reuses it.
type arena struct {
	index *content.Index
	nodes chunks[html.Node]
	attrs chunks[html.Attribute]
	marks marks
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// release returns the memory to the pool. No reference to it may remain.
func (a *arena) release() {
	if a.index != nil {
		a.index.Release()
		a.index = nil
	}
	a.nodes.release()
	a.attrs.release()
	a.marks.release()
	arenas.Put(a)
}

// chunkSize is the number of elements that are allocated at a time. maxChunks is
// the number of chunks that are kept for the next page.
const (
	chunkSize = 128
	maxChunks = 64
)

// chunks hold many elements of one type. The elements never move.
type chunks[T any] struct {
	all  []*[chunkSize]T
	used int // elements of the chunks before free
	free []T
}

// take returns n elements, which are zero; n is at most chunkSize.
func (c *chunks[T]) take(n int) []T {
	if n > len(c.free) {
		if c.used == len(c.all) {
			c.all = append(c.all, new([chunkSize]T))
		}
		c.free = c.all[c.used][:]
		c.used++
	}
	taken := c.free[:n:n]
	c.free = c.free[n:]
	return taken
}

// release sets all elements to zero and frees the chunks above maxChunks.
func (c *chunks[T]) release() {
	for i, chunk := range c.all[:c.used] {
		if i < maxChunks {
			clear(chunk[:])
		} else {
			c.all[i] = nil
		}
	}
	c.all = c.all[:min(len(c.all), maxChunks)]
	c.used, c.free = 0, nil
}

// marks are the elements with metadata of a page, in document order.
type marks struct {
	bases []*html.Node
	about []*html.Node // html, title, h1, link and meta
	times []*html.Node

	bylines []*html.Node // h1 elements, and elements that may be bylines
	second  []*html.Node // the first h2 elements
	around  []*html.Node // the elements around the first heading; empty until it is asked for
}

// release drops all references to the page.
func (m *marks) release() {
	for _, list := range []*[]*html.Node{&m.bases, &m.about, &m.times, &m.bylines, &m.second, &m.around} {
		clear(*list)
		*list = (*list)[:0]
		if cap(*list) > chunkSize {
			*list = nil
		}
	}
}
