// SPDX-License-Identifier: Apache-2.0

// Package outcome converts the result of an agent to the JSON that jobs store and that
// the contract defines.
package outcome

import (
	"encoding/json"
	"slices"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/internal/jsonenc"
)

// Answer is the answer of an agent.
type Answer struct {
	Data               json.RawMessage     `json:"data,omitempty"`
	Notice             string              `json:"notice,omitempty"`
	StopReason         string              `json:"stopReason,omitempty"`
	Partial            bool                `json:"partial,omitempty"`
	PartialSchemaValid *bool               `json:"partialSchemaValid,omitempty"`
	Sources            []Source            `json:"sources,omitempty"`
	Fields             map[string]Evidence `json:"fields,omitempty"` // by JSON Pointer
	Issues             []Issue             `json:"issues,omitempty"`
}

// Source is a page that an agent has read.
type Source struct {
	URL       string
	Title     string
	FetchedAt time.Time
}

type storedSource struct {
	URL       string       `json:"url"`
	Title     string       `json:"title,omitempty"`
	FetchedAt jsonenc.Time `json:"fetchedAt"`
}

// MarshalJSON writes the source in the form of the contract.
func (s Source) MarshalJSON() ([]byte, error) {
	return jsonenc.Encode(storedSource{s.URL, s.Title, jsonenc.Time(s.FetchedAt)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Source) UnmarshalJSON(b []byte) error {
	var stored storedSource
	if err := json.Unmarshal(b, &stored); err != nil {
		return err
	}
	*s = Source{stored.URL, stored.Title, time.Time(stored.FetchedAt)}
	return nil
}

// Evidence says which source states a value of an answer. Source and Also are indices
// in the answer's list of sources. A Source of -1 means that the value was computed
// from the rows.
type Evidence struct {
	Source int    `json:"source"`
	Lines  []int  `json:"lines,omitempty"` // first and last line; nil if the value comes from structured data
	Grade  string `json:"grade"`
	Also   []int  `json:"also,omitempty"`

	Sentences []Sentence `json:"sentences,omitempty"` // of a text that was written about rows
}

// Sentence is a sentence of a text that was written about rows, with what it rests on.
type Sentence struct {
	Text  string     `json:"text"`
	Cited []Citation `json:"cited"`
}

// Citation names lines of a source.
type Citation struct {
	Source int   `json:"source"`          // index in the answer's list of sources
	Lines  []int `json:"lines,omitempty"` // first and last line; nil if it is structured data
}

// Issue is a problem that an agent met.
type Issue struct {
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"` // JSON Pointer
	URL     string `json:"url,omitempty"`
	Message string `json:"message"`
}

// stopReasons contains the reasons whose names in an [Answer] differ from those of the
// engine.
var stopReasons = map[finding.Reason]string{finding.ReasonCredits: "credit_limit_reached", finding.ReasonWall: "time"}

// notices are the sentences that tell people why a run ended before its answer was known to
// be complete.
var notices = map[finding.Reason]string{
	finding.ReasonDry:      "No page is left that is likely to add anything, and the answer may lack something. The issues say what.",
	finding.ReasonStalled:  "Three decisions in a row had no effect. Data holds what was found until then.",
	finding.ReasonCredits:  "The credit limit was reached. Data holds what was found until then.",
	finding.ReasonWall:     "The time limit was reached. Data holds what was found until then.",
	finding.ReasonPages:    "The limit of pages was reached. Data holds what was found until then.",
	finding.ReasonTokens:   "The limit of tokens was reached. Data holds what was found until then.",
	finding.ReasonSteps:    "The limit of decisions was reached. Data holds what was found until then.",
	finding.ReasonStopped:  "The agent was stopped as requested. Data holds what was found until then.",
	finding.ReasonProvider: "The model is not available. Data holds what was found until then.",
}

// StopReason returns the name that an [Answer] uses for the reason why a run ended.
func StopReason(r finding.Reason) string {
	if word, ok := stopReasons[r]; ok {
		return word
	}
	return string(r)
}

// Of returns the answer of a result.
func Of(r *agent.Result) Answer {
	o := Answer{Data: r.Data, StopReason: StopReason(r.Stop), Partial: r.Partial}
	if r.Partial || !r.Valid {
		o.PartialSchemaValid = new(r.Valid)
	}
	o.Notice = notices[r.Stop]
	index := map[string]int{}
	for i, s := range r.Sources {
		index[s.ID] = i
		o.Sources = append(o.Sources, Source{URL: s.URL, Title: s.Title, FetchedAt: s.At})
	}
	for pointer, e := range r.Fields {
		if o.Fields == nil {
			o.Fields = make(map[string]Evidence, len(r.Fields))
		}
		w := Evidence{Source: -1, Grade: string(e.Grade)}
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
		w.Sentences = sentences(e.Sentences, index)
		o.Fields[pointer] = w
	}
	for _, issue := range r.Issues {
		w := Issue{Code: string(issue.Kind), Path: issue.Pointer, URL: issue.URL, Message: issue.Detail}
		if i, ok := index[issue.Source]; ok && w.URL == "" {
			w.URL = r.Sources[i].URL
		}
		o.Issues = append(o.Issues, w)
	}
	return o
}

// sentences returns sentences whose sources are indices.
func sentences(all []finding.Sentence, index map[string]int) (out []Sentence) {
	for _, s := range all {
		w := Sentence{Text: s.Text, Cited: []Citation{}}
		for _, c := range s.Cited {
			if i, ok := index[c.Source]; ok {
				cited := Citation{Source: i}
				if c.Lines != [2]int{} {
					cited.Lines = c.Lines[:]
				}
				w.Cited = append(w.Cited, cited)
			}
		}
		out = append(out, w)
	}
	return out
}
