// SPDX-License-Identifier: Apache-2.0

// Package sitemap reads sitemaps and feeds: bytes -> URLs.
package sitemap

import (
	"io"
	"iter"
	"time"
)

// Limits bound one file. Zero fields are the defaults of crawl.md 6.3.
type Limits struct {
	Bytes   int64 // inflated; zero means 50 MB
	Entries int   // zero means 50,000
}

// Entry is one URL of a sitemap.
type Entry struct {
	Loc        string // absolute, WHATWG form
	LastMod    time.Time
	Alternates []string
	Nested     bool // Loc is a sitemap itself
}

// Read streams the entries of one file at base. An error is the last pair and
// means that the rest could not be read; what came before stands.
func Read(r io.Reader, base string, l Limits) iter.Seq2[Entry, error] { panic("skeleton") }
