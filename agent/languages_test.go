// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// polyglot is a reader that knows what the words of pages mean for a boolean, as models do.
func polyglot(plan string) *fakeModel {
	base := reader(plan)
	return &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role != llm.RoleExtract {
			return base.answer(ctx, c)
		}
		out := readLines(c.User)
		for _, row := range out.Rows {
			switch row.V["heated"] {
			case "Oes", "Kyllä", "Ναι", "Ya", "हाँ", "კი":
				row.V["heated"] = true
			case "Na", "Ei", "Όχι", "Tidak", "नहीं", "არა":
				row.V["heated"] = false
			}
		}
		return reply(out)
	}}
}

// TestForeignWords answers questions about pages whose words for months, factors, units, yes
// and no are in no table. No row is accepted or left out because of such a word without an
// issue that says so.
func TestForeignWords(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"opened":{"type":"string","format":"date"},"heated":{"type":"boolean"},"visitors":{"type":"number"},"since":{"type":"string"},"warm":{"type":"string"}},"required":["name"]}}}}`
	const names = "name opened heated visitors since warm"
	table := func(rows ...string) string {
		lines := []string{"# X", "", "| " + strings.ReplaceAll(names, " ", " | ") + " |", strings.Repeat("|---", 6) + "|"}
		for _, row := range rows {
			lines = append(lines, "| "+strings.ReplaceAll(row, "; ", " | ")+" |")
		}
		return strings.Join(lines, "\n")
	}
	list := func(rows ...string) string {
		lines := []string{"# X", ""}
		for _, row := range rows {
			var parts []string
			for i, v := range strings.Split(row, "; ") {
				parts = append(parts, strings.Fields(names)[i]+"="+v)
			}
			lines = append(lines, "- "+strings.Join(parts, "; "))
		}
		return strings.Join(lines, "\n")
	}
	welsh := []string{"Aber; 3 Mawrth 2024; Oes; 12 miliwn; 3 Mawrth 2024; Oes", "Bala; 4 Ebrill 2024; Na; 800; 4 Ebrill 2024; Na", "Cwm; 5 Ionawr 2023; Oes; 3; 5 Ionawr 2023; Oes"}
	georgian := []string{"Aber; 3 მარტი 2024; კი; 12 მლნ; 3 მარტი 2024; კი", "Bala; 4 აპრილი 2024; არა; 800; 4 აპრილი 2024; არა", "Cwm; 5 იანვარი 2023; კი; 3; 5 იანვარი 2023; კი"}
	flags := func(yes, no string) []string {
		return []string{"Aber; 2024-03-03; " + yes + "; 12; 2024; " + yes, "Bala; 2024-04-04; " + no + "; 800; 2024; " + no}
	}
	where := func(field, op, v string) string {
		return `{"tables":[{"id":"T1","keys":["name"],"conditions":[{"field":"` + field + `","op":"` + op + `","value":"` + v + `","words":"these"}]}]}`
	}
	const none = `{"tables":[{"id":"T1","keys":["name"]}]}`
	for _, test := range []struct {
		name, plan, page string
		kept             string // names
		stop             finding.Reason
		kind             finding.IssueKind
		said             string
	}{
		{"months of a table", none, table(welsh...), "Aber Bala Cwm", finding.ReasonDry, finding.IssueInvalid, `opened "3 Mawrth 2024"`},
		{"months of a list", none, list(georgian...), "Aber Bala Cwm", finding.ReasonDry, finding.IssueInvalid, `opened "3 მარტი 2024"`},
		{"yes of a table", none, table(georgian...), "Aber Bala Cwm", finding.ReasonDry, finding.IssueInvalid, `heated "კი"`},
		{"a factor", none, table(welsh...), "Aber Bala Cwm", finding.ReasonDry, finding.IssueUnits, `1 beside "miliwn"`},
		{"a factor in a condition", where("visitors", ">", "100"), list(georgian...), "Bala", finding.ReasonDry, finding.IssueUndecided, `1 beside "მლნ"`},
		{"a factor in a ranking", where("visitors", "top", "1"), table(georgian...), "Bala", finding.ReasonDry, finding.IssueUndecided, `1 beside "მლნ"`},
		{"a date", where("opened", "<", "2024-03-20"), list(welsh...), "", finding.ReasonDry, finding.IssueUndecided, "3 rows are left out because no page states"},
		{"a date in a text", where("since", "<", "2024-03-20"), list(welsh...), "Cwm", finding.ReasonDry, finding.IssueUndecided, "2 rows are left out because no page states"},
		{"a date in a text, after", where("since", ">=", "2024-03-20"), table(georgian...), "", finding.ReasonDry, finding.IssueUndecided, "2 rows are left out because no page states"},
		{"the latest", where("since", "top", "1"), table(welsh...), "Aber", finding.ReasonDry, finding.IssueUndecided, "1 rows are left out because no page states"},
		{"a boolean in a text", where("warm", "=", "true"), list(welsh...), "", finding.ReasonDry, finding.IssueUndecided, "3 rows are left out because no page states"},
		{"Welsh", where("heated", "=", "true"), list(welsh...), "Aber Cwm", finding.ReasonDry, finding.IssueUndecided, "heated is decided for 3 rows by what the model concludes"},
		{"Finnish", where("heated", "=", "true"), list(flags("Kyllä", "Ei")...), "Aber", finding.ReasonDone, finding.IssueUndecided, "heated is decided for 2 rows by what the model concludes"},
		{"Greek", where("heated", "=", "true"), list(flags("Ναι", "Όχι")...), "Aber", finding.ReasonDone, finding.IssueUndecided, "heated is decided for 2 rows by what the model concludes"},
		{"Indonesian", where("heated", "=", "true"), list(flags("Ya", "Tidak")...), "Aber", finding.ReasonDone, finding.IssueUndecided, "heated is decided for 2 rows by what the model concludes"},
		{"Hindi", where("heated", "!=", "true"), list(flags("हाँ", "नहीं")...), "Bala", finding.ReasonDone, finding.IssueUndecided, "heated is decided for 2 rows by what the model concludes"},
		{"words that are known", where("heated", "=", "true"), table(flags("yes", "no")...), "Aber", finding.ReasonDone, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "X", markdown: test.page}}}
			r := run(t, &agent.Engine{Model: polyglot(test.plan), Fetch: web}, agent.Task{Prompt: "All of these", URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(schema)})
			var data struct{ Items []struct{ Name string } }
			if err := json.Unmarshal(r.Data, &data); err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, item := range data.Items {
				kept = append(kept, item.Name)
			}
			if got := strings.Join(kept, " "); got != test.kept || r.Stop != test.stop {
				t.Errorf("%s with %q, want %s with %q", r.Stop, got, test.stop, test.kept)
			}
			if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == test.kind && strings.Contains(i.Detail, test.said) }) && test.said != "" || test.said == "" && len(r.Issues) > 0 {
				t.Errorf("issues %+v, want %s %q", r.Issues, test.kind, test.said)
			}
		})
	}
}

// TestOtherLanguages says that pages in another language than those whose rows meet a
// condition on a text may state it in other words.
func TestOtherLanguages(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"}},"required":["name"]}}}}`
	const plan = `{"tables":[{"id":"T1","keys":["name"],"conditions":[{"field":"color","op":"=","value":"red","words":"red"}]}]}`
	page := func(lang, a, b string) fakePage {
		text := "# X\n\n- name=" + lang + " 1; color=" + a + "\n- name=" + lang + " 2; color=" + b + "\n"
		return fakePage{title: "X", markdown: text, html: fmt.Sprintf(`<html lang="%s"><body><p>%s</p></body></html>`, lang, text)}
	}
	for _, test := range []struct {
		lang, a, b string
		said       bool
	}{{"fi", "punainen", "sininen", true}, {"fi", "red", "sininen", false}, {"en-GB", "green", "blue", false}} {
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": page("en", "red", "blue"), "https://a.test/y": page(test.lang, test.a, test.b)}}
		r := run(t, &agent.Engine{Model: reader(plan), Fetch: web}, agent.Task{Prompt: "All red ones", URLs: []string{"https://a.test/x", "https://a.test/y"}, Schema: json.RawMessage(schema)})
		const want = `none of 2 rows of pages in the language "fi" has a text that the condition on color names`
		said := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
			return i.Kind == finding.IssueUndecided && strings.HasPrefix(i.Detail, want)
		})
		if said != test.said {
			t.Errorf("%+v: %s, issues %+v", test, r.Data, r.Issues)
		}
	}
}

// TestIllegible expects that an answer is done only if no row lacks a value that a page states in
// words which code cannot read.
func TestIllegible(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"opened":{"type":"string","format":"date"},"weight":{"type":"number"}},"required":["name"]}}}}`
	const record = `{"type":"object","properties":{"name":{"type":"string"},"opened":{"type":"string","format":"date"},"weight":{"type":"number"}},"required":["name"]}`
	const counted = `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`
	const all = `{"tables":[{"id":"T1","keys":["name"]}]}`
	const light = `{"tables":[{"id":"T1","keys":["name"],"conditions":[{"field":"weight","op":"<","value":"5","words":"these"}]}]}`
	const best = `{"shape":"best","tables":[{"id":"T0","conditions":[{"field":"weight","op":"bottom","value":"1","words":"these"}]}]}`
	const two = "- name=Aber; opened=3 Mawrth 2024; weight=4\n- name=Bala; opened=2024-04-04; weight=9\n"
	for _, test := range []struct {
		name, plan, schema string
		pages              []string
		stop               finding.Reason
	}{
		{"a month", all, schema, []string{two}, finding.ReasonDry},
		{"all months are known", all, schema, []string{strings.Replace(two, "3 Mawrth", "3 March", 1)}, finding.ReasonDone},
		{"another page states it", all, schema, []string{two, "- name=aber; opened=2024-03-03; weight=4\n"}, finding.ReasonDone},
		{"another page does not", all, schema, []string{two, "- name=Cwm; opened=2024-03-03; weight=4\n"}, finding.ReasonDry},
		{"a row of the answer", light, schema, []string{two}, finding.ReasonDry},
		{"another row", light, schema, []string{strings.NewReplacer("weight=4", "weight=9", "weight=9", "weight=4").Replace(two)}, finding.ReasonDone},
		{"a day that may be a month", all, schema, []string{strings.Replace(two, "3 Mawrth 2024", "04/05/2024", 1)}, finding.ReasonDry},
		{"a number", all, schema, []string{strings.Replace(strings.Replace(two, "Mawrth", "March", 1), "weight=9", "weight=deuddeg", 1)}, finding.ReasonDry},
		{"no number", all, schema, []string{strings.Replace(strings.Replace(two, "Mawrth", "March", 1), "weight=9", "weight=on request", 1)}, finding.ReasonDone},
		{"the lightest", best, record, []string{two}, finding.ReasonDry},
		{"the heaviest", strings.Replace(best, "bottom", "top", 1), record, []string{two}, finding.ReasonDone},
		{"a count", strings.Replace(light, `{"tables`, `{"shape":"count","fields":[{"name":"name","type":"text","key":true},{"name":"opened","type":"date"},{"name":"weight","type":"number"}],"tables`, 1), counted, []string{two}, finding.ReasonDone},
	} {
		web := &fakeWeb{pages: map[string]fakePage{}}
		task := agent.Task{Prompt: "All of these", Strict: true, Schema: json.RawMessage(test.schema)}
		for i, page := range test.pages {
			url := fmt.Sprintf("https://a.test/%d", i)
			web.pages[url] = fakePage{title: "X", markdown: "# X\n\n" + page}
			task.URLs = append(task.URLs, url)
		}
		r := run(t, &agent.Engine{Model: reader(test.plan), Fetch: web}, task)
		if r.Stop != test.stop {
			t.Errorf("%s: %s with %s, want %s; issues %+v", test.name, r.Stop, r.Data, test.stop, r.Issues)
		}
	}
}
