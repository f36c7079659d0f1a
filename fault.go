// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/internal/service/stored"
)

// Errors with which a Service refuses work. Its other errors wrap errors such as
// [account.ErrForbidden], [account.ErrPayment], [job.ErrNotFound] and [job.ErrShutdown].
var (
	ErrEngine   = faults.ErrEngine    // the host has not configured what a request needs
	ErrRequest  = faults.ErrRequest   // the request is not valid
	ErrBusy     = faults.ErrBusy      // the process is short of memory or disk space, has lost its database, or cannot stop an agent of another process; the same request may succeed later
	ErrRate     = faults.ErrRate      // too many requests, or too many waiting pages
	ErrFinished = faults.ErrFinished  // the job can no longer be changed
	ErrConflict = repeats.ErrConflict // the idempotency key was used for another request
)

// Error says why a Service refuses work, with a sentence for the caller.
type Error struct {
	Err   error         // such as [ErrRequest]
	Text  string        // sentence for the caller; empty means the text of Err
	Field string        // field of a Go request that is not valid, such as Webhook.Events[1]; empty if there is none
	Wait  time.Duration // how long to wait before a retry; zero means unknown
}

// Error returns the sentence for the caller.
func (e *Error) Error() string {
	text := cmp.Or(e.Text, fmt.Sprint(e.Err))
	if e.Field != "" {
		return e.Field + ": " + text
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// refuse returns an error with a text of its own.
func refuse(why error, text string) error { return &Error{Err: why, Text: text} }

// Fault returns what a team is told about an error that ended its work: a code, which may
// be empty, and a sentence. The code is UNKNOWN_ERROR if only the operator may know the
// error. Both are empty if err is nil.
func Fault(err error) (code, text string) {
	if err == nil {
		return "", ""
	}
	code, text = faults.Of(err)
	if e, ok := errors.AsType[*Error](err); ok {
		return code, cmp.Or(text, e.Error())
	}
	return code, cmp.Or(text, faults.Text(err))
}

// PageError is the reason why a page of a job was not delivered. A job stores it as JSON.
type PageError struct {
	ID          string // id of the attempt, as in the metadata of a document
	Time        time.Time
	URL         string // for a start page or a page of a batch, as the caller sent it
	Code        string // such as SCRAPE_TIMEOUT; empty if there is none
	Text        string // a sentence for the caller
	Rule, Value string // the rule that refused the URL, and its value, such as a pattern; empty if none did
	CreditsUsed int    // for the failed page and its scans
}

// Error returns the sentence.
func (e *PageError) Error() string { return e.Text }

// MarshalJSON writes e as in a list of errors.
func (e *PageError) MarshalJSON() ([]byte, error) { return (*stored.PageError)(e).MarshalJSON() }

// UnmarshalJSON reads what MarshalJSON writes.
func (e *PageError) UnmarshalJSON(b []byte) error { return (*stored.PageError)(e).UnmarshalJSON(b) }

// pageFailure returns the entry of the errors list for one page.
func pageFailure(id, url string, err error) *PageError {
	e := &PageError{ID: id, Time: time.Now(), URL: url}
	e.Code, e.Text = Fault(err)
	e.Rule, e.Value = faults.Rule(err)
	return e
}

// auditFault returns how the audit log describes the error of a URL.
func auditFault(ctx context.Context, err error) (audit.Result, *audit.Fault) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // a Fetcher need not return the cause
		err = context.Cause(ctx)
	}
	code, text := Fault(err)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		code, text = "", "The client did not wait for the result."
	}
	return faults.Result(ctx, err), &audit.Fault{Code: code, Message: text}
}
