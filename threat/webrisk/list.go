// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"time"
)

// Sizes of a hash prefix in bytes.
const (
	shortest = 4
	longest  = sha256.Size
)

// list contains the hash prefixes of one threat type. It is immutable once it
// is in use. Entries are in byte order, a prefix before the longer ones that
// start with it. Removals and the checksum refer to this order.
type list struct {
	short []uint32          // prefixes of four bytes, big-endian, sorted
	index [1<<16 + 1]uint32 // for the upper half of a number, where its entries in short begin and end
	long  []string          // longer prefixes, sorted
	sizes []int             // lengths that occur in long, sorted

	token  string    // version of the list, from which the next update starts
	synced time.Time // when the provider last confirmed the list
}

// block contains prefixes of one size, one after the other.
type block struct {
	size int
	data []byte
}

// newList returns a list of the entries of base whose index is not in removed,
// and of those in blocks. It neither changes nor retains its arguments. Errors
// wrap [ErrAnswer].
func newList(base *list, removed []int32, blocks []block) (*list, error) {
	l := new(list)
	if base != nil {
		if err := l.inherit(base, removed); err != nil {
			return nil, err
		}
	} else if len(removed) > 0 {
		return nil, fmt.Errorf("%w: incremental update without a base list", ErrAnswer)
	}
	for _, b := range blocks {
		switch {
		case b.size < shortest || b.size > longest:
			return nil, fmt.Errorf("%w: prefixes of %d bytes", ErrAnswer, b.size)
		case len(b.data)%b.size != 0:
			return nil, fmt.Errorf("%w: %d bytes are not a multiple of the prefix length %d", ErrAnswer, len(b.data), b.size)
		}
		if b.size == shortest {
			for data := b.data; len(data) > 0; data = data[shortest:] {
				l.short = append(l.short, binary.BigEndian.Uint32(data))
			}
			continue
		}
		for text := string(b.data); text != ""; text = text[b.size:] {
			l.long = append(l.long, text[:b.size])
		}
	}
	l.arrange()
	return l, nil
}

// inherit copies the entries of base except the removed ones.
func (l *list) inherit(base *list, removed []int32) error {
	size := len(base.short) + len(base.long)
	for i, at := range removed {
		if at < 0 || int(at) >= size || i > 0 && at <= removed[i-1] {
			return fmt.Errorf("%w: index %d of removals out of range or order", ErrAnswer, i)
		}
	}
	l.short = make([]uint32, 0, len(base.short))
	l.long = make([]string, 0, len(base.long))
	at := 0
	base.each(func(short uint32, long string) {
		if len(removed) > 0 && int(removed[0]) == at {
			removed = removed[1:]
		} else if long == "" {
			l.short = append(l.short, short)
		} else {
			l.long = append(l.long, long)
		}
		at++
	})
	return nil
}

// arrange sorts the entries and builds the index.
func (l *list) arrange() {
	slices.Sort(l.short)
	slices.Sort(l.long)
	for _, s := range l.short {
		l.index[s>>16+1]++
	}
	for i := range 1 << 16 {
		l.index[i+1] += l.index[i]
	}
	for _, s := range l.long {
		if i, ok := slices.BinarySearch(l.sizes, len(s)); !ok {
			l.sizes = slices.Insert(l.sizes, i, len(s))
		}
	}
}

// each calls f for each entry in order. long is empty for an entry of four
// bytes.
func (l *list) each(f func(short uint32, long string)) {
	long := l.long
	for _, s := range l.short {
		for len(long) > 0 && head(long[0]) < s {
			f(0, long[0])
			long = long[1:]
		}
		f(s, "")
	}
	for _, s := range long {
		f(0, s)
	}
}

// head returns the first four bytes of a prefix as a number.
func head(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// sum returns the SHA-256 of all entries in order.
func (l *list) sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	buf := make([]byte, 0, 64<<10)
	l.each(func(short uint32, long string) {
		if cap(buf)-len(buf) < longest {
			_, _ = h.Write(buf)
			buf = buf[:0]
		}
		if long == "" {
			buf = binary.BigEndian.AppendUint32(buf, short)
		} else {
			buf = append(buf, long...)
		}
	})
	_, _ = h.Write(buf)
	h.Sum(sum[:0])
	return sum
}

// blocks returns the entries in the form that newList accepts, the shortest
// first.
func (l *list) blocks() []block {
	var all []block
	if len(l.short) > 0 {
		data := make([]byte, 0, shortest*len(l.short))
		for _, s := range l.short {
			data = binary.BigEndian.AppendUint32(data, s)
		}
		all = append(all, block{shortest, data})
	}
	for _, size := range l.sizes {
		b := block{size: size}
		for _, s := range l.long {
			if len(s) == size {
				b.data = append(b.data, s...)
			}
		}
		all = append(all, b)
	}
	return all
}

// hasShort reports whether the prefix of four bytes is listed.
func (l *list) hasShort(key uint32) bool {
	_, ok := slices.BinarySearch(l.short[l.index[key>>16]:l.index[key>>16+1]], key)
	return ok
}

// appendLong appends the listed prefixes of hash that are longer than four
// bytes.
func (l *list) appendLong(dst []string, hash *[sha256.Size]byte) []string {
	for _, size := range l.sizes {
		i := sort.Search(len(l.long), func(i int) bool { return l.long[i] >= string(hash[:size]) })
		if i < len(l.long) && l.long[i] == string(hash[:size]) {
			dst = append(dst, l.long[i])
		}
	}
	return dst
}
