// SPDX-License-Identifier: Apache-2.0

// Package selector matches CSS selectors with the elements of a tree. It
// implements Selectors Level 4 as far as possible for a static tree, and some
// extensions that are common in scrapers (:contains, [a!=b]).
//
// # Security
//
// Selectors and trees may be hostile. The length, nesting and number of
// compounds of a selector are limited. Matching never backtracks: a [Pass]
// checks each compound once for each element, records what open elements and
// earlier siblings have matched, and evaluates :has and similar by one
// additional pass over the tree. The cost is at most the number of elements
// times the number of compounds. It is counted in steps, which are limited, and
// the context is checked often.
package selector

import (
	"errors"
	"regexp"
)

// Limits for a selector list.
const (
	MaxLength    = 8 << 10 // bytes
	maxCompounds = 2000
	maxNesting   = 16   // of nested lists
	maxPattern   = 1000 // instructions of a regular expression
)

// Reasons why a selector is invalid or matching fails. Errors wrap one of them.
var (
	ErrSyntax   = errors.New("invalid selector")
	ErrUnknown  = errors.New("unknown pseudo-class or pseudo-element")
	ErrTooLarge = errors.New("selector exceeds the limit")
	ErrSteps    = errors.New("matching selectors takes too many steps")
)

// Error says where a selector is invalid. It wraps [ErrSyntax], [ErrUnknown] or
// [ErrTooLarge].
type Error struct {
	Offset int // in bytes
	Reason string
	Err    error
}

func (e *Error) Error() string { return e.Reason }

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.Err }

// Specificity counts ids, then classes, attributes and pseudo-classes, then
// tags.
type Specificity [3]int

// Compare returns a negative number if s is weaker than t, zero if they are
// equal, and a positive number if s is stronger.
func (s Specificity) Compare(t Specificity) int {
	for i := range s {
		if s[i] != t[i] {
			return s[i] - t[i]
		}
	}
	return 0
}

func (s *Specificity) add(t Specificity) {
	for i := range s {
		s[i] += t[i]
	}
}

// Selector is a parsed list of selectors. It is immutable and safe for
// concurrent use.
type Selector struct {
	text string
	list []chain
}

// String returns the source text of s.
func (s *Selector) String() string { return s.text }

// Specificity returns the highest specificity of the list.
func (s *Selector) Specificity() Specificity { return strongest(s.list) }

func strongest(list []chain) Specificity {
	var most Specificity
	for i := range list {
		if sp := list[i].specificity(); sp.Compare(most) > 0 {
			most = sp
		}
	}
	return most
}

// A chain is a sequence of compounds with combinators, from left to right.
type chain []step

// A step is a compound with the combinator before it. The combinator of the
// first step is zero, except in a relative selector.
type step struct {
	comb  byte // ' ', '>', '+', '~'
	tests []test
}

func (c chain) specificity() Specificity {
	var sum Specificity
	for i := range c {
		for j := range c[i].tests {
			sum.add(c[i].tests[j].specificity())
		}
	}
	return sum
}

// A kind is a kind of simple selector. Cheap kinds come first.
type kind uint8

const (
	isNever kind = iota // dynamic states such as :hover
	isTag
	isID
	isClass
	hasAttribute
	isRoot
	isLink
	isInput
	isEnabled
	isDisabled
	isChecked
	isRequired
	isOptional
	isLang
	isNth
	isOnly
	isEmpty
	attributeTest
	isAny  // :is, :where
	isNone // :not
	containsOwn
	matchesOwn
	contains
	matches
	isNthOf // :nth-child(an+b of S)
	isHaving
)

// A test is one simple selector.
type test struct {
	kind kind
	name string // tag, id, class or attribute; in lower case if HTML ignores its case
	raw  string // tag or attribute as written, for elements outside HTML
	op   byte   // attribute operator: = ! ~ | ^ $ * #
	fold bool   // ignore letter case
	zero bool   // :where, which has no specificity
	last bool   // :nth-last-*
	kin  bool   // :*-of-type
	own  bool   // every chain of the list is a single compound, which is tested directly
	val  string
	a, b int
	list []chain
	re   *regexp.Regexp
	size int   // instructions of re
	num  int32 // in a Set: index of its list, finder or survey
}

func (t *test) specificity() Specificity {
	switch t.kind {
	case isTag:
		return Specificity{0, 0, 1}
	case isID:
		return Specificity{1, 0, 0}
	case isAny, isNone, isHaving:
		if t.zero {
			return Specificity{}
		}
		return strongest(t.list)
	case isNthOf:
		s := strongest(t.list)
		s[1]++
		return s
	default:
		return Specificity{0, 1, 0}
	}
}
