// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"encoding/json"
	"slices"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/internal/jsonenc"
)

// Answer is the answer of an agent. A job stores it as JSON.
type Answer struct {
	Data               json.RawMessage           `json:"data,omitempty"`
	Notice             string                    `json:"notice,omitempty"`
	StopReason         string                    `json:"stopReason,omitempty"`
	Partial            bool                      `json:"partial,omitempty"`
	PartialSchemaValid *bool                     `json:"partialSchemaValid,omitempty"`
	Sources            []AnswerSource            `json:"sources,omitempty"`
	Fields             map[string]AnswerEvidence `json:"fields,omitempty"` // by JSON Pointer
	Issues             []AnswerIssue             `json:"issues,omitempty"`
}

// AnswerSource is a page that an agent has read.
type AnswerSource struct {
	URL       string
	Title     string
	FetchedAt time.Time
}

type storedSource struct {
	URL       string       `json:"url"`
	Title     string       `json:"title,omitempty"`
	FetchedAt jsonenc.Time `json:"fetchedAt"`
}

// MarshalJSON writes the source as answers show it.
func (s AnswerSource) MarshalJSON() ([]byte, error) {
	return jsonenc.Encode(storedSource{s.URL, s.Title, jsonenc.Time(s.FetchedAt)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *AnswerSource) UnmarshalJSON(b []byte) error {
	var stored storedSource
	if err := json.Unmarshal(b, &stored); err != nil {
		return err
	}
	*s = AnswerSource{stored.URL, stored.Title, time.Time(stored.FetchedAt)}
	return nil
}

// AnswerEvidence says which source states a value of an answer. Source and Also are
// indices of the answer's sources. A Source of -1 means that the value was computed from
// the rows.
type AnswerEvidence struct {
	Source int    `json:"source"`
	Lines  []int  `json:"lines,omitempty"` // first and last line; nil: the value comes from structured data
	Grade  string `json:"grade"`
	Also   []int  `json:"also,omitempty"`
}

// AnswerIssue is a problem that an agent met.
type AnswerIssue struct {
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"` // JSON Pointer
	URL     string `json:"url,omitempty"`
	Message string `json:"message"`
}

// stopReasons are the words of an [Answer] that differ from those of the engine.
var stopReasons = map[finding.Reason]string{finding.ReasonCredits: "credit_limit_reached", finding.ReasonWall: "time"}

// StopReason returns the word of an [Answer] for why a run ended.
func StopReason(r finding.Reason) string {
	if word, ok := stopReasons[r]; ok {
		return word
	}
	return string(r)
}

// outcome returns the answer of a result.
func outcome(r *agent.Result) Answer {
	o := Answer{Data: r.Data, StopReason: StopReason(r.Stop), Partial: r.Partial}
	if r.Partial || !r.Valid {
		o.PartialSchemaValid = new(r.Valid)
	}
	if r.Stop == finding.ReasonCredits {
		o.Notice = "The credit limit was reached. Data holds what was found until then."
	}
	index := map[string]int{}
	for i, s := range r.Sources {
		index[s.ID] = i
		o.Sources = append(o.Sources, AnswerSource{URL: s.URL, Title: s.Title, FetchedAt: s.At})
	}
	for pointer, e := range r.Fields {
		if o.Fields == nil {
			o.Fields = make(map[string]AnswerEvidence, len(r.Fields))
		}
		w := AnswerEvidence{Source: -1, Grade: string(e.Grade)}
		if i, ok := index[e.Source]; ok {
			w.Source = i
		}
		if e.Lines != [2]int{} {
			w.Lines = e.Lines[:]
		}
		for _, also := range e.Also {
			if i, ok := index[also]; ok {
				w.Also = append(w.Also, i)
			}
		}
		slices.Sort(w.Also)
		o.Fields[pointer] = w
	}
	for _, issue := range r.Issues {
		w := AnswerIssue{Code: string(issue.Kind), Path: issue.Pointer, URL: issue.URL, Message: issue.Detail}
		if i, ok := index[issue.Source]; ok && w.URL == "" {
			w.URL = r.Sources[i].URL
		}
		o.Issues = append(o.Issues, w)
	}
	return o
}

// PageError says why a page of a job was not delivered. A job stores it as JSON.
type PageError struct {
	ID          string // of the attempt, as in the metadata of a document
	Time        time.Time
	URL         string    // of a start page or a batch's page as it was sent
	Code        string    // such as SCRAPE_TIMEOUT; empty: no code
	Text        string    // a sentence
	Rule        *PageRule // that refused the URL; nil: none did
	CreditsUsed int       // for the failed page and its scans
}

// PageRule is a rule that refused a URL, and the value that decided.
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

// MarshalJSON writes the entry as lists of errors show it.
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
