// SPDX-License-Identifier: Apache-2.0

// Package disk stores the state of a crawl in a directory:
//
//	crawl.Config{URL: site, State: disk.Dir("state")}
//
// If the process ends for any reason, the next crawl with the same directory
// continues where it stopped.
package disk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
)

// ErrLocked means that another crawl has the directory open.
var ErrLocked = journal.ErrLocked

// Dir is the path of a directory that stores the state of one crawl. It is
// created if it does not exist. While a crawl uses it, another one fails with
// [ErrLocked]. Pages and payloads are not stored. To repeat a crawl that has
// finished, remove the directory.
type Dir string

// fileName is the name of the log file in a Dir.
const fileName = "crawl"

// durable is a frontier whose records are stored in a file.
type durable struct {
	frontier.Frontier
	log  *journal.Log
	lock io.Closer
}

// Open implements [frontier.Store]. Errors name the directory. They wrap
// [ErrLocked], [frontier.ErrConfig] if the directory contains another crawl,
// and [frontier.ErrCorrupt] if its file is damaged.
func (d Dir) Open(crawl [sha256.Size]byte, o frontier.Options) (frontier.Frontier, error) {
	f, err := d.open(crawl, o)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", string(d), err)
	}
	return f, nil
}

func (d Dir) open(crawl [sha256.Size]byte, o frontier.Options) (frontier.Frontier, error) {
	dir, lock, err := journal.OpenDir(string(d))
	if err != nil {
		return nil, err
	}
	log, err := openLog(dir, crawl)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f, err := frontier.OpenFrontier(heads{log}, o)
	if err != nil {
		return nil, errors.Join(err, log.Close(), lock.Close())
	}
	return &durable{f, log, lock}, nil
}

// Close implements [frontier.Frontier]. When it returns nil, all records are
// durable.
func (f *durable) Close() error {
	return errors.Join(f.Frontier.Close(), f.log.Close(), f.lock.Close())
}

// openLog opens the log of the crawl in dir, or creates one.
func openLog(dir journal.Dir, crawl [sha256.Size]byte) (*journal.Log, error) {
	log, err := journal.Open(dir, fileName)
	if errors.Is(err, journal.ErrCorrupt) && unborn(dir) {
		if err = dir.Remove(fileName); err == nil {
			err = fs.ErrNotExist
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return journal.Create(dir, fileName, journal.Header{Created: time.Now(), Config: crawl})
	case errors.Is(err, journal.ErrCorrupt):
		return nil, fmt.Errorf("%w: %w", frontier.ErrCorrupt, err)
	case err != nil:
		return nil, err
	case log.Header().Config != crawl:
		return nil, errors.Join(fmt.Errorf("%w: it holds a crawl of another URL, or with other options that decide which pages belong to it", frontier.ErrConfig), log.Close())
	}
	return log, nil
}

// unborn reports whether the process ended while it created the log, before any
// record was written.
func unborn(dir journal.Dir) bool {
	info, err := dir.Stat(fileName)
	return err == nil && info.Size() <= journal.HeaderSize
}

// heads is a [frontier.Log] that does not store payloads, because only the caller
// of the crawl needs them.
type heads struct{ *journal.Log }

// Append implements [frontier.Log]. It fails if the disk is full, because the
// journal would otherwise keep the record in memory until there is space.
func (l heads) Append(head, _ []byte) (int64, error) {
	if err := l.Full(); err != nil {
		return 0, err
	}
	return l.Log.Append(head, nil)
}
