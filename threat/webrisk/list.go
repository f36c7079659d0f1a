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

// Bytes of a hash prefix.
const (
	shortest = 4
	longest  = sha256.Size
)

// list is the hash prefixes of one threat type. It does not change once it is
// in use. Its order is that of bytes, a prefix before what it begins; that is
// what indices of removals count in, and what its checksum is of.
type list struct {
	short []uint32          // those of four bytes, big-endian, sorted
	index [1<<16 + 1]uint32 // of a number's upper half in short: where it begins, and ends
	long  []string          // the others, sorted
	sizes []int             // lengths that occur in long, sorted

	token  string    // of the version; what the next difference is from
	synced time.Time // when the provider vouched for it last
}

// block is prefixes of one size, one after the other.
type block struct {
	size int
	data []byte
}

// newList returns the list of entries of base whose index is not in removed,
// and those of blocks. It changes nothing and keeps nothing of what it is
// given. Errors wrap [ErrAnswer].
func newList(base *list, removed []int32, blocks []block) (*list, error) {
	l := new(list)
	if base != nil {
		if err := l.inherit(base, removed); err != nil {
			return nil, err
		}
	} else if len(removed) > 0 {
		return nil, fmt.Errorf("%w: it removes entries of no list", ErrAnswer)
	}
	for _, b := range blocks {
		switch {
		case b.size < shortest || b.size > longest:
			return nil, fmt.Errorf("%w: prefixes of %d bytes", ErrAnswer, b.size)
		case len(b.data)%b.size != 0:
			return nil, fmt.Errorf("%w: %d bytes are no whole number of prefixes of %d", ErrAnswer, len(b.data), b.size)
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

// inherit takes over the entries of base but for the removed ones.
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

// arrange sorts the entries and builds what finds them.
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

// each calls f with the entries in their order: long is empty where the entry is
// the short one.
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

// head returns the first four bytes of a prefix.
func head(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// sum returns the SHA-256 of all entries in their order.
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

// blocks returns the entries as newList takes them, the shortest first.
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

// hasShort reports whether the prefix of four bytes, as a number, is listed.
func (l *list) hasShort(key uint32) bool {
	_, ok := slices.BinarySearch(l.short[l.index[key>>16]:l.index[key>>16+1]], key)
	return ok
}

// appendLong appends the longer prefixes of hash that are listed.
func (l *list) appendLong(dst []string, hash *[sha256.Size]byte) []string {
	for _, size := range l.sizes {
		i := sort.Search(len(l.long), func(i int) bool { return l.long[i] >= string(hash[:size]) })
		if i < len(l.long) && l.long[i] == string(hash[:size]) {
			dst = append(dst, l.long[i])
		}
	}
	return dst
}
