// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
)

const (
	// defaultHeld is how many bytes of results are held in memory by default.
	defaultHeld = 256 << 20

	// packFrom is the size in bytes from which data is compressed. Compressing
	// less saves nothing.
	packFrom = 256

	// segmentSize is the size of a file after which a new one is started. A
	// file is freed when no job has results in it.
	segmentSize = 64 << 20

	// overhead is the approximate memory for an item besides its data, in
	// bytes.
	overhead = 64
)

// vault stores the data of items of jobs without a directory: compressed in
// memory, and above a limit in temporary files. The zero value is ready to use.
type vault struct {
	most int64  // maximum number of bytes in memory; zero means defaultHeld, negative means no limit
	dir  string // of the files; empty means the system's

	mu       sync.Mutex
	held     int64    // guarded by mu; bytes in memory
	volatile int64    // guarded by mu; the part of held that belongs to volatile jobs
	current  *segment // guarded by mu; nil if there is none
	failed   bool     // guarded by mu; the last result could not be written
}

// segment is a file of results. It has no name if the system allows it, so that
// nothing is left behind after a crash.
type segment struct {
	file *os.File
	name string // to be removed; empty if the file has no name
	size int64  // guarded by vault.mu; bytes written
	live int64  // guarded by vault.mu; bytes of existing jobs among them
}

// datum is the data of one item.
type datum struct {
	text string   // in memory; empty if the data is in a file
	at   *stretch // in a file; nil if the data is in memory
}

// stretch is a range of bytes in a file.
type stretch struct {
	in   *segment
	from int64
	size int
}

// head is the size of the prefix of compressed data, which is its original
// size.
const head = 4

// packers are reused, because each takes about a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// pack returns data in its stored form, and whether that is compressed.
func pack(data []byte) (held string, packed bool) {
	if len(data) < packFrom || len(data) > math.MaxInt32 {
		return string(data), false
	}
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) //nolint:gosec // limited above
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil || b.Len() > len(data)-len(data)/8 {
		return string(data), false
	}
	return b.String(), true
}

// unpack reverses pack.
func unpack(held string, packed bool) ([]byte, error) {
	if !packed {
		return []byte(held), nil
	}
	plain := make([]byte, binary.LittleEndian.Uint32([]byte(held[:head])))
	if _, err := io.ReadFull(flate.NewReader(strings.NewReader(held[head:])), plain); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return plain, nil
}

// keep stores data and returns where, and whether it is compressed. Data of a
// volatile job stays in memory.
func (v *vault) keep(data []byte, volatile bool) (d datum, packed bool) {
	d.text, packed = pack(data)
	v.mu.Lock()
	defer v.mu.Unlock()
	n := int64(len(d.text))
	if most := cmp.Or(v.most, defaultHeld); !volatile && most >= 0 && v.held+n+overhead > most && n >= packFrom {
		if v.spill(&d) {
			n = 0
		}
	}
	v.held += n + overhead
	if volatile {
		v.volatile += n + overhead
	}
	return d, packed
}

// spill moves d to a file. If that fails, d is unchanged. The caller holds mu.
func (v *vault) spill(d *datum) bool {
	if s := v.current; s == nil || s.size >= segmentSize {
		f, err := os.CreateTemp(v.dir, "curlew-results-")
		if v.failed = err != nil; v.failed {
			return false
		}
		s = &segment{file: f}
		if os.Remove(f.Name()) != nil { // Windows cannot remove open files
			s.name = f.Name()
		}
		v.retire(v.current)
		v.current = s
	}
	s := v.current
	n, err := s.file.WriteAt([]byte(d.text), s.size)
	if v.failed = err != nil; v.failed {
		return false
	}
	d.at, d.text = &stretch{s, s.size, n}, ""
	s.size += int64(n)
	s.live += int64(n)
	return true
}

// retire closes a complete segment when no data in it is used. The caller holds
// mu.
func (v *vault) retire(s *segment) {
	if s == nil || s.live > 0 {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}

// forget frees the data of items.
func (v *vault) forget(items []entry, volatile bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range items {
		n := int64(len(e.text)) + overhead
		v.held -= n
		if volatile {
			v.volatile -= n
		}
		if e.at == nil {
			continue
		}
		s := e.at.in
		if s.live -= int64(e.at.size); s.live == 0 {
			if s == v.current {
				v.current = nil
			}
			v.retire(s)
		}
	}
}

// read returns the data of an item.
func (d *datum) read(packed bool) ([]byte, error) {
	held := d.text
	if d.at != nil {
		b := make([]byte, d.at.size)
		if _, err := d.at.in.file.ReadAt(b, d.at.from); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		held = string(b)
	}
	return unpack(held, packed)
}

// full returns [ErrMemory] if no further job should be started, because results
// can only be held in memory and the limit is reached.
func (v *vault) full(volatile bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	most := cmp.Or(v.most, defaultHeld)
	switch {
	case most < 0:
	case volatile && v.volatile >= most, v.failed && v.held >= most:
		return ErrMemory
	}
	return nil
}
