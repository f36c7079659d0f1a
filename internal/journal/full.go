// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"
)

// retryEvery is how often a log tries again whether its disk has space.
const retryEvery = time.Second

var errNotExist = fs.ErrNotExist

// IsFull reports whether an error means that the device or a quota is full, or that a file
// has reached the size that the process (ulimit -f) or the file system allows.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Full returns why nothing can currently be written: an error that wraps the
// file system's ENOSPC, EDQUOT or EFBIG. If the disk has space, it returns nil. While
// the disk is full, the log tries again every second.
func (l *Log) Full() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil
	}
	return l.full
}

// Room waits until the disk has space. It returns the error that ended all
// writing, or that of ctx.
func (l *Log) Room(ctx context.Context) error {
	return l.await(ctx, func() (bool, error) { return l.full == nil && l.err == nil, nil })
}

// refill tries every second to write the data that waits for space, until that
// succeeds or another error ends all writing. It returns true if the log was
// closed before that.
func (l *Log) refill() (over bool) {
	timer := time.NewTimer(retryEvery)
	defer timer.Stop()
	for {
		select {
		case <-l.quit:
			l.rewrite()
			return true
		case <-timer.C:
		}
		if l.rewrite() {
			return false
		}
		timer.Reset(retryEvery)
	}
}

// rewrite opens all files again, truncates them to what was synced, and writes
// and syncs the rest. It returns false if the disk is still full, and true if it
// has space again or another error has ended all writing. A descriptor on which a
// write has failed is not used again, because the kernel may have dropped its
// pages.
func (l *Log) rewrite() bool {
	if r, ok := l.fsys.(Roomer); ok {
		r.MakeRoom()
	}
	l.mu.Lock()
	all := append([]*tail(nil), l.blobs...)
	all = append(all, l.heads) // last, so that no head is written before its blob
	list := make([]recovering, len(all))
	for i, t := range all {
		list[i] = recovering{tail: t, rest: slices.Clip(t.buf)} // other goroutines only append to it
	}
	l.mu.Unlock()
	var err error
	for i := range list {
		if err == nil {
			err = list[i].write(l.fsys, l.name)
		}
	}
	if err == nil {
		err = l.fsys.SyncDir(path.Dir(l.name))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files.Lock()
	for _, r := range list {
		switch {
		case r.file == nil:
		case err != nil:
			_ = r.file.Close() // not used
		default:
			_ = r.close() // a write on it has failed
			r.tail.file = r.file
			r.sync(r.durable + int64(len(r.rest)))
		}
	}
	l.files.Unlock()
	if err != nil {
		if !IsFull(err) {
			l.full = nil
			l.poison(err)
			return true
		}
		return false
	}
	l.full = nil
	for _, t := range append(append([]*tail(nil), l.blobs...), l.heads) { // data that was appended in the meantime
		if l.full != nil || len(t.buf) == 0 {
			continue
		}
		t.end -= int64(len(t.buf))
		if l.flush(t, 0) != nil {
			return true
		}
	}
	l.shelve()
	l.announce()
	wake(l.urgent)
	return l.full == nil
}

// recovering is a tail and its new file.
type recovering struct {
	*tail
	file File
	rest []byte // data that was not synced
}

// write writes the whole tail to the file and syncs it. If the tail has no
// unsynced data, it changes nothing.
func (r *recovering) write(fsys FS, log string) (err error) {
	if len(r.rest) == 0 {
		return nil
	}
	if r.file, err = openOrCreate(fsys, r.fileName(log)); err != nil {
		return err
	}
	if err = r.file.Truncate(r.durable); err != nil {
		return err
	}
	if _, err = r.file.WriteAt(r.rest, r.durable); err != nil {
		return err
	}
	return r.file.Sync()
}
