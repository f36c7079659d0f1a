// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Unlimited switches a bound off where zero means its default.
const Unlimited = -1

const (
	defaultBytes = 100 << 20
	defaultAge   = 24 * time.Hour
	defaultKeep  = 30
	fileStamp    = "20060102T150405.000000Z"
)

// File is a [Sink] that writes lines to files of a directory. Each is named
// after its beginning, as audit-20060102T150405.000000Z.log, so that their names
// sort by age and no file is ever renamed. A new one is begun when a line would
// make the last one too large, when that is too old, after an error of the disk,
// and else the last one is gone on with, in a new process and after the disk was
// full too. A write that fails leaves no part of its lines, and no empty file. Keep bounds their number:
// the oldest are removed.
//
// Two processes may share a directory, each line is whole; they better do not
// share a name.
type File struct {
	Dir     string // required; made where it is missing, open to its owner alone
	Name    string // first part of file names, no path; empty means "audit"
	Encoder Encoder

	MaxBytes int64         // of one file; zero means 100 MiB, -1 no bound; a longer line has a file of its own
	MaxAge   time.Duration // of one file; zero means 24 h, -1 no bound
	Keep     int           // files; zero means 30, -1 all
	Sync     bool          // each Write returns after its lines are on the disk

	turn   turn
	root   *os.Root // held by whoever has the turn, like what follows
	file   *os.File
	name   string
	began  time.Time
	size   int64
	buf    []byte
	closed bool
}

// Write implements [Sink]. Errors are of type [*Error].
func (f *File) Write(ctx context.Context, events []Event) error {
	if err := f.turn.take(ctx); err != nil {
		return &Error{"file", err}
	}
	defer f.turn.give()
	if err := f.write(events); err != nil {
		return &Error{"file", err}
	}
	return nil
}

// Close closes the file. Later writes are errors.
func (f *File) Close() error {
	f.turn.wait()
	defer f.turn.give()
	f.closed = true
	err := f.drop()
	if f.root != nil {
		err = errors.Join(err, f.root.Close())
		f.root = nil
	}
	if err != nil {
		return &Error{"file", err}
	}
	return nil
}

// write writes lines, those of one file at once.
func (f *File) write(events []Event) error {
	if f.closed {
		return ErrClosed
	}
	limit := cmp.Or(f.MaxBytes, defaultBytes)
	f.buf = f.buf[:0]
	for i := range events {
		start := len(f.buf)
		f.buf = append(f.Encoder.Append(f.buf, &events[i]), '\n')
		if err := f.open(); err != nil {
			return err
		}
		if limit > 0 && f.size+int64(len(f.buf)) > limit && f.size+int64(start) > 0 {
			if err := f.flush(f.buf[:start]); err != nil {
				return err
			}
			if err := f.begin(); err != nil {
				return err
			}
			f.buf = append(f.buf[:0], f.buf[start:]...)
		}
	}
	if err := f.flush(f.buf); err != nil {
		return err
	}
	if cap(f.buf) > 1<<20 {
		f.buf = nil
	}
	return nil
}

// flush writes lines to the file, and to the disk where Sync says so. After an
// error the lines are not there, and the caller may write them again.
func (f *File) flush(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	n, err := f.file.Write(lines)
	if err == nil && f.Sync {
		err = f.file.Sync()
	}
	if err != nil {
		return errors.Join(err, f.retreat(n, isFull(err)))
	}
	f.size += int64(n)
	return nil
}

// isFull reports whether err says that there is no room on the disk.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// retreat closes the file after a write that failed, of which n bytes may be in
// it: they are cut off, since the lines come again, and a file that is empty then
// is removed. A file on a full disk is gone on with, any other is not used again:
// what of it is on the disk is unknown.
func (f *File) retreat(n int, full bool) error {
	info, err := f.file.Stat()
	if err == nil && info.Size() == f.size+int64(n) { // else somebody else writes to it
		if err = f.file.Truncate(f.size); err == nil && f.size == 0 {
			err = f.root.Remove(f.name)
		}
	}
	if full {
		f.began = time.Time{}
	}
	return errors.Join(err, f.drop())
}

// open makes sure that there is a file that is not too old.
func (f *File) open() error {
	if f.file != nil {
		if age := cmp.Or(f.MaxAge, defaultAge); age < 0 || time.Since(f.began) < age {
			return nil
		}
		return f.begin()
	}
	if f.root == nil {
		if err := f.enter(); err != nil {
			return err
		}
	}
	if f.began.IsZero() { // the first of this File: go on with the last
		if err := f.resume(); f.file != nil || err != nil {
			return err
		}
	}
	return f.begin()
}

// enter opens the directory.
func (f *File) enter() error {
	switch {
	case f.Dir == "":
		return errors.New("no directory")
	case strings.ContainsAny(f.Name, `/\`) || f.Name == "." || f.Name == "..":
		return errors.New("name is a path")
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	var err error
	f.root, err = os.OpenRoot(f.Dir)
	return err
}

func (f *File) prefix() string { return cmp.Or(f.Name, "audit") + "-" }

// files returns the names of our files, the oldest first.
func (f *File) files() ([]string, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		_, ok := f.beginning(name)
		return !ok
	})
	slices.Sort(all)
	return all, nil
}

// beginning returns when a file was begun, by its name.
func (f *File) beginning(name string) (time.Time, bool) {
	middle, ours := strings.CutPrefix(name, f.prefix())
	middle, log := strings.CutSuffix(middle, ".log")
	if !ours || !log {
		return time.Time{}, false
	}
	t, err := time.Parse(fileStamp, middle)
	return t, err == nil
}

// resume opens the last file, unless it is too old. A line that is cut, as by a
// power cut, is ended.
func (f *File) resume() error {
	all, err := f.files()
	if err != nil || len(all) == 0 {
		return err
	}
	last := all[len(all)-1]
	f.began, _ = f.beginning(last) // what is begun next has a later name
	if limit := cmp.Or(f.MaxAge, defaultAge); limit > 0 && time.Since(f.began) >= limit {
		return nil
	}
	file, err := f.root.OpenFile(last, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		var end [1]byte
		if _, err = file.ReadAt(end[:], size-1); err == nil && end[0] != '\n' {
			size++
			_, err = file.WriteString("\n")
		}
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.name, f.size = file, last, size
	return nil
}

// begin closes the file and begins the next.
func (f *File) begin() error {
	if err := f.drop(); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(f.began) { // the clock went back, or stands
		now = f.began.Add(time.Microsecond)
	}
	for {
		name := f.prefix() + now.Format(fileStamp) + ".log"
		file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			now = now.Add(time.Microsecond)
			continue
		}
		if err != nil {
			return err
		}
		f.file, f.name, f.began, f.size = file, name, now, 0
		break
	}
	if err := f.prune(); err != nil {
		return err
	}
	if !f.Sync {
		return nil
	}
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// prune removes the oldest files beyond Keep.
func (f *File) prune() error {
	keep := cmp.Or(f.Keep, defaultKeep)
	if keep < 0 {
		return nil
	}
	all, err := f.files()
	if err != nil {
		return err
	}
	for _, name := range all[:max(0, len(all)-keep)] {
		if name == f.name {
			continue
		}
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// drop closes the file.
func (f *File) drop() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
