// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

func TestStatus(t *testing.T) {
	at := jsonenc.Time(time.Date(2026, 1, 2, 3, 4, 5, 6_700_000, time.FixedZone("", 3600)))
	s := wire.Status{
		Success: true, ID: "i", Status: "completed", Completed: 2, Total: 2, CreditsUsed: 2, ExpiresAt: at, CreatedAt: at,
		CompletedAt: &at, Duration: 1.5, Next: `http://x.test/"data":[`, Warning: "w",
		Data: []json.RawMessage{json.RawMessage(`{"markdown":"<a>"}`), json.RawMessage(`{}`)},
	}
	const want = `{"success":true,"id":"i","status":"completed","completed":2,"total":2,"creditsUsed":2,` +
		`"expiresAt":"2026-01-02T02:04:05.006Z","createdAt":"2026-01-02T02:04:05.006Z","completedAt":"2026-01-02T02:04:05.006Z",` +
		`"duration":1.5,"next":"http://x.test/\"data\":[","data":[{"markdown":"<a>"},{}],"warning":"w"}`
	got, err := s.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("with documents (-want +got):\n%s", diff)
	}
	s = wire.Status{}
	got, err = s.Append([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	const none = `x{"success":false,"id":"","status":"","completed":0,"total":0,"creditsUsed":0,` +
		`"expiresAt":"0001-01-01T00:00:00.000Z","createdAt":"0001-01-01T00:00:00.000Z","duration":0,"data":[]}`
	if string(got) != none {
		t.Errorf("without documents:\n%s, want\n%s", got, none)
	}
}

func TestUsage(t *testing.T) {
	got, err := jsonenc.Encode(wire.Usage{Unit: "Credits", Remaining: 3, Plan: 5})
	const inner = `"remainingCredits":3,"planCredits":5,"billingPeriodStart":null,"billingPeriodEnd":null`
	if want := `{"success":true,"data":{` + inner + `},` + inner + `}`; string(got) != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestPaging(t *testing.T) {
	for query, want := range map[string]wire.Paging{
		"":                   {Limit: 100},
		"skip=5":             {Skip: 5, Limit: 100},
		"limit=1000":         {Limit: 1000, Sent: true},
		"skip=5&limit=1&x=1": {Skip: 5, Limit: 1, Sent: true},
	} {
		if got, err := wire.DecodePaging(query); got != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", query, got, err, want)
		}
	}
	for _, query := range []string{"skip=-1", "limit=0", "limit=1001", "skip=", "limit=x", "skip=1.5", "skip=99999999999999999999", "skip=%zz", "a;b", "limit=1&limit=2", "limit=1&limit=1", "skip=1&skip=2", "stats=true&stats=false"} {
		if _, err := wire.DecodePaging(query); !errors.Is(err, wire.ErrPaging) {
			t.Errorf("%q: %v, want ErrPaging", query, err)
		}
	}
}

// TestTwice checks that no query picks one of two values, as bodies do not.
func TestTwice(t *testing.T) {
	if _, err := wire.DecodeBefore("before=1&before=2"); !errors.Is(err, wire.ErrBefore) {
		t.Errorf("before: %v", err)
	}
	if _, err := wire.DecodeActivity("limit=1&limit=2"); !errors.Is(err, wire.ErrActivity) {
		t.Errorf("activity: %v", err)
	}
	if _, err := wire.DecodeExplain("url=a.test&url=b.test"); err == nil {
		t.Error("explain: no error")
	}
	if q, err := wire.DecodeQuery("x=1&x=2&a=1", "a"); err != nil || q.Get("a") != "1" {
		t.Errorf("an unknown name: %v, %v", q, err)
	}
}

func TestIsUUID(t *testing.T) {
	for s, want := range map[string]bool{
		"0199d7a4-0000-7000-8000-00000000000a":  true,
		"0199D7A4-0000-7000-8000-00000000000A":  true,
		"0199d7a4-0000-7000-8000-00000000000g":  false,
		"0199d7a400007000800000000000000a----":  false,
		"0199d7a4-0000-7000-8000-00000000000":   false,
		"0199d7a4-0000-7000-8000-00000000000aa": false,
		"":                                      false,
	} {
		if got := wire.IsUUID(s); got != want {
			t.Errorf("IsUUID(%q) = %v", s, got)
		}
	}
}

func TestCrawlOptions(t *testing.T) {
	c, err := wire.DecodeCrawl([]byte(`{"url":"a.test","limit":3,"scrapeOptions":{"formats":["html"]},"origin":"o"}`), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Options()
	if want := `{"limit":3,"scrapeOptions":{"formats":[{"type":"html"}]},"origin":"o"}`; string(got) != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		query string
		want  wire.Explain
		fault string // of the answer's details
	}{
		{"url=http%3A%2F%2Fa.test%2F", wire.Explain{URL: "http://a.test/"}, ""},
		{"url=x&from=http://a.test/&depth=3&more=1", wire.Explain{URL: "x", From: "http://a.test/", Depth: 3}, ""},
		{"", wire.Explain{}, wire.InvalidType},
		{"url=", wire.Explain{}, wire.InvalidType},
		{"url=x&depth=", wire.Explain{}, wire.InvalidType},
		{"url=x&depth=99999999999", wire.Explain{}, wire.InvalidType},
		{"url=%zz", wire.Explain{}, wire.Custom},
	} {
		got, err := wire.DecodeExplain(tt.query)
		e, ok := errors.AsType[*wire.Error](err)
		switch {
		case ok != (tt.fault != "") || ok && e.Faults[0].Code != tt.fault:
			t.Errorf("%q: %v, want %q", tt.query, err, tt.fault)
		case !ok && got != tt.want:
			t.Errorf("%q: %+v, want %+v", tt.query, got, tt.want)
		}
	}
}
