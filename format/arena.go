// SPDX-License-Identifier: Apache-2.0

package format

import (
	"sync"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
)

// An arena is the memory of what is needed of a page while its Document is
// made, and not afterwards: the index, and the copy that the forms are read
// from. The next Document uses it again.
type arena struct {
	index *content.Index
	nodes chunks[html.Node]
	attrs chunks[html.Attribute]
	marks marks
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// release gives the memory back. Nothing may refer to it any more.
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

// chunkSize is the number of elements that are allocated at a time, and
// maxChunks that of the chunks which are kept for another page.
const (
	chunkSize = 128
	maxChunks = 64
)

// chunks hold many elements of one type, which stay where they are.
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

// release makes all elements zero, and lets go of those that are many.
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

// marks are the elements of a page that tell of it, in document order.
type marks struct {
	bases []*html.Node
	about []*html.Node // html, title, h1, link and meta
	times []*html.Node
}

// release lets go of the page.
func (m *marks) release() {
	for _, list := range []*[]*html.Node{&m.bases, &m.about, &m.times} {
		clear(*list)
		*list = (*list)[:0]
		if cap(*list) > chunkSize {
			*list = nil
		}
	}
}
