// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"encoding/json"
	"time"

	"example.com/curlew/internal/jsonenc"
)

// PageError is the reason why a page of a job was not delivered. A job stores it as JSON.
type PageError struct {
	ID          string // id of the attempt, as in the metadata of a document
	Time        time.Time
	URL         string    // for a start page or a page of a batch, as the caller sent it
	Code        string    // such as SCRAPE_TIMEOUT; empty if there is none
	Text        string    // a sentence for the caller
	Rule        *PageRule // the rule that refused the URL, or nil
	CreditsUsed int       // for the failed page and its scans
}

// PageRule is a rule that refused a URL, and its value, such as a pattern.
type PageRule struct {
	Rule  string `json:"rule"`
	Value string `json:"value,omitempty"`
}

// Error returns the sentence.
func (e *PageError) Error() string { return e.Text }

// storedPageError is a PageError as JSON (contract.md 4.4).
type storedPageError struct {
	ID          string       `json:"id"`
	Time        jsonenc.Time `json:"timestamp"`
	URL         string       `json:"url"`
	Code        string       `json:"code,omitempty"`
	Text        string       `json:"error"`
	Rule        *PageRule    `json:"details,omitempty"`
	CreditsUsed int          `json:"creditsUsed,omitempty"`
}

// MarshalJSON writes e as in a list of errors (contract.md 4.4).
func (e *PageError) MarshalJSON() ([]byte, error) {
	return jsonenc.Encode(storedPageError{e.ID, jsonenc.Time(e.Time), e.URL, e.Code, e.Text, e.Rule, e.CreditsUsed})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *PageError) UnmarshalJSON(b []byte) error {
	var s storedPageError
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*e = PageError{s.ID, time.Time(s.Time), s.URL, s.Code, s.Text, s.Rule, s.CreditsUsed}
	return nil
}
