// SPDX-License-Identifier: Apache-2.0

// Package sitemap reads sitemaps and feeds: bytes -> URLs. What a file is, its
// content says, not its name: a urlset or sitemapindex (in any namespace or
// none), RSS 2.0 or 1.0, Atom, or text of one URL a line; any of them packed
// by gzip.
//
//	for entry, err := range sitemap.Read(body, u.String(), sitemap.Limits{}) {
//		if err != nil {
//			warn(err) // the rest could not be read; what came before stands
//			break
//		}
//		use(entry)
//	}
//
// Sitemaps in the wild are seldom well-formed XML, so none is asked for:
// anything before the first tag, names of any case, unknown entities, bare
// ampersands, unclosed elements and a missing end are all read over.
//
// # Security
//
// A file is read as a stream in some 200 KiB of memory, up to [Limits]. No
// document type is read and no entity expanded, but the five of XML.
package sitemap

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"example.com/curlew/internal/weburl"
)

// Unlimited switches a limit off.
const Unlimited = -1

// Limits bound one file. Zero fields are the limits of sitemaps.org.
type Limits struct {
	Bytes   int64 // inflated; zero means 50 MiB
	Entries int   // zero means 50,000
}

// withDefaults returns l with every default filled in.
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
	LastMod    time.Time // zero where none is given or it cannot be read
	Alternates []string  // other languages or forms of it, absolute, at most 500; nil where there are none
	Nested     bool      // Loc is a sitemap itself
}

// Why a file could not be read to its end.
var (
	ErrTooLarge = errors.New("sitemap over the size limit")
	ErrTooMany  = errors.New("sitemap over the entry limit")
	ErrFormat   = errors.New("not a sitemap")
	ErrBase     = errors.New("no base URL")
)

// Error says where reading ended.
type Error struct {
	Offset int64 // bytes read, inflated
	Err    error // wraps a sentinel, [io.ErrUnexpectedEOF] where the file is cut short, or the reader's or gzip's error
}

// Error names the place and the cause.
func (e *Error) Error() string { return fmt.Sprintf("sitemap at byte %d: %v", e.Offset, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Read streams the entries of one file at base, in order. An error is the last
// pair, an [*Error], and means that the rest could not be read; what came
// before stands. References that are no http(s) URLs are left out.
//
// The sequence reads r while it is ranged over, and can be ranged over once. A
// file takes time linear in its size.
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
		p := &parser{base: u, left: l.Entries, yield: yield}
		p.window.reader = counted
		if err := p.parse(); err != nil {
			yield(Entry{}, &Error{Offset: counted.read, Err: err})
		}
	}
}
