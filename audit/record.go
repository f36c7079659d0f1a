// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// stamp is the format of times: RFC 3339 with milliseconds, in UTC.
const stamp = "2006-01-02T15:04:05.000Z07:00"

// schemaVersion is the version of record.
const schemaVersion = 1

// record is an event as JSON. The fields are written in this order.
type record struct {
	SchemaVersion int            `json:"schema_version"`
	EventType     Type           `json:"event_type"`
	ScrapeID      string         `json:"scrape_id"`
	RequestID     string         `json:"request_id"`
	Endpoint      string         `json:"endpoint"`
	TeamID        string         `json:"team_id"`
	OrgID         string         `json:"org_id"`
	APIKey        recordKey      `json:"api_key"`
	AuditMetadata recordMetadata `json:"audit_metadata"`
	StartedAt     string         `json:"started_at"`
	CompletedAt   string         `json:"completed_at"`
	URL           string         `json:"url,omitempty"`
	Domain        string         `json:"domain,omitempty"`
	HTTPMethod    string         `json:"http_method"`
	HTTPStatus    int            `json:"http_status"`
	Result        Result         `json:"result"`
	Error         *recordFault   `json:"error"`
	Origin        string         `json:"origin"`
	Integration   string         `json:"integration"`
	ZeroRetention bool           `json:"zero_data_retention"`
	Threat        *recordThreat  `json:"threat"`
	Network       *recordNetwork `json:"network,omitempty"`
	Action        Action         `json:"action,omitempty"`
	Dropped       int            `json:"dropped,omitempty"`
}

type recordKey struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type recordMetadata struct {
	Username string `json:"username"`
}

type recordFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type recordThreat struct {
	Decision   string   `json:"decision"`
	Rule       string   `json:"rule"`
	Provider   string   `json:"provider"`
	Categories []string `json:"categories"`
}

type recordNetwork struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

// recordRest contains the fields that no schema defines, with the names of the
// envelope.
type recordRest struct {
	APIKey        recordKey      `json:"api_key"`
	Result        Result         `json:"result"`
	Origin        string         `json:"origin,omitempty"`
	Integration   string         `json:"integration,omitempty"`
	ZeroRetention bool           `json:"zero_data_retention"`
	Threat        *recordThreat  `json:"threat,omitempty"`
	Network       *recordNetwork `json:"network,omitempty"`
	Dropped       int            `json:"dropped,omitempty"`
}

// restOf returns the rest of a cleaned event.
func restOf(e *Event) recordRest {
	return recordRest{
		APIKey: recordKey(e.Key), Result: e.Result,
		Origin: e.Origin, Integration: e.Integration, ZeroRetention: e.ZeroRetention,
		Threat: threatOf(e.Threat), Network: (*recordNetwork)(e.Network), Dropped: e.Dropped,
	}
}

// recordOf returns the record of a cleaned event.
func recordOf(e *Event) *record {
	r := &record{
		SchemaVersion: schemaVersion, EventType: e.Type,
		ScrapeID: e.ScrapeID, RequestID: e.RequestID, Endpoint: e.Endpoint, TeamID: e.TeamID, OrgID: e.OrgID,
		APIKey: recordKey(e.Key), AuditMetadata: recordMetadata{e.Username},
		StartedAt: e.Started.Format(stamp), CompletedAt: e.Completed.Format(stamp),
		URL: e.URL, Domain: e.Domain, HTTPMethod: e.HTTPMethod, HTTPStatus: e.HTTPStatus, Result: e.Result,
		Origin: e.Origin, Integration: e.Integration, ZeroRetention: e.ZeroRetention,
		Error: (*recordFault)(e.Error), Network: (*recordNetwork)(e.Network), Threat: threatOf(e.Threat),
		Action: e.Action, Dropped: e.Dropped,
	}
	return r
}

func threatOf(t *Threat) *recordThreat {
	if t == nil {
		return nil
	}
	return &recordThreat{decision(t), t.Rule, t.Provider, t.Categories}
}

func decision(t *Threat) string {
	if t.Allowed {
		return "allow"
	}
	return "deny"
}

// MarshalJSON returns the envelope: a JSON object on a single line.
func (e Event) MarshalJSON() ([]byte, error) {
	e = e.clean()
	return appendJSON(nil, recordOf(&e)), nil
}

// UnmarshalJSON parses an envelope. Fields may have any order, and unknown ones
// are ignored.
func (e *Event) UnmarshalJSON(b []byte) error {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("audit event: %w", err)
	}
	if r.SchemaVersion != schemaVersion {
		return fmt.Errorf("audit event: schema version %d, want %d", r.SchemaVersion, schemaVersion)
	}
	started, err := time.Parse(time.RFC3339, r.StartedAt)
	if err != nil {
		return fmt.Errorf("audit event: %w", err)
	}
	completed, err := time.Parse(time.RFC3339, r.CompletedAt)
	if err != nil {
		return fmt.Errorf("audit event: %w", err)
	}
	*e = Event{
		Type: r.EventType, ScrapeID: r.ScrapeID, RequestID: r.RequestID, Endpoint: r.Endpoint, TeamID: r.TeamID, OrgID: r.OrgID,
		Key: Key(r.APIKey), Username: r.AuditMetadata.Username, Started: started, Completed: completed,
		URL: r.URL, Domain: r.Domain, HTTPMethod: r.HTTPMethod, HTTPStatus: r.HTTPStatus, Result: r.Result,
		Error: (*Fault)(r.Error), Origin: r.Origin, Integration: r.Integration, ZeroRetention: r.ZeroRetention,
		Network: (*Network)(r.Network), Action: r.Action, Dropped: r.Dropped,
	}
	if t := r.Threat; t != nil {
		e.Threat = &Threat{t.Decision == "allow", t.Rule, t.Provider, t.Categories}
	}
	return nil
}

// appendJSON appends v as one line without a line break. v must have a type
// that can be encoded as JSON.
func appendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("audit: " + err.Error()) // cannot happen: v consists of strings, numbers and booleans
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
