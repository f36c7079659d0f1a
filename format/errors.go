// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"strings"
)

// The causes of an [Error].
var (
	ErrSelector = errors.New("invalid selector")
	ErrForm     = errors.New("form is not supported")
	ErrAlone    = errors.New("form cannot be combined with others") // only RawBase64 has this limit
	ErrNotAsked = errors.New("document does not have this form; ask for it in Options.Forms")
	ErrSchema   = errors.New("invalid schema")
)

var errNoInput = errors.New("no input")

// Error says why a call was refused. It names the form or the selector.
type Error struct {
	Form     Form   // empty if no form is at fault
	Selector string // the text given to [ParseSelector]
	Err      error  // wraps a sentinel or ctx's cause
}

// Error returns "format FORM: CAUSE", or names the selector. If no form is at fault, it
// returns "format: CAUSE".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("format")
	switch {
	case e.Selector != "":
		b.WriteString(` selector "` + cut(e.Selector, 100) + `"`)
	case e.Form != "":
		b.WriteString(" " + string(e.Form))
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
