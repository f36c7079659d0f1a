// SPDX-License-Identifier: Apache-2.0

// Package object reads the objects of PDF files.
//
// A sound file is read by its own cross-reference sections (xref.go). If
// these are damaged, the file is searched for objects (scan.go). In both
// cases an object is read when it is first requested (indexed.go). The
// package decodes streams and tolerates damage: it returns the data before
// the fault of a damaged stream.
package object

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// Object is one of nil (the null object), bool, int, float64, [Name],
// [String], [Array], [Dict], [Ref] and *[Stream].
type Object = any

// Name is a name without its slash and with its escapes resolved.
type Name string

// String has the decrypted bytes of a string, with its escapes resolved.
type String string

// Array is a list of objects. References in it are not resolved.
type Array []Object

// Dict maps names to objects. References in it are not resolved.
type Dict map[Name]Object

// Ref is a reference to an indirect object.
type Ref struct{ Num, Gen int }

// Stream is a dictionary with encoded data.
type Stream struct {
	Dict Dict
	raw  []byte // decrypted, still encoded; must not be changed
}

// NewStream returns a stream with a dictionary and encoded bytes, for inline
// images of a content stream.
func NewStream(d Dict, raw []byte) *Stream { return &Stream{Dict: d, raw: raw} }

// Loose returns a file without objects, for decoding streams that belong to
// no file. After ctx has ended, they cannot be decoded.
func Loose(ctx context.Context) *File {
	return newFile(ctx, noObjects{}, Limits{}.withDefaults())
}

// noObjects is a source without objects.
type noObjects struct{}

func (noObjects) object(int) Object              { return nil }
func (noObjects) trailer() Dict                  { return nil }
func (noObjects) find(Name) iter.Seq2[int, Dict] { return func(func(int, Dict) bool) {} }
func (noObjects) lost() int                      { return 0 }

// The reasons why a document or a stream cannot be read.
var (
	ErrCorrupt   = errors.New("document is malformed")
	ErrEncrypted = errors.New("document is encrypted")
	ErrLimit     = errors.New("document is over a limit")
	// ErrPassword means that a password was given and is wrong. It wraps ErrEncrypted.
	ErrPassword = fmt.Errorf("%w: password is wrong", ErrEncrypted)
)

// Limits bound one document. A zero field means its default, and a negative
// one means no bound.
type Limits struct {
	Input   int64 // bytes of the document; zero means 52,428,800
	Stream  int64 // decoded bytes of one stream; zero means 128 MiB
	Total   int64 // decoded bytes of all streams; zero means 1 GiB
	Objects int   // objects and entries of the cross-reference table; zero means 5 million
	Pages   int   // pages; zero means 10,000
}

// withDefaults returns l with all defaults set.
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

// source finds objects by number. Tests implement it with another PDF
// library.
type source interface {
	// object returns the object with a number, or nil if there is none. It
	// is safe for concurrent use. The result must not be changed.
	object(num int) Object
	trailer() Dict
	// find returns the dictionaries of a Type with their object numbers,
	// ascending. It stops when the context of Open ends.
	find(kind Name) iter.Seq2[int, Dict]
	// lost returns how many objects a bound has left out or cut short so
	// far.
	lost() int
}

// Float returns o as a number. It returns false if o is not a number or not
// finite.
func Float(o Object) (float64, bool) {
	switch v := o.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}

// Int returns o as an integer and truncates fractions. It returns false if o
// is not a number or does not fit into 32 bits.
func Int(o Object) (int, bool) {
	f, ok := Float(o)
	if !ok || f > math.MaxInt32 || f < math.MinInt32 {
		return 0, false
	}
	return int(f), true
}
