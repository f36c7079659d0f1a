// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
)

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
