// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math"
	"strconv"
)

// Explain is the query of GET /v2/crawl/{id}/explain: how the
// rules of a crawl treat URL if it was found on page From at Depth.
type Explain struct {
	URL   string // not empty; relative to From
	From  string // empty means the start page
	Depth int    // depth of From
}

// DecodeExplain decodes the query of a request and ignores unknown names. Its
// error is an [*Error].
func DecodeExplain(query string) (Explain, error) {
	var e Explain
	var faults []Fault
	q, err := DecodeQuery(query, "url", "from", "depth")
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

// Explained is the answer to Explain.
type Explained struct {
	Success  bool     `json:"success"`
	URL      string   `json:"url"` // absolute; as sent if it is not a URL
	Decision Decision `json:"decision"`
}

// Decision is the decision of the rules about a URL.
type Decision struct {
	Follow bool   `json:"follow"`
	Rule   string `json:"rule"`            // rule that refuses it; empty if none does
	Value  string `json:"value,omitempty"` // what decided; if no rule did, why the site does not answer
	Depth  int    `json:"depth"`           // depth that it would have
	From   string `json:"from,omitempty"`  // absent for the start page

	// Robots says whether the robots.txt of the origin was known: known,
	// unreachable, unknown (it has never been requested, and is not requested
	// now), or ignored because of the crawl's options.
	Robots string `json:"robots"`
}
