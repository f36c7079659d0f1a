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
	"slices"
	"sync"
)

const (
	// defaultHeld is how many bytes of results are held in memory by default.
	defaultHeld = 256 << 20

	// packFrom is the size in bytes from which data is compressed. Compressing
	// less saves nothing.
	packFrom = 256

	// plainShare is the part of the memory for results below which they are not
	// compressed. Most jobs end within it, and compressing takes longer than all
	// else that is done with a result.
	plainShare = 4

	// packerBytes is the size of the largest buffer that is reused.
	packerBytes = 1 << 20

	// segmentSize is the size of a file after which a new one is started. A
	// file is freed when no job has results in it.
	segmentSize = 64 << 20

	// overhead is the approximate memory for an item besides its data, in
	// bytes.
	overhead = 64
)

// vault stores the data of items of jobs without a directory: in memory,
// compressed once a share of it is used, and above a limit in temporary files. The
// zero value is ready to use.
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
	held []byte   // in memory; empty if the data is in a file
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

// packer compresses to a buffer.
type packer struct {
	out bytes.Buffer
	w   *flate.Writer
}

// packers are reused, because each takes about a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return &packer{w: w}
}}

// pack returns data in its stored form, and whether that is compressed.
func pack(data []byte) (held []byte, packed bool) {
	if len(data) < packFrom || len(data) > math.MaxInt32 {
		return bytes.Clone(data), false
	}
	p := packers.Get().(*packer)
	defer func() {
		if p.out.Cap() <= packerBytes {
			packers.Put(p)
		}
	}()
	p.out.Reset()
	p.out.Write(binary.LittleEndian.AppendUint32(p.out.AvailableBuffer(), uint32(len(data)))) //nolint:gosec // limited above
	p.w.Reset(&p.out)
	_, err := p.w.Write(data)
	if err == nil {
		err = p.w.Close()
	}
	if err != nil || p.out.Len() > len(data)-len(data)/8 {
		return bytes.Clone(data), false
	}
	return bytes.Clone(p.out.Bytes()), true
}

// unpack reverses pack. Data that is not compressed is not copied.
func unpack(held []byte, packed bool) ([]byte, error) {
	if !packed {
		return slices.Clip(held), nil
	}
	plain := make([]byte, binary.LittleEndian.Uint32(held[:head]))
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(held[head:])), plain); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return plain, nil
}

// keep stores data and returns where, and whether it is compressed. Data of a
// volatile job stays in memory.
func (v *vault) keep(data []byte, volatile bool) (d datum, packed bool) {
	if v.roomy(len(data)) {
		d.held = bytes.Clone(data)
	} else {
		d.held, packed = pack(data)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n := int64(len(d.held))
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

// roomy reports whether there is so much room that n more bytes need not be
// compressed.
func (v *vault) roomy(n int) bool {
	most := cmp.Or(v.most, defaultHeld)
	if most < 0 {
		most = defaultHeld
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held+int64(n) <= most/plainShare
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
	n, err := s.file.WriteAt(d.held, s.size)
	if v.failed = err != nil; v.failed {
		return false
	}
	d.at, d.held = &stretch{s, s.size, n}, nil
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
		n := int64(len(e.held)) + overhead
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
	held := d.held
	if d.at != nil {
		held = make([]byte, d.at.size)
		if _, err := d.at.in.file.ReadAt(held, d.at.from); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
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
