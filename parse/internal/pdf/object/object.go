// SPDX-License-Identifier: Apache-2.0

// Package object reads the objects of a PDF: bytes -> objects.
//
// A sound file is read by its own cross-reference sections (xref.go). A file
// with a fault there is read by the headers of its objects, wherever they stand
// (scan.go). Either way an object is read when it is first asked for
// (indexed.go). Streams are decoded here, tolerantly: what a damaged stream
// gives before its fault is returned.
package object

import (
	"context"
	"errors"
	"iter"
	"math"
)

// Object is one of nil (the null object), bool, int, float64, [Name],
// [String], [Array], [Dict], [Ref] and *[Stream].
type Object = any

// Name is a name without its slash, escapes resolved.
type Name string

// String is the bytes of a string, decrypted, escapes resolved.
type String string

// Array is a list of objects, references unresolved.
type Array []Object

// Dict maps names to objects, references unresolved.
type Dict map[Name]Object

// Ref points to an indirect object.
type Ref struct{ Num, Gen int }

// Stream is a dictionary and bytes that its filters encode.
type Stream struct {
	Dict Dict
	raw  []byte // decrypted, still encoded; read-only
}

// NewStream returns a stream of a dictionary and encoded bytes that a content
// stream holds.
func NewStream(d Dict, raw []byte) *Stream { return &Stream{Dict: d, raw: raw} }

// Loose returns a file without objects, for streams that stand alone. Where
// ctx ends, they cannot be decoded any more.
func Loose(ctx context.Context) *File {
	return newFile(ctx, noObjects{}, Limits{}.withDefaults())
}

// noObjects is a source without objects.
type noObjects struct{}

func (noObjects) object(int) Object              { return nil }
func (noObjects) trailer() Dict                  { return nil }
func (noObjects) find(Name) iter.Seq2[int, Dict] { return func(func(int, Dict) bool) {} }
func (noObjects) lost() bool                     { return false }

// Why a document or a stream cannot be read.
var (
	ErrCorrupt   = errors.New("document is malformed")
	ErrEncrypted = errors.New("document is encrypted")
	ErrLimit     = errors.New("document is over a limit")
)

// Limits bound one document. Zero fields are the defaults.
type Limits struct {
	Input   int64 // bytes of the document; zero means 52,428,800
	Stream  int64 // decoded bytes of one stream; zero means 128 MiB
	Total   int64 // decoded bytes of all streams; zero means 1 GiB
	Objects int   // objects and entries of the cross-reference table; zero means 5 million
	Pages   int   // pages; zero means 10,000
}

// withDefaults returns l with every default filled in.
func (l Limits) withDefaults() Limits {
	fill := func(v *int64, d int64) {
		switch {
		case *v == 0:
			*v = d
		case *v < 0:
			*v = math.MaxInt64 / 2
		}
	}
	fill(&l.Input, 52_428_800)
	fill(&l.Stream, 128<<20)
	fill(&l.Total, 1<<30)
	if l.Objects == 0 {
		l.Objects = 5_000_000
	}
	if l.Objects < 0 {
		l.Objects = math.MaxInt32
	}
	if l.Pages == 0 {
		l.Pages = 10_000
	}
	if l.Pages < 0 {
		l.Pages = math.MaxInt32
	}
	return l
}

// source finds objects by number. It stands between this package and the
// reader of files, so that another reader may take its place.
type source interface {
	// object returns the object with a number, nil where there is none. It is
	// safe for concurrent use; what it returns is read-only.
	object(num int) Object
	trailer() Dict
	// find returns the dictionaries whose Type is a name, by number, ascending.
	// It stops when the context of Open ends.
	find(kind Name) iter.Seq2[int, Dict]
	// lost reports whether a bound left objects out so far.
	lost() bool
}

// Float returns o as a number; false where it is none or not finite.
func Float(o Object) (float64, bool) {
	switch v := o.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}

// Int returns o as an integer, fractions cut; false where it is no number or
// does not fit 32 bits.
func Int(o Object) (int, bool) {
	f, ok := Float(o)
	if !ok || f > math.MaxInt32 || f < math.MinInt32 {
		return 0, false
	}
	return int(f), true
}
