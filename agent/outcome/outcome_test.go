// SPDX-License-Identifier: Apache-2.0

package outcome_test

import (
	"encoding/json"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/internal/jsonenc"
)

// TestOf writes the results of runs in the words of the contract.
func TestOf(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sources := []finding.Source{{ID: "p1", URL: "http://a.test/", Title: "A", At: at}, {ID: "p2", URL: "http://b.test/", At: at}}
	const shown = `"sources":[{"url":"http://a.test/","title":"A","fetchedAt":"2026-01-02T03:04:05.000Z"},{"url":"http://b.test/","fetchedAt":"2026-01-02T03:04:05.000Z"}]`
	for name, tt := range map[string]struct {
		result agent.Result
		want   string
	}{
		"nothing": {agent.Result{Valid: true}, `{}`},
		"done": {
			agent.Result{
				Data: json.RawMessage(`{"a":1}`), Valid: true, Stop: finding.ReasonDone, Sources: sources,
				Fields: map[string]finding.Evidence{
					"/a": {Source: "p2", Lines: [2]int{3, 4}, Grade: "exact", Also: []string{"p2", "gone", "p1"}},
					"/b": {Source: "gone", Grade: "derived"},
					"/t": {Grade: "derived", Also: []string{"p1"}, Sentences: []finding.Sentence{{Text: "A is 1.", Cited: []finding.Citation{{Source: "p1", Lines: [2]int{3, 4}}, {Source: "p2"}, {Source: "gone"}}}, {Text: "B."}}},
				},
				Issues: []finding.Issue{{Kind: "missing", Pointer: "/c", Source: "p1", Detail: "no value"}, {Kind: "k", URL: "http://c.test/", Source: "p1"}},
			},
			`{"data":{"a":1},"stopReason":"done",` + shown + `,"fields":{"/a":{"source":1,"lines":[3,4],"grade":"exact","also":[0,1]},"/b":{"source":-1,"grade":"derived"},` +
				`"/t":{"source":-1,"grade":"derived","also":[0],"sentences":[{"text":"A is 1.","cited":[{"source":0,"lines":[3,4]},{"source":1}]},{"text":"B.","cited":[]}]}},` +
				`"issues":[{"code":"missing","path":"/c","url":"http://a.test/","message":"no value"},{"code":"k","url":"http://c.test/","message":""}]}`,
		},
		"no credits": {
			agent.Result{Valid: true, Partial: true, Stop: finding.ReasonCredits},
			`{"notice":"The credit limit was reached. Data holds what was found until then.","stopReason":"credit_limit_reached","partial":true,"partialSchemaValid":true}`,
		},
		"no time":  {agent.Result{Partial: true, Stop: finding.ReasonWall}, `{"notice":"The time limit was reached. Data holds what was found until then.","stopReason":"time","partial":true,"partialSchemaValid":false}`},
		"dry":      {agent.Result{Valid: true, Stop: finding.ReasonDry}, `{"notice":"No page is left that is likely to add anything, and the answer may lack something. The issues say what.","stopReason":"dry"}`},
		"no match": {agent.Result{}, `{"partialSchemaValid":false}`},
	} {
		raw, err := jsonenc.Encode(outcome.Of(&tt.result))
		if err != nil || string(raw) != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, raw, err, tt.want)
		}
		var again outcome.Answer
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if twice, err := jsonenc.Encode(again); err != nil || string(twice) != tt.want {
			t.Errorf("%s is read again as %s, %v", name, twice, err)
		}
	}
}
