// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"
)

const (
	syncEvery = 50 * time.Millisecond // while nobody waits
	syncSoon  = 2 * time.Millisecond  // while somebody does
	syncBytes = 1 << 20               // at once, this much after the last sync
	keptBytes = 2 << 20               // so much may wait for a sync; more waits to be appended
	tornBytes = 64 << 10              // how far from the end a bad frame may be a torn one

	inlineBytes  = 1 << 10  // of a blob that stands beside its head
	segmentBytes = 64 << 20 // after which a segment is full
)

// Log is one open journal. It is safe for concurrent use. One goroutine syncs
// for all callers; Close waits for it.
type Log struct {
	fsys   FS
	name   string
	header Header
	marker marker
	cut    int64
	lost   bool
	limit  int64 // bytes of a segment
	shelf  shelf // of segments that are not written to any more

	// files is held for reading by readers of the tails' files, and for writing
	// by the syncer when it replaces or closes one. It comes after mu.
	files sync.RWMutex

	mu     sync.Mutex // guards what follows
	heads  *tail
	blobs  []*tail       // segments that have bytes to be synced; the last is written to
	fresh  bool          // a segment was made since the last sync
	passed int64         // what the last mark says
	err    error         // poison; set once
	full   error         // the disk is full; nil if it is not
	synced chan struct{} // closed and replaced when the durable position, err or full changes

	dirty  chan struct{} // wakes the syncer; holds one
	urgent chan struct{} // makes it sync soon; holds one
	quit   chan struct{}
	gone   chan struct{} // closed when the syncer has ended
}

// Create makes a new log, and makes its being there durable. It fails with
// [fs.ErrExist] where there is one.
func Create(fsys FS, name string, h Header) (*Log, error) {
	f, err := fsys.Create(name)
	if err != nil {
		return nil, err
	}
	var m marker
	_, _ = rand.Read(m[:]) // never fails
	err = func() error {
		if _, err := f.WriteAt(h.encode(m), 0); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		return fsys.SyncDir(path.Dir(name))
	}()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create journal %s: %w", name, err), f.Close())
	}
	l := newLog(fsys, name, h, m)
	l.start(f, headerSize)
	return l, nil
}

// Open opens a log and cuts a torn tail, saying by [Log.Cut] how much. Its
// error wraps [ErrCorrupt] where damage lies before the tail, and [ErrVersion]
// if another version of this package wrote the log.
func Open(fsys FS, name string) (*Log, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	l, err := open(fsys, name, f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", name, err), f.Close())
	}
	return l, nil
}

func open(fsys FS, name string, f File) (*Log, error) {
	h, m, size, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	l := newLog(fsys, name, h, m)
	v := verifier{log: l, reader: reader{file: f, end: size, marker: m}}
	end, err := v.run(size)
	if err == nil && end < size {
		// The cut must be durable before anything is written after it: else the
		// old tail could come back behind new frames.
		l.cut, l.lost = size-end, v.lost
		err = f.Truncate(end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.goOn(v.last)
	}
	if err != nil {
		return nil, errors.Join(err, l.shelf.close())
	}
	l.start(f, end)
	return l, nil
}

// goOn opens the segment that was written to last, and cuts what no head refers
// to: a write that never came to its end.
func (l *Log) goOn(last place) error {
	if last.segment == 0 {
		return nil
	}
	t := &tail{segment: last.segment, durable: last.offset, end: last.offset}
	var err error
	if t.file, err = openOrCreate(l.fsys, segmentName(l.name, last.segment)); err != nil {
		return err
	}
	l.blobs = []*tail{t}
	size, err := t.file.Size()
	if err == nil && size > last.offset {
		if err = t.file.Truncate(last.offset); err == nil {
			err = t.file.Sync()
		}
	}
	if err != nil {
		return errors.Join(err, t.file.Close())
	}
	return nil
}

func newLog(fsys FS, name string, h Header, m marker) *Log {
	return &Log{
		fsys: fsys, name: name, header: h, marker: m, limit: segmentBytes, shelf: shelf{fsys: fsys, name: name},
		synced: make(chan struct{}), dirty: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
}

// start begins to write to f at end.
func (l *Log) start(f File, end int64) {
	l.heads = &tail{file: f, durable: end, end: end}
	l.passed = end
	go l.syncer()
}

// Header returns what was given when the log was created.
func (l *Log) Header() Header { return l.header }

// Cut returns how many bytes of heads the opening dropped from a torn tail, and
// whether records were among them that a sync had passed.
func (l *Log) Cut() (bytes int64, synced bool) { return l.cut, l.lost }

// Append writes one record and returns its position, which grows. The head must
// not be empty and its first byte, its type, not 6. The record is written when
// Append returns; it is durable when [Log.Durable] exceeds pos. The error is
// that of the first write or sync that failed, for ever. On a full disk Append
// succeeds: the record is kept in memory until there is room. Callers that may
// append much ask [Log.Full] first.
func (l *Log) Append(head, blob []byte) (pos int64, err error) {
	return l.AppendTagged(head, 1, blob)
}

// AppendTagged is Append with the first tag bytes of head kept beside a blob in
// its segment too: what [Reader.Salvage] gives of a record whose head is lost.
func (l *Log) AppendTagged(head []byte, tag int, blob []byte) (pos int64, err error) {
	if len(head) == 0 || head[0] == mark {
		return 0, errors.New("record without a type of its own")
	}
	if len(head) > maxPart || len(blob) > maxPart {
		return 0, ErrTooBig
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.full == nil && l.waiting() > keptBytes {
		changed := l.synced
		l.mu.Unlock()
		wake(l.urgent)
		<-changed
		l.mu.Lock()
	}
	if l.err != nil {
		return 0, l.err
	}
	var ref uint64
	if len(blob) > inlineBytes {
		if ref, err = l.store(head[:max(1, min(tag, len(head)))], blob); err != nil {
			return 0, err
		}
	}
	pos, err = l.write(l.heads, ref, head, blob)
	if err != nil {
		return 0, err
	}
	wake(l.dirty)
	if l.waiting() >= syncBytes {
		wake(l.urgent)
	}
	return pos, nil
}

// waiting returns how many bytes no sync has passed. The caller holds mu.
func (l *Log) waiting() int {
	n := len(l.heads.buf)
	for _, t := range l.blobs {
		n += len(t.buf)
	}
	return n
}

// store writes a blob to the last segment, or to a new one, and returns where
// it is. The caller holds mu.
func (l *Log) store(tag, blob []byte) (ref uint64, err error) {
	var t *tail
	if n := len(l.blobs); n > 0 {
		t = l.blobs[n-1]
	}
	if t == nil || t.end > headerSize && t.end+frameSize+int64(len(tag)+len(blob)) > l.limit {
		next := &tail{segment: 1}
		if t != nil {
			next.segment = t.segment + 1
		}
		next.buf = l.header.encode(l.marker)
		if err := l.flush(next, 0); err != nil {
			return 0, err
		}
		l.blobs, l.fresh, t = append(l.blobs, next), true, next
	}
	at := place{t.segment, t.end}
	_, err = l.write(t, uint64(l.heads.end), tag, blob) // #nosec G115 -- positions are positive
	return at.ref(), err
}

// write writes one frame to t. The caller holds mu.
func (l *Log) write(t *tail, ref uint64, head, blob []byte) (int64, error) {
	if l.err != nil {
		return 0, l.err
	}
	pos, start := t.end, len(t.buf)
	t.buf = appendFrame(t.fill(), l.marker, place{t.segment, t.end}, ref, head, blob)
	return pos, l.flush(t, start)
}

// flush writes what stands in t's buffer from start on, unless the disk is
// full. The caller holds mu.
func (l *Log) flush(t *tail, start int) error {
	if l.full == nil {
		err := t.create(l.fsys, l.name)
		if err == nil {
			_, err = t.file.WriteAt(t.buf[start:], t.end)
		}
		if err = l.fault(err); err != nil {
			return err
		}
	}
	t.end += int64(len(t.buf) - start)
	return nil
}

// fault makes err the log's: its poison, which is returned, or the fullness of
// its disk. The caller holds mu.
func (l *Log) fault(err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err):
		if l.full == nil {
			l.full = fmt.Errorf("journal: %w", err)
			l.announce()
		}
		wake(l.urgent)
		return nil
	}
	l.poison(err)
	return l.err
}

// poison ends all writing. The caller holds mu.
func (l *Log) poison(err error) {
	if l.err == nil {
		l.err = fmt.Errorf("journal: %w", err)
		l.announce()
	}
}

// announce wakes all callers of Sync. The caller holds mu.
func (l *Log) announce() {
	close(l.synced)
	l.synced = make(chan struct{})
}

// Durable returns the position that the last sync has passed: every record
// before it survives a power cut.
func (l *Log) Durable() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heads.durable
}

// Advance returns when Durable exceeds last, with its value, or when it never
// will any more, with the error that ended the log: [ErrClosed] after Close.
func (l *Log) Advance(last int64) (int64, error) {
	for {
		l.mu.Lock()
		durable, err, changed := l.heads.durable, l.err, l.synced
		l.mu.Unlock()
		if durable > last || err != nil {
			return durable, err
		}
		<-changed
	}
}

// Sync returns when every record appended before the call is durable, or with
// the error that poisoned the log, or ctx's. On a full disk it waits for room.
func (l *Log) Sync(ctx context.Context) error {
	l.mu.Lock()
	want := l.heads.end
	l.mu.Unlock()
	wake(l.urgent)
	return l.await(ctx, func() (bool, error) { return l.heads.durable >= want, nil })
}

// Flush is Sync, but does not wait for room: its error is that of [Log.Full].
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	want := l.heads.end
	l.mu.Unlock()
	wake(l.urgent)
	return l.await(ctx, func() (bool, error) { return l.heads.durable >= want, l.full })
}

// await returns when done, which is asked with mu held, says so, or with its
// error, the one that poisoned the log, or ctx's.
func (l *Log) await(ctx context.Context, done func() (bool, error)) error {
	for {
		l.mu.Lock()
		over, err := done()
		if l.err != nil {
			err = l.err
		}
		changed := l.synced
		l.mu.Unlock()
		if over {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wake leaves a token in c, which holds one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// syncer syncs: soon while somebody waits or much was written, else in a while.
func (l *Log) syncer() {
	defer close(l.gone)
	for {
		if l.Full() != nil {
			if l.refill() {
				return
			}
			continue
		}
		select {
		case <-l.quit:
			l.sync()
			if l.Full() != nil {
				l.rewrite()
			}
			return
		case <-l.dirty:
		case <-l.urgent:
			wake(l.urgent)
		}
		timer := time.NewTimer(syncEvery)
		select {
		case <-timer.C:
		case <-l.quit:
		case <-l.urgent:
			// A little patience lets other writers join.
			timer.Reset(syncSoon)
			select {
			case <-timer.C:
			case <-l.quit:
			}
		}
		timer.Stop()
		l.sync()
	}
}

// sync makes durable what has been written, and leaves a mark that says so.
// Blobs come first: no head that is durable refers to one that is not.
func (l *Log) sync() {
	l.mu.Lock()
	select {
	case <-l.urgent: // whoever asked has written before this, and will be served
	default:
	}
	end := l.heads.end
	if end == l.heads.durable || l.err != nil || l.full != nil {
		l.mu.Unlock()
		return
	}
	blobs, fresh := l.pending(), l.fresh
	l.fresh = false
	l.mu.Unlock()

	var err error
	for _, p := range blobs {
		if err == nil {
			err = p.file.Sync()
		}
	}
	if err == nil && fresh {
		err = l.fsys.SyncDir(path.Dir(l.name))
	}
	if err == nil {
		err = l.heads.file.Sync() // the syncer alone replaces it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.fresh = l.fresh || fresh
		_ = l.fault(err)
		return
	}
	for _, p := range blobs {
		p.sync(p.upTo)
	}
	l.shelve()
	l.heads.sync(end)
	if end > l.passed {
		l.passed = end
		markEnd := l.heads.end
		// The mark is a hint for the opening; it waits for the next sync.
		if _, err := l.write(l.heads, 0, binary.AppendUvarint([]byte{mark}, uint64(end)), nil); err == nil && l.full == nil && markEnd == end { // #nosec G115 -- positions are positive
			// Nothing but the mark is behind the sync: do not sync for it alone.
			l.heads.sync(l.heads.end)
			l.passed = l.heads.end
		}
	}
	l.announce()
}

// unsynced is a tail, and how far it reached when a sync began.
type unsynced struct {
	*tail
	upTo int64
}

// pending returns the segments that have something to be synced. The caller
// holds mu.
func (l *Log) pending() (list []unsynced) {
	for _, t := range l.blobs {
		if len(t.buf) > 0 {
			list = append(list, unsynced{t, t.end})
		}
	}
	return list
}

// shelve closes segments that are full and synced. The caller holds mu.
func (l *Log) shelve() {
	for len(l.blobs) > 1 && len(l.blobs[0].buf) == 0 {
		l.files.Lock()
		_ = l.blobs[0].file.Close() // it is synced
		l.files.Unlock()
		l.blobs = l.blobs[1:]
	}
}

// Blob reads the blob of the record at pos. The error wraps [ErrCorrupt] where
// it is damaged: of this record only.
func (l *Log) Blob(pos int64) ([]byte, error) {
	return readBlob(view{l, 0}, l.segment, l.marker, pos, l.size())
}

// Head reads the head of the record at pos again.
func (l *Log) Head(pos int64) ([]byte, error) {
	_, head, err := readHead(view{l, 0}, l.marker, pos, l.size())
	return head, err
}

func (l *Log) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heads.end
}

// Replay calls visit for each record that was there when it was called, in the
// order of their positions. head is valid until visit returns. It stops at
// visit's first error and returns it.
func (l *Log) Replay(visit func(pos int64, head []byte) error) error {
	return replay(view{l, 0}, l.marker, l.size(), visit)
}

// Close syncs, ends the syncer and closes the files. Its error is that of the
// log, if it is poisoned or its disk is full, or of the closing. What was not
// synced on a full disk is lost: nobody was told that it is there.
func (l *Log) Close() error {
	l.mu.Lock()
	select {
	case <-l.quit:
		l.mu.Unlock()
		<-l.gone
		return nil
	default:
	}
	close(l.quit)
	l.mu.Unlock()
	<-l.gone
	l.mu.Lock()
	defer l.mu.Unlock()
	errs := []error{l.err}
	if l.err == nil {
		errs[0] = l.full
	}
	l.full = nil
	l.poison(ErrClosed)
	l.files.Lock()
	defer l.files.Unlock()
	for _, t := range append(l.blobs, l.heads) {
		errs = append(errs, t.close())
	}
	return errors.Join(append(errs, l.shelf.close())...)
}
