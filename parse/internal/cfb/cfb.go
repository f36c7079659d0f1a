// SPDX-License-Identifier: Apache-2.0

package cfb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// The reasons why a container, or the document in it, could not be read. The
// readers of such documents wrap them too.
var (
	ErrMalformed = errors.New("malformed")
	ErrEncrypted = errors.New("encrypted")
	ErrLimit     = errors.New("over a limit")
)

const (
	magic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

	headerSize = 512
	entrySize  = 128
	miniShift  = 6
	cutoff     = 4096 // bytes; shorter streams are in the mini stream

	maxSector   = 0xFFFFFFFA // larger numbers mark the end of a chain or a free sector
	noEntry     = 0xFFFFFFFF // link of a directory entry to no other
	maxEntries  = 1 << 18    // entries of the directory
	maxStorages = 64         // nested storages
	repeats     = 4          // all streams together may have this many times the size of the file
	freeBytes   = 1 << 20    // plus this many bytes
)

// File is an open container. It is not safe for concurrent use.
type File struct {
	Root *Storage

	data  []byte
	shift uint     // sector size is 1 << shift
	fat   []uint32 // at most one entry for each sector of the file
	mini  []uint32
	small []byte   // the mini stream
	left  int      // bytes that streams may still have
	loops bool     // a chain that was followed forms a loop
	short []string // streams that were read and have fewer bytes than their entry says
}

// Storage is a directory in a container.
type Storage struct {
	Name     string     // as stored
	Storages []*Storage // in directory order

	streams map[string]stream // by name in lower case
	file    *File
}

type stream struct {
	start uint32
	size  uint64
}

// Open reads the directory of the container in data, which must not be
// changed. The error wraps [ErrMalformed].
func Open(data []byte) (*File, error) {
	if len(data) < headerSize || !bytes.HasPrefix(data, []byte(magic)) {
		return nil, fmt.Errorf("%w: no container", ErrMalformed)
	}
	f := &File{data: data, shift: uint(binary.LittleEndian.Uint16(data[30:])), left: repeats*len(data) + freeBytes}
	if f.shift != 9 && f.shift != 12 {
		return nil, fmt.Errorf("%w: sectors of 2^%d bytes", ErrMalformed, f.shift)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	f.table(word)
	dir := f.chain(word(48), uint64(len(data)))
	if len(dir) < entrySize {
		return nil, fmt.Errorf("%w: no directory", ErrMalformed)
	}
	f.mini = numbers(f.chain(word(60), uint64(len(data))), len(data)>>miniShift)
	root := entry(dir[:entrySize])
	f.small = f.chain(root.start(), root.size(f.shift))
	f.Root = f.tree(dir)
	return f, nil
}

// Loops reports whether a sector chain of the directory or of a stream in
// the container forms a loop.
func Loops(data []byte) bool {
	f, err := Open(data)
	if err != nil {
		return false
	}
	todo := []*Storage{f.Root}
	for len(todo) > 0 && !f.loops {
		s := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], s.Storages...)
		for name := range s.streams {
			s.Stream(name)
		}
	}
	return f.loops
}

// table reads the FAT from the sectors listed in the header and in the DIFAT
// sectors.
func (f *File) table(word func(int) uint32) {
	sectors := len(f.data) >> f.shift
	add := func(n uint32) {
		if n < maxSector && len(f.fat) < sectors {
			f.fat = append(f.fat, numbers(f.sector(n), sectors-len(f.fat))...)
		}
	}
	for at := 76; at < headerSize; at += 4 {
		add(word(at))
	}
	next := word(68)
	for range sectors {
		s := f.sector(next)
		if next >= maxSector || len(s) < 1<<f.shift || len(f.fat) >= sectors {
			return
		}
		for at := 0; at < len(s)-4; at += 4 {
			add(binary.LittleEndian.Uint32(s[at:]))
		}
		next = binary.LittleEndian.Uint32(s[len(s)-4:])
	}
}

// numbers returns the 32-bit integers in b, at most limit.
func numbers(b []byte, limit int) []uint32 {
	n := make([]uint32, min(len(b)/4, max(limit, 0)))
	for i := range n {
		n[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return n
}

// sector returns sector n. It is shorter at the end of the file, and nil
// after it.
func (f *File) sector(n uint32) []byte {
	from := (int64(n) + 1) << f.shift
	if n >= maxSector || from >= int64(len(f.data)) {
		return nil
	}
	return f.data[from:min(from+1<<f.shift, int64(len(f.data)))]
}

// chain returns up to size bytes of the chain that begins at sector start.
// It returns less if the chain is broken or forms a loop. A chain of
// consecutive sectors is not copied.
func (f *File) chain(start uint32, size uint64) []byte {
	size = min(size, uint64(len(f.data)))
	var out []byte
	from, to := int64(0), int64(0) // consecutive sectors that have not been copied yet
	total := uint64(0)
	n := start
	mark, steps, until := n, 0, 1 // loop detection: a chain that reaches a marked sector again forms a loop (R. P. Brent)
	for range len(f.fat) + 1 {
		s := f.sector(n)
		if len(s) == 0 || total >= size {
			break
		}
		if f.loops = f.loops || steps > 0 && n == mark; steps == until {
			mark, steps, until = n, 0, 2*until
		}
		steps++
		at := (int64(n) + 1) << f.shift
		if at != to {
			out = append(out, f.data[from:to]...)
			from = at
		}
		to = at + int64(len(s))
		total += uint64(len(s))
		if int64(n) >= int64(len(f.fat)) {
			break
		}
		n = f.fat[n]
	}
	if out == nil {
		out = f.data[from:to:to]
	} else {
		out = append(out, f.data[from:to]...)
	}
	return out[:min(uint64(len(out)), size)]
}

// smallChain is like chain but reads the mini stream.
func (f *File) smallChain(start uint32, size uint64) []byte {
	size = min(size, cutoff)
	var out []byte
	n := int64(start)
	for uint64(len(out)) < size && n<<miniShift < int64(len(f.small)) {
		f.loops = f.loops || len(out) > len(f.small)
		at := n << miniShift
		out = append(out, f.small[at:min(at+1<<miniShift, int64(len(f.small)))]...)
		if n >= int64(len(f.mini)) {
			break
		}
		n = int64(f.mini[n])
	}
	return out[:min(uint64(len(out)), size)]
}

// entry is one directory entry.
type entry []byte

func (e entry) link(at int) int64 { return int64(binary.LittleEndian.Uint32(e[at:])) }
func (e entry) start() uint32     { return binary.LittleEndian.Uint32(e[116:]) }

func (e entry) size(shift uint) uint64 {
	if shift == 9 { // in version 3 the upper half is undefined
		return uint64(binary.LittleEndian.Uint32(e[120:]))
	}
	return binary.LittleEndian.Uint64(e[120:])
}

func (e entry) name() string { return UTF16(e[:64]) }

// tree returns the storages of a directory. It skips entries that have been
// visited.
func (f *File) tree(dir []byte) *Storage {
	count := int64(min(len(dir)/entrySize, maxEntries))
	at := func(i int64) entry { return dir[i*entrySize : (i+1)*entrySize] }
	type task struct {
		entry int64
		into  *Storage
		depth int
		ready bool // its left siblings have been read
	}
	root := f.storage("")
	seen := make([]bool, count)
	todo := []task{{entry: at(0).link(76), into: root}}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !t.ready {
			if t.entry >= count && t.entry != noEntry {
				f.tooShort("directory")
			}
			if t.entry <= 0 || t.entry >= count || seen[t.entry] {
				continue
			}
			seen[t.entry] = true
			e := at(t.entry)
			todo = append(todo, task{e.link(72), t.into, t.depth, false}, task{t.entry, t.into, t.depth, true}, task{e.link(68), t.into, t.depth, false})
			continue
		}
		e := at(t.entry)
		name := e.name()
		switch e[66] {
		case 1:
			s := f.storage(name)
			t.into.Storages = append(t.into.Storages, s)
			if t.depth < maxStorages {
				todo = append(todo, task{e.link(76), s, t.depth + 1, false})
			}
		case 2:
			key := strings.ToLower(name)
			if _, again := t.into.streams[key]; !again {
				t.into.streams[key] = stream{start: e.start(), size: e.size(f.shift)}
			}
		default: // an entry that is not in use, or the root again
			f.tooShort("directory")
		}
	}
	return root
}

func (f *File) storage(name string) *Storage {
	return &Storage{Name: name, streams: map[string]stream{}, file: f}
}

// Names yields the names of the streams in s, in lower case and in no order.
func (s *Storage) Names() iter.Seq[string] { return maps.Keys(s.streams) }

// Has reports whether s has a stream with a name, ignoring case.
func (s *Storage) Has(name string) bool {
	_, ok := s.streams[strings.ToLower(name)]
	return ok
}

// Stream returns the stream with a name, ignoring case, as far as it can be
// read. The result may be part of the file and must not be changed. It is
// nil if there is no such stream or if the limit on all streams is exceeded.
func (s *Storage) Stream(name string) []byte {
	st, ok := s.streams[strings.ToLower(name)]
	if !ok {
		return nil
	}
	if s.file.left <= 0 {
		s.file.tooShort(name)
		return nil
	}
	var b []byte
	if st.size < cutoff {
		b = s.file.smallChain(st.start, st.size)
	} else {
		b = s.file.chain(st.start, st.size)
	}
	s.file.left -= len(b)
	if uint64(len(b)) < st.size {
		s.file.tooShort(name)
	}
	return b
}

// tooShort records that a stream could not be read whole.
func (f *File) tooShort(name string) {
	const enough = 100 // more names than a document has warnings are of no use
	name = strings.TrimFunc(name, unicode.IsControl)
	if len(f.short) < enough && !slices.Contains(f.short, name) {
		f.short = append(f.short, name)
	}
}

// Short returns the names of the streams that were read so far and are shorter
// than the directory says, because the file is cut off or its sector chains are
// damaged, or because of the limit on all streams. If entries of the directory
// are missing or damaged, one of the names is "directory". It returns at most 100 names.
func (f *File) Short() []string { return f.short }

// Storage returns the storage with a name in s, ignoring case, or nil if
// there is none. A nil s has none.
func (s *Storage) Storage(name string) *Storage {
	if s == nil {
		return nil
	}
	for _, sub := range s.Storages {
		if strings.EqualFold(sub.Name, name) {
			return sub
		}
	}
	return nil
}
