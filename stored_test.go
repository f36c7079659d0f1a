// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/internal/jsonenc"
)

// TestStored checks that stored jobs use the names of the contract and can be
// read again.
func TestStored(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	valid := true
	for _, test := range []struct {
		stored any
		want   string
	}{
		{
			&curlew.PageError{ID: "i", Time: at, URL: "http://a.test/?a&b", Code: "C", Text: "no", Rule: "depth", Value: "3", CreditsUsed: 2},
			`{"id":"i","timestamp":"2026-01-02T03:04:05.006Z","url":"http://a.test/?a&b","code":"C","error":"no","details":{"rule":"depth","value":"3"},"creditsUsed":2}`,
		},
		{&curlew.PageError{ID: "i", Time: at, URL: "u", Text: "no"}, `{"id":"i","timestamp":"2026-01-02T03:04:05.006Z","url":"u","error":"no"}`},
		{
			&outcome.Answer{
				Data: json.RawMessage(`{"a":1}`), Notice: "n", StopReason: "time", Partial: true, PartialSchemaValid: &valid,
				Sources: []outcome.Source{{URL: "u", FetchedAt: at}},
				Fields:  map[string]outcome.Evidence{"/a": {Source: 0, Lines: []int{1, 2}, Grade: "exact"}},
				Issues:  []outcome.Issue{{Code: "c", Message: "m"}},
			},
			`{"data":{"a":1},"notice":"n","stopReason":"time","partial":true,"partialSchemaValid":true,"sources":[{"url":"u","fetchedAt":"2026-01-02T03:04:05.006Z"}],` +
				`"fields":{"/a":{"source":0,"lines":[1,2],"grade":"exact"}},"issues":[{"code":"c","message":"m"}]}`,
		},
	} {
		raw, err := jsonenc.Encode(test.stored)
		if err != nil || string(raw) != test.want {
			t.Errorf("%s, %v, want %s", raw, err, test.want)
		}
		again := reflect.New(reflect.TypeOf(test.stored).Elem()).Interface()
		if err := json.Unmarshal(raw, again); err != nil || !reflect.DeepEqual(again, test.stored) {
			t.Errorf("%+v is read again as %+v, %v", test.stored, again, err)
		}
	}
}
