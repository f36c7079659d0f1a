// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"sync"
	"time"
)

const (
	syncEvery = 50 * time.Millisecond // interval if no caller waits
	syncSoon  = 2 * time.Millisecond  // delay if a caller waits
	syncBytes = 1 << 20               // unsynced bytes after which a sync starts at once
	keptBytes = 2 << 20               // maximum of unsynced bytes; Append waits beyond it
	tornBytes = 64 << 10              // distance from the end within which an invalid frame counts as a torn write

	inlineBytes  = 1 << 10  // maximum size of a blob that is stored beside its head
	segmentBytes = 64 << 20 // maximum size of a segment, unless it has a single larger blob
)

// Log is an open journal. It is safe for concurrent use. One goroutine syncs
// for all callers, and Close waits for it.
type Log struct {
	fsys   FS
	name   string
	header Header
	marker marker
	cut    int64
	lost   bool
	limit  int64 // segmentBytes, or less in tests
	shelf  shelf // complete segments

	// files guards the files of the tails. Readers hold it for reading. The
	// syncer holds it for writing when it replaces or closes a file. It is
	// locked after mu.
	files sync.RWMutex

	mu     sync.Mutex // guards what follows
	heads  *tail
	blobs  []*tail       // segments with unsynced bytes; the last one is being written
	fresh  bool          // a segment was created since the last sync
	passed int64         // position in the last mark
	err    error         // why all writing has ended; set once
	full   error         // why the disk is full, or nil
	synced chan struct{} // closed and replaced when the durable position, err or full changes

	dirty  chan struct{} // wakes the syncer; has a buffer of one
	urgent chan struct{} // makes the syncer hurry; has a buffer of one
	much   chan struct{} // makes it sync at once; has a buffer of one
	quit   chan struct{}
	gone   chan struct{} // closed when the syncer has ended
}

// Create creates a new log and makes its existence durable. If it exists, it
// fails with [fs.ErrExist].
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

// Open opens a log and truncates an incomplete tail, as [Log.Cut] reports. If
// there is damage before the tail, the error wraps [ErrCorrupt]. If another
// version of this package wrote the log, it wraps [ErrVersion].
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
		// The truncation must be durable before anything is written. Otherwise
		// the old tail could reappear after new frames.
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

// goOn opens the last segment and truncates data that no head refers to, which
// is left from an unfinished write.
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
		synced: make(chan struct{}), dirty: make(chan struct{}, 1), urgent: make(chan struct{}, 1), much: make(chan struct{}, 1),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
}

// start prepares f for writing at end.
func (l *Log) start(f File, end int64) {
	l.heads = &tail{file: f, durable: end, end: end}
	l.passed = end
	go l.syncer()
}

// Header returns the header that was given at the creation of the log.
func (l *Log) Header() Header { return l.header }

// Cut returns how many bytes of heads were truncated when the log was opened,
// and whether they included records that had been synced.
func (l *Log) Cut() (bytes int64, synced bool) { return l.cut, l.lost }

// Append writes a record and returns its position. Positions increase. The head
// must not be empty, and its first byte, which is its type, must not be 6. When
// Append returns, the record is written. It is durable when [Log.Durable]
// exceeds pos. After a failed write or sync, Append always returns that error.
// On a full disk Append succeeds and keeps the record in memory until there is
// space. Callers that may append much should call [Log.Full] first.
func (l *Log) Append(head, blob []byte) (pos int64, err error) {
	return l.AppendTagged(head, 1, blob)
}

// AppendTagged is like Append, but also stores the first tag bytes of head
// beside a blob in its segment. [Salvage] returns them for a record whose head is
// lost.
func (l *Log) AppendTagged(head []byte, tag int, blob []byte) (pos int64, err error) {
	if len(head) == 0 || head[0] == mark {
		return 0, errors.New("record has no type")
	}
	if len(head) > maxPart || len(blob) > maxPart {
		return 0, ErrTooBig
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.full == nil && l.waiting() > keptBytes {
		changed := l.synced
		l.mu.Unlock()
		wake(l.much)
		<-changed
		l.mu.Lock()
	}
	if l.err != nil {
		return 0, l.err
	}
	var ref uint64
	sum := crc32.Checksum(blob, castagnoli)
	if len(blob) > inlineBytes {
		if ref, err = l.store(head[:max(1, min(tag, len(head)))], blob, sum); err != nil {
			return 0, err
		}
	}
	pos, err = l.write(l.heads, ref, head, blob, sum)
	if err != nil {
		return 0, err
	}
	wake(l.dirty)
	if l.waiting() >= syncBytes {
		wake(l.much)
	}
	return pos, nil
}

// waiting returns the number of unsynced bytes. The caller holds mu.
func (l *Log) waiting() int {
	n := len(l.heads.buf)
	for _, t := range l.blobs {
		n += len(t.buf)
	}
	return n
}

// store writes a blob to the last segment or to a new one, and returns its
// reference. sum is its checksum. The caller holds mu.
func (l *Log) store(tag, blob []byte, sum uint32) (ref uint64, err error) {
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
	_, err = l.write(t, uint64(l.heads.end), tag, blob, sum) // #nosec G115 -- positions are positive
	return at.ref(), err
}

// write writes a frame to t. sum is the checksum of blob. The caller holds mu.
func (l *Log) write(t *tail, ref uint64, head, blob []byte, sum uint32) (int64, error) {
	if l.err != nil {
		return 0, l.err
	}
	pos, start := t.end, len(t.buf)
	t.buf = appendFrame(t.fill(), l.marker, place{t.segment, t.end}, ref, head, blob, sum)
	return pos, l.flush(t, start)
}

// flush writes t's buffer from start on, unless the disk is full. The caller
// holds mu.
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

// fault handles an error of the file system. If the disk is full, it records
// this. Otherwise it ends all writing and returns the error. The caller holds
// mu.
func (l *Log) fault(err error) error {
	switch {
	case err == nil:
		return nil
	case IsFull(err):
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

// poison ends all writing with err. The caller holds mu.
func (l *Log) poison(err error) {
	if l.err == nil {
		l.err = fmt.Errorf("journal: %w", err)
		l.announce()
	}
}

// announce wakes all waiting callers. The caller holds mu.
func (l *Log) announce() {
	close(l.synced)
	l.synced = make(chan struct{})
}

// Durable returns the position up to which everything is synced. Every record
// before it survives a power failure.
func (l *Log) Durable() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heads.durable
}

// Advance waits until Durable exceeds last, and returns its value. If this can
// no longer happen, it returns the error that ended the log, which is
// [ErrClosed] after Close.
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

// Sync waits until every record appended before the call is durable. It returns
// the error that ended all writing, or that of ctx. On a full disk it waits for
// space.
func (l *Log) Sync(ctx context.Context) error {
	l.mu.Lock()
	want := l.heads.end
	l.mu.Unlock()
	wake(l.urgent)
	return l.await(ctx, func() (bool, error) { return l.heads.durable >= want, nil })
}

// Flush is like Sync, but on a full disk it returns the error of [Log.Full].
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	want := l.heads.end
	l.mu.Unlock()
	wake(l.urgent)
	return l.await(ctx, func() (bool, error) { return l.heads.durable >= want, l.full })
}

// await waits until done returns true or an error. done is called while mu is
// held. await also returns the error that ended all writing, or that of ctx.
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

// wake sends to c without blocking.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// syncer syncs at once if much was written, soon if a caller waits, and otherwise
// at intervals.
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
		case <-l.much:
			wake(l.much)
		}
		timer := time.NewTimer(syncEvery)
		select {
		case <-timer.C:
		case <-l.quit:
		case <-l.much:
		case <-l.urgent:
			// Wait a little, so that other writers can join.
			timer.Reset(syncSoon)
			select {
			case <-timer.C:
			case <-l.quit:
			case <-l.much:
			}
		}
		timer.Stop()
		l.sync()
	}
}

// sync makes durable what has been written, and writes a mark with the new
// position. Blobs are synced first, so that no durable head refers to a blob
// that is not durable.
func (l *Log) sync() {
	l.mu.Lock()
	select {
	case <-l.urgent: // the callers have written before this point, so this sync includes them
	default:
	}
	select {
	case <-l.much:
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
		err = l.heads.file.Sync() // only the syncer replaces it
	}
	if err == nil {
		// Writing and syncing a file that was removed succeeds, but nobody can open it
		// again.
		if lost := l.fsys.Exists(l.name); errors.Is(lost, errNotExist) {
			err = fmt.Errorf("the file was removed while it was in use: %w", lost)
		}
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
		// The mark only speeds up the next opening, so it waits for the next
		// sync.
		if _, err := l.write(l.heads, 0, binary.AppendUvarint([]byte{mark}, uint64(end)), nil, 0); err == nil && l.full == nil && markEnd == end { // #nosec G115 -- positions are positive
			// Only the mark is unsynced. It needs no sync of its own.
			l.heads.sync(l.heads.end)
			l.passed = l.heads.end
		}
	}
	l.announce()
}

// unsynced is a tail with its end when a sync started.
type unsynced struct {
	*tail
	upTo int64
}

// pending returns the segments with unsynced data. The caller holds mu.
func (l *Log) pending() (list []unsynced) {
	for _, t := range l.blobs {
		if len(t.buf) > 0 {
			list = append(list, unsynced{t, t.end})
		}
	}
	return list
}

// shelve closes segments that are complete and synced. The caller holds mu.
func (l *Log) shelve() {
	for len(l.blobs) > 1 && len(l.blobs[0].buf) == 0 {
		l.files.Lock()
		_ = l.blobs[0].file.Close() // it is synced
		l.files.Unlock()
		l.blobs = l.blobs[1:]
	}
}

// Blob reads the blob of the record at pos. If this blob is damaged, the error
// wraps [ErrCorrupt].
func (l *Log) Blob(pos int64) ([]byte, error) {
	return readBlob(view{l, 0}, l.segment, l.marker, pos, l.size())
}

// Head reads the head of the record at pos.
func (l *Log) Head(pos int64) ([]byte, error) {
	_, head, err := readHead(view{l, 0}, l.marker, pos, l.size())
	return head, err
}

func (l *Log) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heads.end
}

// Replay calls visit for each record that existed when Replay was called, in
// the order of their positions. head is valid until visit returns. If visit
// returns an error, Replay stops and returns it.
func (l *Log) Replay(visit func(pos int64, head []byte) error) error {
	return replay(view{l, 0}, l.marker, l.size(), visit)
}

// Close syncs, stops the syncer and closes the files. It returns the error that
// ended all writing, that of a full disk, or that of closing. Data that could
// not be synced on a full disk is lost, but no caller was told that it is
// durable.
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
