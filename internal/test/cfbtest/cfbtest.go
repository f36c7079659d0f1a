// SPDX-License-Identifier: Apache-2.0

// Package cfbtest creates OLE compound files for tests.
package cfbtest

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
)

// Stream is one stream. Its name is a path, whose directories are storages.
type Stream struct {
	Name string
	Data []byte
}

const (
	sector = 512
	none   = 0xFFFFFFFF
	last   = 0xFFFFFFFE
)

type node struct {
	name     string
	data     []byte
	folder   bool
	children []int
	next     int // right sibling; zero means none
}

// Pack returns a compound file of version 3. The sectors of each stream are
// consecutive. Short streams are in the mini stream.
func Pack(streams ...Stream) []byte {
	nodes := []node{{name: "Root Entry", folder: true}}
	for _, s := range streams {
		at := 0
		parts := strings.Split(s.Name, "/")
		for i, part := range parts {
			next := slices.IndexFunc(nodes[at].children, func(c int) bool { return nodes[c].name == part })
			if next >= 0 {
				at = nodes[at].children[next]
				continue
			}
			n := node{name: part, folder: i < len(parts)-1}
			if !n.folder {
				n.data = s.Data
			}
			if c := nodes[at].children; len(c) > 0 {
				nodes[c[len(c)-1]].next = len(nodes)
			}
			nodes = append(nodes, n)
			nodes[at].children = append(nodes[at].children, len(nodes)-1)
			at = len(nodes) - 1
		}
	}
	w := writer{}
	starts := make([]uint32, len(nodes))
	var mini []byte
	var miniFAT []uint32
	for i, n := range nodes {
		switch {
		case n.folder || len(n.data) == 0:
			starts[i] = last
		case len(n.data) < 4096:
			starts[i] = uint32(len(miniFAT))
			for at := 0; at < len(n.data); at += 64 {
				miniFAT = append(miniFAT, uint32(len(miniFAT)+1))
				mini = append(mini, pad(n.data[at:min(at+64, len(n.data))], 64)...)
			}
			miniFAT[len(miniFAT)-1] = last
		default:
			starts[i] = w.add(n.data)
		}
	}
	starts[0] = w.add(mini)
	nodes[0].data = mini
	table := w.add(words(miniFAT))
	dir := make([]byte, 0, 128*len(nodes))
	for i, n := range nodes {
		dir = append(dir, entry(n, starts[i])...)
	}
	directory := w.add(dir)
	fats := 1
	for (len(w.fat)+fats)*4 > fats*sector {
		fats++
	}
	head := make([]byte, sector)
	copy(head, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	put16(head[24:], 0x3E)
	put16(head[26:], 3)
	put16(head[28:], 0xFFFE)
	put16(head[30:], 9)
	put16(head[32:], 6)
	put32(head[44:], uint32(fats))
	put32(head[48:], directory)
	put32(head[56:], 4096)
	put32(head[60:], table)
	put32(head[64:], uint32((len(miniFAT)*4+sector-1)/sector))
	put32(head[68:], last)
	for i := range 109 {
		put32(head[76+4*i:], none)
	}
	for i := range fats {
		put32(head[76+4*i:], uint32(len(w.fat)))
		w.fat = append(w.fat, 0xFFFFFFFD)
	}
	for len(w.fat)%(sector/4) != 0 {
		w.fat = append(w.fat, none)
	}
	return slices.Concat(head, w.data, words(w.fat))
}

type writer struct {
	data []byte
	fat  []uint32
}

// add appends a chain of sectors and returns its first sector.
func (w *writer) add(b []byte) uint32 {
	if len(b) == 0 {
		return last
	}
	start := uint32(len(w.fat))
	for at := 0; at < len(b); at += sector {
		w.fat = append(w.fat, uint32(len(w.fat)+1))
		w.data = append(w.data, pad(b[at:min(at+sector, len(b))], sector)...)
	}
	w.fat[len(w.fat)-1] = last
	return start
}

func pad(b []byte, size int) []byte { return append(slices.Clone(b), make([]byte, size-len(b))...) }

func words(n []uint32) []byte {
	var b []byte
	for _, v := range n {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// entry writes a directory entry. Siblings form a list to the right.
func entry(n node, start uint32) []byte {
	e := make([]byte, 128)
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	units := utf16.Encode([]rune(n.name))
	for i, u := range units {
		put16(e[2*i:], u)
	}
	put16(e[64:], uint16(2*len(units)+2))
	e[66] = 2
	if n.folder {
		e[66] = 1
	}
	e[67] = 1
	put32(e[68:], none)
	put32(e[72:], none)
	put32(e[76:], none)
	if n.next > 0 {
		put32(e[72:], uint32(n.next))
	}
	if len(n.children) > 0 {
		put32(e[76:], uint32(n.children[0]))
	}
	if n.name == "Root Entry" {
		e[66] = 5
	}
	put32(e[116:], start)
	put32(e[120:], uint32(len(n.data)))
	return e
}
