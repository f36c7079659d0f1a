// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"path"
	"sync"
	"time"

	"example.com/curlew/internal/journal"
)

// ErrCrashed says that the process has crashed repeatedly during this work,
// which is therefore not tried again.
var ErrCrashed = errors.New("the process crashed repeatedly at this item")

// Attempter is an optional interface of a [Space] whose store survives the
// process. It records which items are being processed, so that an item that
// crashes the process fails alone.
//
// Items that were in progress when a process crashed are suspects. The next
// process tries suspects one at a time, after another item of the job if there
// is one. A suspect is not tried again if it has crashed the process alone
// twice without a commit of its job in between, or three times in total. Fewer
// crashes prove nothing: processes are also killed from outside, and a page
// that is always read soon after a start is in progress whenever a process is
// killed repeatedly.
type Attempter interface {
	// Begin records that the work starts. The caller calls begun before the
	// first item. Begin returns [ErrCrashed] if the process has crashed in
	// between twice, or five times if the job has begun before. The job then
	// fails.
	Begin() (begun func(), err error)

	// Attempt records that the item with this key is being tried. It returns a
	// function to call when the item has ended. A commit of the lease with that
	// Seq, or an Item with that Input, ends the item too. It returns
	// [ErrCrashed] for an item that must not be tried, and may wait for a
	// suspect's turn until ctx ends.
	Attempt(ctx context.Context, key uint64) (done func(), err error)
}

// Begin calls [Attempter.Begin] if s is an Attempter.
func Begin(s Space) (begun func(), err error) {
	if a, ok := attempter(s); ok {
		return a.Begin()
	}
	return func() {}, nil
}

// Attempt calls [Attempter.Attempt] if s is an Attempter.
func Attempt(ctx context.Context, s Space, key uint64) (done func(), err error) {
	if a, ok := attempter(s); ok {
		return a.Attempt(ctx, key)
	}
	return func() {}, nil
}

func attempter(s Space) (Attempter, bool) {
	if r, ok := s.(*runSpace); ok {
		s = r.Space
	}
	a, ok := s.(Attempter)
	return a, ok
}

// tries is a job's file of attempts: <dir>/jobs/<id>/tries. Its slots are
// written in place and not synced, so they survive a crash of the process, but
// not of the machine. A slot has 16 bytes:
//
//	0 crc32 of the rest | 4 state | 5 crashes | 6 flags | 8 key     little endian
//
// Slot 0 belongs to the job. Its state is trying between Begin and begun. Its
// flag says that something was committed since the file was opened. Its key is
// not zero if the job has ever begun.
type tries struct {
	disk   disk
	id     string
	logger *slog.Logger
	turn   chan struct{} // held by the suspect that is being tried, one at a time for the whole store

	once      sync.Once     // guards the closing of committed
	committed chan struct{} // closed at the first commit of the job

	mu    sync.Mutex
	file  journal.File   // guarded by mu; nil until the first attempt, or after an error of the disk
	slots []try          // guarded by mu
	free  []int          // guarded by mu; unused slots
	at    map[uint64]int // guarded by mu; slots by key
	dead  bool           // guarded by mu; no further attempts are recorded
}

// try is one slot.
type try struct {
	state   byte
	crashes byte // crashes of a suspect that was tried alone, or of the job before its first item
	flag    bool // the item is tried alone; for the job, something was committed
	key     uint64
}

// States of a slot.
const (
	idle = iota
	trying
	suspect
	condemned
)

const (
	slotSize  = 16
	mostSlots = 1 << 16
	mostAlone = 3           // crashes alone after which an item is not tried again
	mostBegun = 2           // crashes before the first item after which a job fails
	mostAgain = 5           // the same for a job that has begun before, because a process may be killed from outside while it starts
	suspectIn = time.Second // how long a suspect waits for a commit of its job
)

func triesOf(id string) string { return path.Join(home, id, "tries") }

func (f *Files) tries(id string) *tries {
	return &tries{
		disk: f.disk, id: id, logger: f.logger, turn: f.suspects,
		committed: make(chan struct{}), slots: make([]try, 1), at: map[uint64]int{},
	}
}

func (t try) encode() []byte {
	b := make([]byte, slotSize)
	b[4], b[5] = t.state, t.crashes
	if t.flag {
		b[6] = 1
	}
	binary.LittleEndian.PutUint64(b[8:], t.key)
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return b
}

// decodeTry decodes a slot. A damaged or unwritten slot is idle.
func decodeTry(b []byte) try {
	if crc32.ChecksumIEEE(b[4:]) != binary.LittleEndian.Uint32(b) || b[4] > condemned {
		return try{}
	}
	return try{b[4], b[5], b[6] == 1, binary.LittleEndian.Uint64(b[8:])}
}

// recall reads which items the previous process was trying when it ended, and
// makes them suspects. A process that ended normally has removed the file.
func (t *tries) recall() {
	f, err := t.disk.Open(triesOf(t.id))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.logger.Warn("attempts of a job not readable", slog.String("job", t.id), slog.Any("err", err))
		}
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.file = f
	size, err := f.Size()
	b := make([]byte, min(size, mostSlots*slotSize)/slotSize*slotSize)
	if n, _ := f.ReadAt(b, 0); err != nil || n < len(b) {
		b = nil
	}
	committed := false
	for i := 0; i*slotSize < len(b); i++ {
		was := decodeTry(b[i*slotSize : (i+1)*slotSize])
		if i == 0 {
			committed = was.flag
			t.slots[0] = try{crashes: was.crashes, key: was.key}
			if was.state != trying {
				t.slots[0].crashes = 0
			}
			t.write(0)
			continue
		}
		t.slots = append(t.slots, was.afterCrash(committed))
		if t.slots[i] != was {
			t.write(i)
		}
		if t.slots[i].state == idle {
			t.free = append(t.free, i)
			continue
		}
		t.at[t.slots[i].key] = i
		t.logger.Warn("the process ended while a job tried an item", slog.String("job", t.id), slog.Uint64("item", t.slots[i].key),
			slog.Bool("again", t.slots[i].state == suspect))
	}
}

// afterCrash returns the new state of a slot after a crash of the process.
func (t try) afterCrash(committed bool) try {
	switch {
	case t.state != trying:
		return t
	case t.flag:
		t.crashes++
		if !committed || t.crashes >= mostAlone {
			return try{state: condemned, crashes: t.crashes, key: t.key}
		}
	}
	return try{state: suspect, crashes: t.crashes, key: t.key}
}

// write writes a slot. The caller holds mu. After an error, no further attempts
// are recorded: the records only protect against crashes, so their loss is no
// reason to fail.
func (t *tries) write(i int) {
	if t.dead {
		return
	}
	var err error
	if t.file == nil {
		t.file, err = t.disk.Create(triesOf(t.id))
	}
	if err == nil {
		_, err = t.file.WriteAt(t.slots[i].encode(), int64(i)*slotSize)
	}
	if err != nil {
		t.dead = true
		t.logger.Warn("attempts of a job not noted", slog.String("job", t.id), slog.Any("err", err))
	}
}

// begin implements [Attempter.Begin].
func (t *tries) begin() (begun func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := byte(mostBegun)
	if t.slots[0].key != 0 {
		most = mostAgain
	}
	if t.slots[0].crashes >= most {
		return nil, ErrCrashed
	}
	t.slots[0].state = trying
	t.slots[0].crashes++
	t.write(0)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.slots[0].state == trying {
			t.slots[0].state, t.slots[0].crashes, t.slots[0].key = idle, 0, 1
			t.write(0)
		}
	}, nil
}

// attempt implements [Attempter.Attempt].
func (t *tries) attempt(ctx context.Context, key uint64) (done func(), err error) {
	t.mu.Lock()
	i, known := t.at[key]
	state := byte(idle)
	if known {
		state = t.slots[i].state
	}
	t.mu.Unlock()
	switch state {
	case condemned:
		return nil, ErrCrashed
	case suspect:
		if err := t.alone(ctx); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !known {
		if n := len(t.free); n > 0 {
			i, t.free = t.free[n-1], t.free[:n-1]
		} else {
			i = len(t.slots)
			t.slots = append(t.slots, try{})
		}
		t.at[key] = i
	}
	t.slots[i] = try{state: trying, crashes: t.slots[i].crashes, flag: state == suspect, key: key}
	t.write(i)
	return func() { t.end(key) }, nil
}

// alone waits for the turn of a suspect.
func (t *tries) alone(ctx context.Context) error {
	timer := time.NewTimer(suspectIn)
	defer timer.Stop()
	select {
	case <-t.committed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end records that an item has ended, successfully or not.
func (t *tries) end(key uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, ok := t.at[key]
	if !ok {
		return
	}
	if t.slots[i].flag {
		<-t.turn
	}
	delete(t.at, key)
	t.slots[i] = try{}
	t.free = append(t.free, i)
	t.write(i)
}

// commit records that something of the job has been committed.
func (t *tries) commit() {
	t.once.Do(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.slots[0].flag = true
		t.write(0)
		close(t.committed)
	})
}

// close ends the recording normally, so that the current items do not become
// suspects. Suspects remain suspects.
func (t *tries) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		t.dead = true
		return nil
	}
	left := false
	for i := range t.slots {
		s := &t.slots[i]
		switch {
		case i == 0:
			*s = try{}
		case s.flag:
			<-t.turn
			*s = try{state: suspect, crashes: s.crashes, key: s.key}
		case s.state == trying:
			*s = try{}
		}
		left = left || s.state != idle
	}
	if left {
		for i := range t.slots {
			t.write(i)
		}
	}
	t.dead = true
	err := t.file.Close()
	t.file = nil
	if !left {
		err = errors.Join(err, t.disk.RemoveAll(triesOf(t.id)))
	}
	return err
}
