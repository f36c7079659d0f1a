// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
)

// FuzzNumbers reads numbers: none is infinite.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"$10.99", "1.234,50 €", "12k stars, 3.4 M", "40 %", "1'234.5", "−3", "1 234 567,8", "٣٫٤", "1e999", "0x10", ".5.", "9,99,999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 10_000 {
			return
		}
		for _, v := range agent.Numbers(agent.Normal(s)) {
			if math.IsInf(v, 0) { // what is no number is NaN
				t.Fatalf("%q: %v", s, v)
			}
		}
	})
}

// FuzzDates reads dates: each that is written out is a day of the calendar.
func FuzzDates(f *testing.F) {
	for _, s := range []string{"3 March 2024", "2024年3月3日", "04/05/2024", "31.12.1999", "Feb 30, 2024", "le 1er mai 2020", "2024-02-29T12:00:00Z", "20240303", "March 2024"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 10_000 {
			return
		}
		for _, lang := range []string{"", "en", "en-gb", "de", "ja"} {
			for _, text := range agent.Dates(s, lang) {
				if text == "" { // ambiguous
					continue
				}
				if _, err := time.Parse(time.DateOnly, text); err != nil {
					t.Fatalf("%q in %q: %v", s, lang, err)
				}
			}
		}
	})
}

// FuzzFold folds damaged journals: no panic, and data that is JSON.
func FuzzFold(f *testing.F) {
	f.Add([]byte(`{"seq":1,"kind":"accepted","accepted":{"prompt":"p","schema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}}}
{"seq":2,"kind":"page","page":{"id":"S1","url":"https://a.test/"}}
{"seq":3,"kind":"extracted","extracted":{"source":"S1","table":"T1","method":"model","count":1,"rows":[{"a":{"v":"x","g":"exact","s":"S1"}}]}}`))
	f.Add([]byte(`{"seq":1,"kind":"planned","planned":{"schema":{"type":"object","properties":{"a":{"type":"number"}}},"tables":[{"id":"T0","keys":["a","b"]}]}}
{"seq":2,"kind":"extracted","extracted":{"source":"S9","table":"T0","rows":[{"a":{"v":[1]}},{"zz":{"v":null}}]}}`))
	f.Add([]byte(`{"seq":1,"extracted":{"source":"","table":"T7"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 50_000 {
			return
		}
		var events []journal.Event
		for d := json.NewDecoder(bytes.NewReader(raw)); len(events) < 100; {
			var e journal.Event
			if d.Decode(&e) != nil {
				break
			}
			events = append(events, e)
		}
		data, err := agent.Fold(history(events), math.MaxInt64)
		if (data == nil) == (err == nil) || err == nil && !json.Valid(data) {
			t.Fatalf("%q: %q, %v", raw, data, err)
		}
	})
}
