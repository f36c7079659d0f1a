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

	"example.com/curlew/internal/sorting"
)

// Unlimited turns off a limit whose zero value means a default.
const Unlimited = -1

const (
	defaultBytes = 100 << 20
	defaultAge   = 24 * time.Hour
	defaultKeep  = 30
	fileStamp    = "20060102T150405.000000Z"
)

// File is a [Sink] that writes lines to files in a directory. The name of a
// file contains the time of its creation, as in
// audit-20060102T150405.000000Z.log, so names sort by age and files are never
// renamed. A new file is created if a line would make the current one too
// large, if the current one is too old, or after an error of the disk.
// Otherwise the last file is continued, also after a restart and after the disk
// was full. A failed write leaves neither a part of its lines nor an empty
// file. The oldest files beyond Keep are removed.
//
// Several processes may share a directory, because each line is written as a
// whole. They should use different names.
type File struct {
	Dir     string // required; created with mode 0700 if missing
	Name    string // prefix of file names, not a path; empty means "audit"
	Encoder Encoder

	// MaxBytes is the maximum size of a file. Zero means 100 MiB, -1 means no
	// limit. A longer line gets a file of its own.
	MaxBytes int64
	MaxAge   time.Duration // maximum age of a file; zero means 24 h, -1 means no limit
	Keep     int           // number of files to keep; zero means 30, -1 means all
	Sync     bool          // sync each file before Write returns

	turn   turn
	root   *os.Root // this field and the following belong to the goroutine that holds the turn
	file   *os.File
	name   string
	began  time.Time
	size   int64
	buf    []byte
	closed bool
}

// Write implements [Sink]. The error is an [*Error].
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

// Close closes the file. Later writes fail.
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

// write writes lines, with one system call for those of the same file.
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

// flush writes lines to the file, and syncs it if Sync is set. After an error,
// none of the lines is in the file, so the caller may write them again.
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

// isFull reports whether err says that the disk is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// retreat closes the file after a failed write, of which n bytes may be in it.
// It truncates these bytes, because the lines will be written again, and
// removes the file if it is then empty. After a full disk, the file is
// continued later. After any other error it is not used again, because its
// contents on disk are unknown.
func (f *File) retreat(n int, full bool) error {
	info, err := f.file.Stat()
	if err == nil && info.Size() == f.size+int64(n) { // otherwise another process writes to the file too
		if err = f.file.Truncate(f.size); err == nil && f.size == 0 {
			err = f.root.Remove(f.name)
		}
	}
	if full {
		f.began = time.Time{}
	}
	return errors.Join(err, f.drop())
}

// open makes sure that a file is open that is not too old.
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
	if f.began.IsZero() { // the first write of this File continues the last file
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
		return errors.New("no Dir is set")
	case strings.ContainsAny(f.Name, `/\`) || f.Name == "." || f.Name == "..":
		return errors.New("the Name is a path, but must be a file name")
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	var err error
	f.root, err = os.OpenRoot(f.Dir)
	return err
}

func (f *File) prefix() string { return cmp.Or(f.Name, "audit") + "-" }

// files returns the names of this sink's files, the oldest first.
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
	all = sorting.Without(all, func(name string) bool {
		_, ok := f.beginning(name)
		return !ok
	})
	slices.Sort(all)
	return all, nil
}

// beginning returns when a file was created, according to its name.
func (f *File) beginning(name string) (time.Time, bool) {
	middle, ours := strings.CutPrefix(name, f.prefix())
	middle, log := strings.CutSuffix(middle, ".log")
	if !ours || !log {
		return time.Time{}, false
	}
	t, err := time.Parse(fileStamp, middle)
	return t, err == nil
}

// resume opens the last file, unless it is too old. If its last line is
// incomplete, as after a power failure, it ends that line.
func (f *File) resume() error {
	all, err := f.files()
	if err != nil || len(all) == 0 {
		return err
	}
	last := all[len(all)-1]
	f.began, _ = f.beginning(last) // makes sure that the next file gets a later name
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

// begin closes the file and creates the next one.
func (f *File) begin() error {
	if err := f.drop(); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(f.began) { // the clock was set back or has not advanced
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
