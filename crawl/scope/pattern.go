// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"
)

const (
	maxPatterns    = 100
	maxPatternSize = 1000 // code points
)

// PatternError names a pattern in [Options] that is not a valid Go regular
// expression (RE2, without look-around and back-references).
type PatternError struct {
	Exclude bool // the pattern is in Exclude, otherwise in Include
	Index   int  // index in the list, from 0
	Err     error
}

// Error names the list, the index and the invalid construct.
func (e *PatternError) Error() string {
	list := "include"
	if e.Exclude {
		list = "exclude"
	}
	return list + " pattern " + strconv.Itoa(e.Index) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *PatternError) Unwrap() error { return e.Err }

// compile compiles the patterns of a list. The error joins one [PatternError]
// for each invalid pattern.
func compile(patterns []string, exclude bool) ([]*regexp.Regexp, error) {
	var list []*regexp.Regexp
	var faults []error
	for i, p := range patterns {
		var err error
		var re *regexp.Regexp
		switch {
		case i >= maxPatterns:
			err = fmt.Errorf("over %d patterns", maxPatterns)
		case utf8.RuneCountInString(p) > maxPatternSize:
			err = fmt.Errorf("over %d characters", maxPatternSize)
		default:
			re, err = regexp.Compile(p)
		}
		if err != nil {
			faults = append(faults, &PatternError{Exclude: exclude, Index: i, Err: err})
			if i >= maxPatterns {
				break
			}
			continue
		}
		list = append(list, re)
	}
	return list, errors.Join(faults...)
}

// match reports whether a pattern in list matches, and returns it.
func match(list []*regexp.Regexp, text string) (bool, string) {
	for _, re := range list {
		if re.MatchString(text) {
			return true, re.String()
		}
	}
	return false, ""
}
