// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"time"
)

const (
	syncEvery = 50 * time.Millisecond // while nobody waits
	syncSoon  = 2 * time.Millisecond  // while somebody does
	syncBytes = 1 << 20               // at once, this much after the last sync
	tornBytes = 1 << 20               // how far from the end a bad frame may be a torn one
)

// Log is one open journal. It is safe for concurrent use. One goroutine syncs
// for all callers; Close waits for it.
type Log struct {
	file   File
	header Header
	cut    int64

	mu      sync.Mutex    // guards what follows
	end     int64         // where the next frame goes
	durable int64         // everything before it has been synced
	passed  int64         // what the last mark says
	err     error         // poison; set once
	buf     []byte        // of one write, kept for the next
	synced  chan struct{} // closed and replaced when durable or err changes

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
	err = func() error {
		if _, err := f.WriteAt(h.encode(), 0); err != nil {
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
	return start(f, h, headerSize, 0), nil
}

// Open opens a log and cuts a torn tail, saying by [Log.Cut] how much. Its
// error wraps [ErrCorrupt] where damage lies before the tail.
func Open(fsys FS, name string) (*Log, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	l, err := open(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", name, err), f.Close())
	}
	return l, nil
}

func open(f File) (*Log, error) {
	h, size, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	end, err := verify(f, size)
	if err != nil {
		return nil, err
	}
	if end < size {
		// The cut must be durable before anything is written after it: else the
		// old tail could come back behind new frames.
		if err := f.Truncate(end); err != nil {
			return nil, err
		}
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return start(f, h, end, size-end), nil
}

func start(f File, h Header, end, cut int64) *Log {
	l := &Log{
		file: f, header: h, end: end, durable: end, passed: end, cut: cut,
		synced: make(chan struct{}), dirty: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	go l.syncer()
	return l
}

// Header returns what was given when the log was created.
func (l *Log) Header() Header { return l.header }

// Cut returns how many bytes the opening dropped from a torn tail.
func (l *Log) Cut() int64 { return l.cut }

// Append writes one record and returns its position, which grows. The head must
// not be empty and its first byte, its type, not 6. The record is written when
// Append returns; it is durable when [Log.Durable] exceeds pos. The error is
// that of the first write or sync that failed, for ever.
func (l *Log) Append(head, blob []byte) (pos int64, err error) {
	if len(head) == 0 || head[0] == mark {
		return 0, errors.New("record without a type of its own")
	}
	if len(head) > maxPart || len(blob) > maxPart {
		return 0, ErrTooBig
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	pos, err = l.write(head, blob)
	if err != nil {
		return 0, err
	}
	wake(l.dirty)
	if l.end-l.durable >= syncBytes {
		wake(l.urgent)
	}
	return pos, nil
}

// write writes one frame. The caller holds mu.
func (l *Log) write(head, blob []byte) (int64, error) {
	if l.err != nil {
		return 0, l.err
	}
	l.buf = appendFrame(l.buf[:0], head, blob)
	if _, err := l.file.WriteAt(l.buf, l.end); err != nil {
		l.poison(err)
		return 0, l.err
	}
	pos := l.end
	l.end += int64(len(l.buf))
	if cap(l.buf) > syncBytes {
		l.buf = nil
	}
	return pos, nil
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
	return l.durable
}

// Advance returns when Durable exceeds last, with its value, or when it never
// will any more, with the error that ended the log: [ErrClosed] after Close.
func (l *Log) Advance(last int64) (int64, error) {
	for {
		l.mu.Lock()
		durable, err, changed := l.durable, l.err, l.synced
		l.mu.Unlock()
		if durable > last || err != nil {
			return durable, err
		}
		<-changed
	}
}

// Sync returns when every record appended before the call is durable, or with
// the error that poisoned the log, or ctx's.
func (l *Log) Sync(ctx context.Context) error {
	l.mu.Lock()
	want := l.end
	for l.durable < want && l.err == nil {
		changed := l.synced
		l.mu.Unlock()
		wake(l.urgent)
		var err error
		select {
		case <-changed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-l.gone:
			err = ErrClosed
		}
		l.mu.Lock()
		if err != nil && l.durable < want && l.err == nil {
			l.mu.Unlock()
			return err
		}
	}
	err := l.err
	if l.durable >= want {
		err = nil
	}
	l.mu.Unlock()
	return err
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
		select {
		case <-l.quit:
			l.sync()
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
func (l *Log) sync() {
	l.mu.Lock()
	select {
	case <-l.urgent: // whoever asked has written before this, and will be served
	default:
	}
	end, err := l.end, l.err
	clean := end == l.durable
	l.mu.Unlock()
	if clean || err != nil {
		return
	}
	err = l.file.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.poison(err)
		return
	}
	l.durable = end
	if end > l.passed {
		l.passed = end
		markEnd := l.end
		// The mark is a hint for the opening; it waits for the next sync.
		if _, err := l.write(binary.AppendUvarint([]byte{mark}, uint64(end)), nil); err == nil && markEnd == end { // #nosec G115 -- positions are positive
			// Nothing but the mark is behind the sync: do not sync for it alone.
			l.durable, l.passed = l.end, l.end
		}
	}
	l.announce()
}

// Blob reads the blob of the record at pos. The error wraps [ErrCorrupt] where
// it is damaged: of this record only.
func (l *Log) Blob(pos int64) ([]byte, error) { return readBlob(l.file, pos, l.size()) }

// Head reads the head of the record at pos again.
func (l *Log) Head(pos int64) ([]byte, error) {
	_, head, err := readHead(l.file, pos, l.size())
	return head, err
}

func (l *Log) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end
}

// Replay calls visit for each record that was there when it was called, in the
// order of their positions. head is valid until visit returns. It stops at
// visit's first error and returns it.
func (l *Log) Replay(visit func(pos int64, head []byte) error) error {
	return replay(l.file, l.size(), visit)
}

// Close syncs, ends the syncer and closes the file. Its error is that of the
// log, if it is poisoned, or of the closing.
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
	err := l.err
	l.poison(ErrClosed)
	return errors.Join(err, l.file.Close())
}

// verify returns where the file's good frames end. Heads are checked from the
// start, blobs behind the last mark: what a mark names has been synced.
func verify(f File, size int64) (end int64, err error) {
	r := reader{file: f, end: size}
	safe := int64(headerSize) // synced, says the last mark
	var late []int64          // frames that no mark has passed
	pos := int64(headerSize)
	for pos < size {
		fr, head, err := r.head(pos)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				return 0, err
			}
			return tear(f, pos, size, late, err)
		}
		if pos+fr.size() > size {
			// Head and lengths are sound, the blob is not all there: torn.
			return firstBadBlob(f, late, pos)
		}
		if head[0] == mark {
			passed, n := binary.Uvarint(head[1:])
			if n <= 0 || passed > uint64(pos) { // #nosec G115 -- positions are positive
				return 0, fmt.Errorf("%w at %d: mark", ErrCorrupt, pos)
			}
			safe = max(safe, int64(passed)) // #nosec G115 -- checked above
			i := 0
			for i < len(late) && late[i] < safe {
				i++
			}
			late = late[i:]
		} else {
			late = append(late, pos)
		}
		pos += fr.size()
	}
	return firstBadBlob(f, late, pos)
}

// tear decides about a bad head at pos: the end of the log, where it lies in the
// tail, or damage.
func tear(f File, pos, size int64, late []int64, cause error) (int64, error) {
	if size-pos > tornBytes {
		// So much may be torn where a sync was slow or a head is long. Damage it
		// is if this place was synced once, and the mark of a sync that follows
		// says so.
		passed, err := markAfter(f, pos, size)
		if err != nil {
			return 0, err
		}
		if passed {
			return 0, cause
		}
	}
	return firstBadBlob(f, late, pos)
}

// firstBadBlob returns the position of the first frame of late whose blob is
// damaged, or end.
func firstBadBlob(f File, late []int64, end int64) (int64, error) {
	for _, pos := range late {
		if _, err := readBlob(f, pos, end); errors.Is(err, ErrCorrupt) {
			return pos, nil
		} else if err != nil {
			return 0, err
		}
	}
	return end, nil
}

// markAfter reports whether a sound mark anywhere in (pos, size) says that pos
// has been synced.
func markAfter(f File, pos, size int64) (bool, error) {
	const step = 1 << 20
	b := make([]byte, step+frameSize+16)
	for from := pos + 1; from < size; from += step {
		n, err := f.ReadAt(b[:min(int64(len(b)), size-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		for i := 0; i+frameSize+2 <= n; i++ {
			j := bytes.Index(b[i+1:n], []byte{0, 0, 0, 0, 0, 0, 0}) // of head's and blob's lengths
			if j < 0 {
				break
			}
			if i += j; i+frameSize > n {
				break
			}
			fr, ok := decodeFrame(b[i : i+frameSize])
			at := i + frameSize
			if !ok || fr.blob != 0 || fr.head > 16 || at+int(fr.head) > n {
				continue
			}
			head := b[at : at+int(fr.head)]
			if head[0] != mark || headSum(b[i:i+8], head) != fr.headSum {
				continue
			}
			if passed, k := binary.Uvarint(head[1:]); k > 0 && passed > uint64(pos) { // #nosec G115 -- positions are positive
				return true, nil
			}
		}
	}
	return false, nil
}

// readHead reads and checks the fixed part and the head of the frame at pos.
func readHead(f File, pos, end int64) (frame, []byte, error) {
	r := reader{file: f, end: end, small: true}
	return r.head(pos)
}

// reader reads heads one after the other through a window of the file, since
// most frames are small.
type reader struct {
	file   File
	end    int64
	small  bool // one frame only: no window
	window []byte
	at     int64 // position of window
	valid  int
}

// bytes returns n bytes at pos, which are valid until the next call.
func (r *reader) bytes(pos int64, n int) ([]byte, error) {
	if pos < r.at || pos+int64(n) > r.at+int64(r.valid) {
		size := 256 << 10
		if r.small {
			size = 512
		}
		size = int(min(int64(max(size, n)), r.end-pos))
		if cap(r.window) < size {
			r.window = make([]byte, size)
		}
		r.at, r.valid = pos, 0
		got, err := r.file.ReadAt(r.window[:size], pos)
		if got < size && !errors.Is(err, io.EOF) {
			return nil, err
		}
		r.valid = got
		if got < n {
			return nil, fmt.Errorf("%w at %d: cut short", ErrCorrupt, pos)
		}
	}
	i := int(pos - r.at)
	return r.window[i : i+n], nil
}

// head returns the frame at pos and its head. The error wraps [ErrCorrupt]
// where no sound head is; the blob is not looked at.
func (r *reader) head(pos int64) (frame, []byte, error) {
	if pos < headerSize || r.end-pos < frameSize {
		return frame{}, nil, fmt.Errorf("%w at %d: no frame", ErrCorrupt, pos)
	}
	b, err := r.bytes(pos, frameSize)
	if err != nil {
		return frame{}, nil, err
	}
	f, ok := decodeFrame(b)
	if !ok || int64(f.head) > r.end-pos-frameSize {
		return frame{}, nil, fmt.Errorf("%w at %d: lengths", ErrCorrupt, pos)
	}
	b, err = r.bytes(pos, frameSize+int(f.head))
	if err != nil {
		return frame{}, nil, err
	}
	if headSum(b[:8], b[frameSize:]) != f.headSum {
		return frame{}, nil, fmt.Errorf("%w at %d: head", ErrCorrupt, pos)
	}
	return f, b[frameSize:], nil
}
