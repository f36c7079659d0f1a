// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"testing"

	"example.com/curlew/agent/journal"
)

// TestPlanWords says what a plan looks for.
func TestPlanWords(t *testing.T) {
	for _, c := range []struct {
		name string
		plan journal.PlannedRecord
		want string
	}{
		{"nothing", journal.PlannedRecord{}, ""},
		{"a record", journal.PlannedRecord{Tables: []journal.PlannedTable{{ID: "T0"}}}, "The answer is one record."},
		{"a record of something", journal.PlannedRecord{Tables: []journal.PlannedTable{{ID: "T0", What: "a company", Keys: []string{"name"}}}}, "The answer is one record: a company."},
		{
			"rows",
			journal.PlannedRecord{Tables: []journal.PlannedTable{{ID: "T1", What: "a lamp", Keys: []string{"name", "size"}, Expect: 20}}, Queries: []string{"lamps", "lights"}},
			"Each row is about: a lamp. Rows with the same name and size are one row. About 20 rows are expected. Searches: lamps; lights.",
		},
		{"conditions", journal.PlannedRecord{Tables: []journal.PlannedTable{{ID: "T1", Conditions: []journal.Condition{
			{Field: "price", Op: "<", Value: "50", Unit: "USD", Words: "under $50"}, {Field: "color", Op: "=", Value: "red", Words: "red"}, {Field: "color", Op: "=", Value: "blue", Or: true},
		}}}}, `Each row is one thing that the task asks for. Rows are kept if price is less than 50 USD ("under $50") and color is red ("red") or color is blue.`},
		{
			"the first ones",
			journal.PlannedRecord{Shape: "best", Tables: []journal.PlannedTable{{
				ID: "T1", What: "a lamp", Fields: []journal.PlannedField{{Name: "name"}, {Name: "price"}},
				Conditions: []journal.Condition{{Field: "price", Op: "bottom", Value: "3", Words: "three cheapest"}, {Field: "city", Op: "in", Value: "Rome | Oslo"}, {Field: "x", Op: "~", Value: "y"}},
			}}},
			`Each row is about: a lamp. Rows are kept if they are the 3 lowest or earliest by price ("three cheapest") and city is one of Rome, Oslo and x ~ y. Pages are read for name, price. The answer is the first of these rows.`,
		},
		{"a number", journal.PlannedRecord{Shape: "count", Tables: []journal.PlannedTable{{ID: "T1", What: "a lamp"}}}, "Each row is about: a lamp. The answer is the number of these rows."},
		{"a further question", journal.PlannedRecord{Hops: []journal.Hop{{Field: "owner", Question: "Who runs it?"}}}, "Further question about owner: Who runs it?"},
	} {
		if got := planWords(&c.plan); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestActionWords says what an action does, with the names of its handles, and how it ended.
func TestActionWords(t *testing.T) {
	names := map[string]string{"L1": "http://a.test/one", "L2": "http://a.test/two", "G1": "30 links such as http://a.test/x"}
	for _, test := range []struct {
		action journal.Action
		acted  journal.ActedRecord
		want   string
	}{
		{journal.Action{Do: journal.DoRead, H: []string{"L1", "L2", "L9", "L4", "L5"}}, journal.ActedRecord{Verdict: journal.VerdictOK, Pages: 5, Rows: 2}, "Read http://a.test/one, http://a.test/two, something unknown and 2 more. Done: pages 5, rows 2, new links 0"},
		{journal.Action{Do: journal.DoCollect, H: []string{"G1"}}, journal.ActedRecord{Verdict: journal.VerdictUnaffordable}, "Read the list of 30 links such as http://a.test/x. Without effect: the credits that are left do not suffice for it"},
		{journal.Action{Do: journal.DoSearch, Q: `the "old" mill`}, journal.ActedRecord{Verdict: journal.VerdictSeen}, `Search for "the \"old\" mill". Without effect: it was done before`},
		{journal.Action{Do: journal.DoFinish}, journal.ActedRecord{Verdict: journal.VerdictRefused}, "End the search. Without effect: the answer is not complete, and there are links that were not tried"},
		{journal.Action{Do: "fly"}, journal.ActedRecord{Verdict: journal.VerdictUnknown}, "Something unknown. Without effect: the action, or what it is about, is not known"},
	} {
		if got := actionWords(&test.action, names) + ". " + actedWords(&test.acted); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
