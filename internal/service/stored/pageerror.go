// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"encoding/json"
	"time"

	"example.com/curlew/internal/jsonenc"
)

// PageError has the fields of a curlew.PageError, which says what they mean.
type PageError struct {
	ID          string
	Time        time.Time
	URL         string
	Code        string
	Text        string
	Rule, Value string
	CreditsUsed int
}

// pageError is a PageError as JSON.
type pageError struct {
	ID          string       `json:"id"`
	Time        jsonenc.Time `json:"timestamp"`
	URL         string       `json:"url"`
	Code        string       `json:"code,omitempty"`
	Text        string       `json:"error"`
	Rule        *rule        `json:"details,omitempty"`
	CreditsUsed int          `json:"creditsUsed,omitempty"`
}

// rule is the rule of a PageError as JSON.
type rule struct {
	Rule  string `json:"rule"`
	Value string `json:"value,omitempty"`
}

// MarshalJSON writes e as in a list of errors.
func (e *PageError) MarshalJSON() ([]byte, error) {
	s := pageError{ID: e.ID, Time: jsonenc.Time(e.Time), URL: e.URL, Code: e.Code, Text: e.Text, CreditsUsed: e.CreditsUsed}
	if e.Rule != "" {
		s.Rule = &rule{e.Rule, e.Value}
	}
	return jsonenc.Encode(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *PageError) UnmarshalJSON(b []byte) error {
	var s pageError
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*e = PageError{ID: s.ID, Time: time.Time(s.Time), URL: s.URL, Code: s.Code, Text: s.Text, CreditsUsed: s.CreditsUsed}
	if s.Rule != nil {
		e.Rule, e.Value = s.Rule.Rule, s.Rule.Value
	}
	return nil
}
