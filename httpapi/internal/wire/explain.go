// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math"
	"net/url"
	"strconv"
)

// Explain is what GET /v2/crawl/{id}/explain asks (contract.md 4.8): what the
// rules of a crawl say of URL, found on the page From that has a Depth.
type Explain struct {
	URL   string // not empty; relative to From
	From  string // empty: the start page
	Depth int    // of From
}

// DecodeExplain reads the query of a request; names it does not know are
// ignored. Its error is an [*Error].
func DecodeExplain(query string) (Explain, error) {
	var e Explain
	var faults []Fault
	q, err := url.ParseQuery(query)
	if err != nil {
		faults = append(faults, Fault{Code: Custom, Path: []any{}, Message: "Invalid query"})
	} else if e.URL, e.From = q.Get("url"), q.Get("from"); e.URL == "" {
		faults = append(faults, Fault{Code: InvalidType, Path: []any{"url"}, Message: "Invalid input: expected string, received undefined", Expected: "string"})
	}
	if q.Has("depth") {
		if e.Depth, err = strconv.Atoi(q.Get("depth")); err != nil || e.Depth < 0 || e.Depth > math.MaxInt32 {
			faults = append(faults, Fault{Code: InvalidType, Path: []any{"depth"}, Message: "Invalid input: expected int >=0", Expected: "int"})
		}
	}
	if faults != nil {
		return e, &Error{Faults: faults}
	}
	return e, nil
}

// Explained answers it.
type Explained struct {
	Success  bool     `json:"success"`
	URL      string   `json:"url"` // absolute; as asked where it is no URL
	Decision Decision `json:"decision"`
}

// Decision is what the rules say of a URL.
type Decision struct {
	Follow bool   `json:"follow"`
	Rule   string `json:"rule"`            // that refuses it; empty where none does
	Value  string `json:"value,omitempty"` // what decided; without a rule, why its site does not answer
	Depth  int    `json:"depth"`           // that it would have
	From   string `json:"from,omitempty"`  // absent of the start page

	// Robots says how much of the origin's robots.txt the decision has seen:
	// known, unreachable, unknown (nobody has asked yet, and nobody asks now),
	// or ignored by the crawl's options.
	Robots string `json:"robots"`
}
