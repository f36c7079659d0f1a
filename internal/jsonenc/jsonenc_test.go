// SPDX-License-Identifier: Apache-2.0

package jsonenc_test

import (
	"encoding/json"
	"testing"
	"time"

	"example.com/curlew/internal/jsonenc"
)

func TestEncode(t *testing.T) {
	got, err := jsonenc.Encode(map[string]string{"url": "http://a.test/?a=1&b=<2>"})
	if want := `{"url":"http://a.test/?a=1&b=<2>"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if _, err := jsonenc.Encode(func() {}); err == nil {
		t.Error("a func is encoded")
	}
}

// TestTime decodes encoded times, which have milliseconds.
func TestTime(t *testing.T) {
	at := jsonenc.Time(time.Date(2026, 1, 2, 3, 4, 5, 6_700_000, time.FixedZone("", 3600)))
	raw, err := json.Marshal(at)
	if want := `"2026-01-02T02:04:05.006Z"`; err != nil || string(raw) != want {
		t.Fatalf("%s, %v, want %s", raw, err, want)
	}
	var again jsonenc.Time
	if err := json.Unmarshal(raw, &again); err != nil || again.String() != at.String() {
		t.Errorf("%s, %v", again, err)
	}
	if err := json.Unmarshal([]byte(`"2026-01-02"`), &again); err == nil {
		t.Error("a date is an instant")
	}
}
