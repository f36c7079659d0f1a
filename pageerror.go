// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"time"

	"example.com/curlew/internal/service/stored"
)

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
