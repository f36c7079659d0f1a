// SPDX-License-Identifier: Apache-2.0

// Package jsonenc encodes JSON as the v2 contract demands: without HTML escapes,
// and with times in UTC with milliseconds.
package jsonenc

import (
	"bytes"
	"encoding/json"
	"time"
)

// Encode returns v as JSON without HTML escapes and without a final line break.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Time is a time that is written as the contract demands: RFC 3339, UTC,
// milliseconds.
type Time time.Time

// String returns t as in JSON, but without quotes.
func (t Time) String() string { return time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z") }

// MarshalJSON writes t in quotes.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON decodes the output of MarshalJSON.
func (t *Time) UnmarshalJSON(b []byte) error {
	at, err := time.Parse(`"2006-01-02T15:04:05.000Z"`, string(b))
	*t = Time(at)
	return err
}
