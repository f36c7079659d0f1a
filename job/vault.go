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
	// defaultHeld is how many bytes of results are held in memory.
	defaultHeld = 256 << 20

	// packFrom is the size from which data is compressed, in bytes: less gives
	// nothing.
	packFrom = 256

	// segmentSize is after how many bytes results go to another file. A file is
	// freed when the last job with results in it is.
	segmentSize = 64 << 20

	// overhead is what an item takes in memory besides its data, in bytes.
	overhead = 64
)

// vault holds the data of items of jobs that have no directory: compressed in
// memory, and above a bound in temporary files. The zero value is ready.
type vault struct {
	most int64  // bytes in memory; zero means defaultHeld, below zero no bound
	dir  string // of the files; empty means that of the system

	mu       sync.Mutex
	held     int64    // guarded by mu; bytes in memory
	volatile int64    // guarded by mu; those of volatile jobs among them
	current  *segment // guarded by mu; nil: none yet
	failed   bool     // guarded by mu; the last result could not be written
}

// segment is a file of results. It has no name where the system allows it, so
// that nothing is left behind however the process ends.
type segment struct {
	file *os.File
	name string // what is to be removed; empty: nothing
	size int64  // guarded by vault.mu; bytes that were written
	live int64  // guarded by vault.mu; of these, those of jobs that are there
}

// datum is the data of one item.
type datum struct {
	text string   // in memory; empty of data in a file
	at   *stretch // in a file; nil of data in memory
}

// stretch is where in a file data is.
type stretch struct {
	in   *segment
	from int64
	size int
}

// head is what begins compressed data: its size before, in bytes.
const head = 4

// packers are reused: each takes about a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// pack returns data as it is held, and whether that is compressed.
func pack(data []byte) (held string, packed bool) {
	if len(data) < packFrom || len(data) > math.MaxInt32 {
		return string(data), false
	}
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) //nolint:gosec // G115: bounded above
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

// unpack is the reverse of pack.
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

// keep returns data as it is held, and whether that is compressed. Data of a
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

// spill moves d to a file. Where that fails, d stays as it is. The caller holds
// mu.
func (v *vault) spill(d *datum) bool {
	if s := v.current; s == nil || s.size >= segmentSize {
		f, err := os.CreateTemp(v.dir, "curlew-results-")
		if v.failed = err != nil; v.failed {
			return false
		}
		s = &segment{file: f}
		if os.Remove(f.Name()) != nil { // Windows does not unlink open files
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

// retire closes a segment that is not written to any more once nothing in it is
// live. The caller holds mu.
func (v *vault) retire(s *segment) {
	if s == nil || s.live > 0 {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}

// forget frees what items hold.
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

// full returns [ErrMemory] if no further job should be begun: results can only
// be held in memory, and take all that they may.
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
