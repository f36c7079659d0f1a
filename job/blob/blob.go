// SPDX-License-Identifier: Apache-2.0

// Package blob stores large data outside of a database: pages, screenshots and other
// items of jobs. The database keeps a [Part] for each of them, which says where the
// data is and proves that it is undamaged.
//
// [Dir] stores objects in a directory. The module example.com/curlew/job/blob/s3
// stores them in a bucket of a service that speaks the protocol of Amazon S3.
package blob

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// MaxSize is the maximum size of an object in bytes.
const MaxSize = 1 << 30

// Reasons why an object cannot be stored or read. Another error means that the store
// does not answer, so the call may succeed later.
var (
	ErrMissing  = errors.New("no such object")
	ErrDamaged  = errors.New("object is damaged")
	ErrTooLarge = errors.New("object is too large") // more than MaxSize bytes
	ErrName     = errors.New("invalid name of an object")
)

// Store stores objects, which never change. Implementations are safe for concurrent
// use, also by several processes, and return when ctx ends. Names are paths with
// slashes, see [ValidName].
//
// [example.com/curlew/job/blob/blobtest] tests an implementation.
type Store interface {
	// Put stores an object. It is durable when Put returns. If Put fails or the
	// process dies, readers find the whole object or none. An object with the same
	// name is replaced, so that a call can be repeated.
	Put(ctx context.Context, name string, data []byte) error

	// Read returns n bytes of an object, from the offset at on. If there is no
	// object, the error wraps [ErrMissing]. If it is shorter, the error wraps
	// [ErrDamaged].
	Read(ctx context.Context, name string, at, n int64) ([]byte, error)

	// List yields the names of what is directly in a folder, in any order and
	// without the path. Those of folders end with a slash. A folder exists while
	// there are objects in it. A store may also list one that has become empty.
	List(ctx context.Context, folder string) iter.Seq2[string, error]

	// Remove removes all objects in a folder and in its folders. Objects that are
	// put at the same time may stay. A folder that does not exist is not an error.
	Remove(ctx context.Context, folder string) error
}

// maxName is the maximum length of a name in bytes.
const maxName = 512

// ValidName reports whether name is a valid name of an object or a folder: at most
// eight parts between single slashes, each of the letters a to z, digits and hyphens,
// together at most 512 bytes.
func ValidName(name string) bool {
	if len(name) > maxName || strings.Count(name, "/") > 7 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

// CheckPut returns the error of a Put with these arguments if they are invalid. It is
// for implementations of [Store].
func CheckPut(name string, data []byte) error {
	switch {
	case !ValidName(name):
		return fmt.Errorf("%w: %q", ErrName, name)
	case len(data) > MaxSize:
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(data))
	}
	return nil
}

// CheckRead is like [CheckPut], for a Read.
func CheckRead(name string, at, n int64) error {
	switch {
	case !ValidName(name):
		return fmt.Errorf("%w: %q", ErrName, name)
	case at < 0, n < 0, at > MaxSize, n > MaxSize-at:
		return fmt.Errorf("%w: %d bytes from %d", ErrTooLarge, n, at)
	}
	return nil
}
