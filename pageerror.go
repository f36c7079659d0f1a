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
	URL         string // for a start page or a page of a batch, as the caller sent it
	Code        string // such as SCRAPE_TIMEOUT; empty if there is none
	Text        string // a sentence for the caller
	Rule, Value string // the rule that refused the URL, and its value, such as a pattern; empty if none did
	CreditsUsed int    // for the failed page and its scans
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
	Rule        *storedRule  `json:"details,omitempty"`
	CreditsUsed int          `json:"creditsUsed,omitempty"`
}

// storedRule is the rule of a PageError as JSON.
type storedRule struct {
	Rule  string `json:"rule"`
	Value string `json:"value,omitempty"`
}

// MarshalJSON writes e as in a list of errors (contract.md 4.4).
func (e *PageError) MarshalJSON() ([]byte, error) {
	s := storedPageError{ID: e.ID, Time: jsonenc.Time(e.Time), URL: e.URL, Code: e.Code, Text: e.Text, CreditsUsed: e.CreditsUsed}
	if e.Rule != "" {
		s.Rule = &storedRule{e.Rule, e.Value}
	}
	return jsonenc.Encode(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *PageError) UnmarshalJSON(b []byte) error {
	var s storedPageError
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*e = PageError{ID: s.ID, Time: time.Time(s.Time), URL: s.URL, Code: s.Code, Text: s.Text, CreditsUsed: s.CreditsUsed}
	if s.Rule != nil {
		e.Rule, e.Value = s.Rule.Rule, s.Rule.Value
	}
	return nil
}
