// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"encoding/json"
	"strconv"
	"time"

	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
	"example.com/curlew/threat"
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

// Scans returns an entry of a list of errors that bills threat scans for n credits. They
// were not made for a page of their own. url is the URL of the entry.
func Scans(url string, n int) (job.Item, error) {
	entry, err := jsonenc.Encode(&PageError{
		ID: job.NewID(), Time: time.Now(), URL: url, CreditsUsed: n,
		Text: "Threat scans of URLs that are no pages of their own: redirects to other pages of the job, or cut off at its end.",
		Rule: scope.RuleDuplicate.String(), Value: strconv.Itoa(n / threat.ScanCredits),
	})
	return job.Item{Kind: job.Failure, Data: entry, Cost: n}, err
}
