// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"strconv"

	"example.com/curlew/internal/jsonenc"
)

// Periods is the usage of past periods.
type Periods struct {
	Success bool     `json:"success"`
	Periods []Period `json:"periods"`
}

// Period is the usage of one period. Start and End are null if they are unknown.
type Period struct {
	Start, End *jsonenc.Time
	Unit       string // creditsUsed, tokensUsed
	Used       int
}

// MarshalJSON writes the usage under the name of its unit.
func (p Period) MarshalJSON() ([]byte, error) {
	start, err := jsonenc.Encode(p.Start)
	if err != nil {
		return nil, err
	}
	end, err := jsonenc.Encode(p.End)
	if err != nil {
		return nil, err
	}
	return []byte(`{"startDate":` + string(start) + `,"endDate":` + string(end) + `,"` + p.Unit + `":` + strconv.Itoa(p.Used) + `}`), nil
}

// TeamThreat is the threat policy of a team.
type TeamThreat struct {
	Success bool         `json:"success"`
	Data    ThreatPolicy `json:"data"`
}

// ThreatPolicy is a whole threat policy.
type ThreatPolicy struct {
	Mode           string        `json:"mode"`
	Blacklist      []string      `json:"blacklist"`
	Whitelist      []string      `json:"whitelist"`
	TLDs           []string      `json:"blockedTlds"`
	Failure        string        `json:"failurePolicy"`
	Threshold      int           `json:"riskScoreThreshold"`
	AllowOverrides bool          `json:"allowRequestOverrides"`
	Configured     bool          `json:"configured"`
	UpdatedAt      *jsonenc.Time `json:"updatedAt"` // null if the team has not set the policy itself
}

// DecodeThreatPolicy decodes the body of PUT /v2/team/threat-protection. Its mode is
// required. It also returns allowRequestOverrides. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeThreatPolicy(body []byte) (t *Threat, allow *bool, err error) {
	t = new(Threat)
	err = decode(body, Options{}, func(o *object) { allow = t.readWhole(o) })
	return t, allow, err
}

// readWhole reads a whole policy, and returns allowRequestOverrides.
func (t *Threat) readWhole(o *object) (allow *bool) {
	o.closed = true
	t.read(o)
	allow = o.bool("allowRequestOverrides")
	o.need("mode", "string")
	return allow
}

// Activity is a page of what a team has done.
type Activity struct {
	Success bool            `json:"success"`
	Data    []ActivityEntry `json:"data"`
	Cursor  string          `json:"cursor,omitempty"` // names the next page
	HasMore bool            `json:"has_more"`
}

// ActivityEntry is one request or job.
type ActivityEntry struct {
	ID         string       `json:"id"`
	Endpoint   string       `json:"endpoint"`
	APIVersion string       `json:"api_version"`
	CreatedAt  jsonenc.Time `json:"created_at"`
	Target     string       `json:"target,omitempty"` // the first URL
}

// ActivityQuery selects a page of activities.
type ActivityQuery struct {
	Endpoint, Cursor string // empty: all, from the first
	Limit            int
}

// ErrActivity means that the query of an activity request is invalid.
var ErrActivity = errors.New("Invalid query: limit must be an integer from 1 to 100, and each parameter is given at most once") //nolint:staticcheck // the wire's text

// DecodeActivity decodes the query of an activity request. Its error is ErrActivity.
func DecodeActivity(query string) (ActivityQuery, error) {
	a := ActivityQuery{Limit: 50}
	q, err := DecodeQuery(query, "endpoint", "cursor", "limit")
	if err != nil {
		return a, ErrActivity
	}
	a.Endpoint, a.Cursor = q.Get("endpoint"), q.Get("cursor")
	if q.Has("limit") {
		if a.Limit, err = strconv.Atoi(q.Get("limit")); err != nil || a.Limit < 1 || a.Limit > 100 {
			return a, ErrActivity
		}
	}
	return a, nil
}
