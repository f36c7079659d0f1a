// SPDX-License-Identifier: Apache-2.0

// Package sitemap reads the URLs of sitemaps and feeds. The content of a file
// decides its format, not its name: a urlset or sitemapindex (in any namespace
// or none), RSS 2.0 or 1.0, Atom, or text with one URL on each line. Any of
// them may be compressed with gzip.
//
//	for entry, err := range sitemap.Read(body, u.String(), sitemap.Limits{}) {
//		if err != nil {
//			warn(err) // the rest could not be read; what came before stands
//			break
//		}
//		use(entry)
//	}
//
// Real sitemaps are often not well-formed XML, so the reader tolerates text
// before the first tag, names in any letter case, unknown entities, bare
// ampersands, unclosed elements and a missing end.
//
// # Security
//
// A file is read as a stream with about 200 KiB of memory, up to [Limits].
// Document types are not read, and only the five entities of XML are expanded.
package sitemap

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"example.com/curlew/internal/weburl"
)

// Unlimited disables a limit.
const Unlimited = -1

// Limits for one file. A zero field means the limit of sitemaps.org.
type Limits struct {
	Bytes   int64 // decompressed; zero means 50 MiB
	Entries int   // zero means 50,000

	// Skip gets each reference that is left out, with the reason: it is not an http(s)
	// URL, or loc is the beginning of a text of more than 8 KiB (ErrLong). It may be nil.
	Skip func(loc string, err error)
}

// withDefaults returns l with all defaults filled in.
func (l Limits) withDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = 50 << 20
	}
	if l.Entries == 0 {
		l.Entries = 50_000
	}
	return l
}

// Entry is one URL of a sitemap.
type Entry struct {
	Loc        string    // absolute, WHATWG form
	LastMod    time.Time // zero if it is missing or invalid
	Alternates []string  // other languages or forms, absolute, at most 500; nil if there are none
	Nested     bool      // Loc is a sitemap itself
}

// Errors that end the reading of a file.
var (
	ErrTooLarge = errors.New("sitemap exceeds the size limit")
	ErrTooMany  = errors.New("sitemap exceeds the entry limit")
	ErrFormat   = errors.New("not a sitemap")
	ErrBase     = errors.New("no base URL")
	ErrLong     = errors.New("too long for a URL") // of a reference; see [Limits].Skip
)

// Error says where reading ended.
type Error struct {
	Offset int64 // decompressed bytes read so far
	Err    error // wraps an error of this package, [io.ErrUnexpectedEOF] if the file is truncated, or an error of the reader or of gzip
}

// Error names the position and the cause.
func (e *Error) Error() string { return fmt.Sprintf("sitemap at byte %d: %v", e.Offset, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Read streams the entries of the file at URL base in order. If the rest cannot
// be read, the last pair contains an [*Error]. Earlier entries remain valid.
// References that are not http(s) URLs, or are too long, are left out; see [Limits].Skip.
//
// The sequence reads r during the iteration and can be used once. The time is
// linear in the size of the file.
func Read(r io.Reader, base string, l Limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		l := l.withDefaults()
		u, err := weburl.Parse(base)
		if err != nil {
			yield(Entry{}, &Error{Err: fmt.Errorf("%w: %w", ErrBase, err)})
			return
		}
		counted, err := open(r, l.Bytes)
		if err != nil {
			yield(Entry{}, &Error{Err: err})
			return
		}
		p := &parser{base: u, left: l.Entries, yield: yield, skip: l.Skip}
		p.window.reader = counted
		if err := p.parse(); err != nil {
			yield(Entry{}, &Error{Offset: counted.read, Err: err})
		}
	}
}
