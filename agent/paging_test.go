// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// TestNextPage finds the page behind one of a listing.
func TestNextPage(t *testing.T) {
	for _, test := range []struct {
		here  string
		links []agent.Link
		want  string
	}{
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/list?page=2", Text: "2"}, {URL: "https://a.test/list?page=3", Text: "3"}}, "https://a.test/list?page=2"},
		{"https://a.test/list?page=2", []agent.Link{{URL: "https://a.test/list?page=1", Text: "1"}, {URL: "https://a.test/list?page=3", Text: "3"}}, "https://a.test/list?page=3"},
		{"https://a.test/list?q=x", []agent.Link{{URL: "https://a.test/list?q=x&start=40", Text: "3"}, {URL: "https://a.test/list?q=x&start=20", Text: "2"}, {URL: "https://a.test/list?start=10", Text: "y"}}, "https://a.test/list?q=x&start=20"},
		{"https://a.test/list?start=20&q=x", []agent.Link{{URL: "https://a.test/list?start=0&q=x", Text: "1"}, {URL: "https://a.test/list?start=20&q=x", Text: "2"}, {URL: "https://a.test/list?start=40&q=x", Text: "3"}}, "https://a.test/list?start=40&q=x"},
		{"https://a.test/c/page-1.html", []agent.Link{{URL: "https://a.test/c/page-2.html", Text: "2"}}, "https://a.test/c/page-2.html"},
		{"https://a.test/c/", []agent.Link{{URL: "https://a.test/c/page/2/", Text: "2"}}, "https://a.test/c/page/2/"},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/list#", Text: "Next"}, {URL: "https://b.test/x", Text: "Next"}}, ""},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test:8443/list?start=9", Text: "Mirror", Rel: "next"}, {URL: "https://b.test/list?start=9", Rel: "next"}, {URL: "https://a.test/list?after=x9", Text: "Load more lots"}}, "https://a.test/list?after=x9"},
		{"https://a.test/list", []agent.Link{{URL: "https://b.test/list?start=9", Rel: "next"}}, "https://b.test/list?start=9"},
		{"https://a.test/list?q=x&cursor=bb", []agent.Link{{URL: "https://a.test/list?cursor=aa&q=x", Text: "«"}, {URL: "https://a.test/list?q=y&cursor=dd", Text: "y"}, {URL: "https://a.test/list?cursor=cc&q=x", Text: "fwd"}, {URL: "https://a.test/other?cursor=ee&q=x"}}, "https://a.test/list?cursor=cc&q=x"},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/list?sort=price", Text: "Price"}, {URL: "https://a.test/list?from=bern", Text: "From Bern"}, {URL: "https://a.test/more", Text: "More about us and our work here"}}, ""},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/x9", Text: "Încarcă mai multe"}}, "https://a.test/x9"},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/m/1", Text: "Meer informatie"}, {URL: "https://a.test/m/b", Text: "Meer informatie"}, {URL: "https://a.test/m/c", Text: "Meer informatie"}, {URL: "https://a.test/x9", Text: "Volgende"}}, "https://a.test/x9"},
		{"https://a.test/list", []agent.Link{{URL: "https://a.test/p/7", Text: "7"}, {URL: "https://a.test/list?sort=2", Text: "2"}}, ""},
	} {
		if got := agent.NextPage(test.here, test.links); got != test.want {
			t.Errorf("behind %s: %q, want %q", test.here, got, test.want)
		}
	}
}

// collector collects the pages of what it starts from.
func collector(t truth) func(context.Context, llm.Call) (llm.Reply, error) {
	return func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role != llm.RoleDecide {
			return director(t)(ctx, c)
		}
		if strings.Contains(c.User, "step: 1\n") {
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoCollect, H: []string{"L1"}, Follow: "pages"}}})
		}
		return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
	}
}

// TestLastPageForEver ends a listing whose site shows the last page again under
// every number behind it, with another text around.
func TestLastPageForEver(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{}}
	all := truth{fields: []string{"name", "price", "stock"}}
	for i := range 30 {
		all.rows = append(all.rows, []string{fmt.Sprintf("Widget %d", 1000+i), fmt.Sprintf("$%d.50", 10+i), fmt.Sprint(500 + i)})
	}
	for p := 1; p <= 200; p++ {
		var b strings.Builder
		fmt.Fprintf(&b, "You are on page %d\n", p)
		for _, row := range all.rows[10*(min(p, 3)-1) : 10*min(p, 3)] {
			fmt.Fprintf(&b, "- %s\n", strings.Join(row, " · "))
		}
		url := fmt.Sprintf("https://shop.test/list?page=%d", p)
		web.pages[url] = fakePage{title: "Shop", markdown: b.String(), links: []agent.Link{{URL: fmt.Sprintf("https://shop.test/list?page=%d", p+1), Text: "Next"}}}
	}
	r := run(t, &agent.Engine{Model: &fakeModel{answer: collector(all)}, Fetch: web}, agent.Task{
		Prompt: "All widgets", URLs: []string{"https://shop.test/list?page=1"}, Schema: json.RawMessage(shopSchema),
	})
	if n := strings.Count(string(r.Data), `"name"`); n != 30 {
		t.Errorf("%d rows, want 30; issues %v", n, r.Issues)
	}
	if n := len(web.requests()); n > 12 {
		t.Errorf("%d pages, of which 3 are new", n)
	}
}

// TestOnward follows links to next pages whose text says nothing, because the pages behind them have
// another one. A page that may or may not belong to the list is named, and the answer is not done.
func TestOnward(t *testing.T) {
	all := truth{fields: []string{"name", "price", "stock"}}
	for i := range 12 {
		all.rows = append(all.rows, []string{fmt.Sprintf("Widget %d", 1000+i), fmt.Sprintf("$%d.50", 10+i), fmt.Sprint(500 + i)})
	}
	list := func(title string, rows [][]string, more string) fakePage {
		p := fakePage{title: title}
		p.markdown = "# " + title + "\n\n"
		for _, row := range rows {
			url := "https://shop.test/i/" + strings.ReplaceAll(row[0], " ", "") + "x"
			p.markdown += "- [" + row[0] + "](" + url + ") · " + strings.Join(row[1:], " · ") + "\n"
			p.links = append(p.links, agent.Link{URL: url, Text: row[0]})
		}
		p.markdown += "\n[About us](https://shop.test/about) " + more + "\n"
		for _, m := range strings.Split(more, "[")[1:] {
			text, url, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(m), ")"), "](")
			p.links = append(p.links, agent.Link{URL: url, Text: text})
		}
		return p
	}
	about := fakePage{title: "About us", markdown: "# About us\n\nWe sell widgets."}
	for _, test := range []struct {
		name  string
		pages map[string]fakePage
		rows  int
		stop  finding.Reason
		issue string
	}{
		{"three pages", map[string]fakePage{
			"https://shop.test/": list("Widgets", all.rows[:4], "[Áfram](https://shop.test/k3v)"), "https://shop.test/about": about,
			"https://shop.test/k3v": list("Widgets", all.rows[4:8], "[Til baka](https://shop.test/) [Áfram](https://shop.test/zq8)"),
			"https://shop.test/zq8": list("Widgets", all.rows[8:], "[Til baka](https://shop.test/k3v)"),
		}, 12, finding.ReasonDone, ""},
		{"two pages with one title", map[string]fakePage{
			"https://shop.test/":    list("Widgets", all.rows[:6], "[Áfram](https://shop.test/k3v)"),
			"https://shop.test/k3v": list("Widgets", all.rows[6:], "[Til baka](https://shop.test/)"),
		}, 12, finding.ReasonDone, ""},
		{"another list", map[string]fakePage{
			"https://shop.test/":     list("Widgets", all.rows[:6], "[Retired](https://shop.test/old)"),
			"https://shop.test/old":  list("Retired widgets", all.rows[6:], "[Widgets](https://shop.test/)"),
			"https://shop.test/old2": list("Retired widgets", all.rows[6:], "[Widgets](https://shop.test/)"),
		}, 6, finding.ReasonDry, "https://shop.test/old"},
		{"no list", map[string]fakePage{"https://shop.test/": list("Widgets", all.rows[:6], "[Help](https://shop.test/help)"), "https://shop.test/about": about, "https://shop.test/help": about}, 6, finding.ReasonDone, ""},
	} {
		model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleDecide {
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
			}
			return director(all)(ctx, c)
		}}
		r := run(t, &agent.Engine{Model: model, Fetch: &fakeWeb{pages: test.pages}}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
		if n := strings.Count(string(r.Data), `"name"`); n != test.rows || r.Stop != test.stop {
			t.Errorf("%s: %d rows and %s, want %d and %s; issues %v", test.name, n, r.Stop, test.rows, test.stop, r.Issues)
		}
		said := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
			return i.Kind == finding.IssueTotal && strings.HasSuffix(i.Detail, test.issue)
		})
		if said != (test.issue != "") {
			t.Errorf("%s: issues %v, want %q", test.name, r.Issues, test.issue)
		}
	}
}

// TestBarrenPage keeps the row of a page that a listing calls the next one and that lists nothing,
// because it is the page of one more thing.
func TestBarrenPage(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{}}
	all := truth{fields: []string{"name", "price", "stock"}}
	list := fakePage{title: "Shop", markdown: "Our widgets"}
	for i := range 6 {
		row := []string{fmt.Sprintf("Widget %d", 1000+i), fmt.Sprintf("$%d.50", 10+i), fmt.Sprint(500 + i)}
		all.rows = append(all.rows, row)
		url, text := fmt.Sprintf("https://shop.test/p/w%dx", i), "Details"
		if i == 0 {
			url, text = "https://shop.test/special/offer/today", "Next"
		}
		web.pages[url] = fakePage{title: row[0], markdown: strings.Join(row, " · ")}
		list.links = append(list.links, agent.Link{URL: url, Text: text})
	}
	web.pages["https://shop.test/"] = list
	answer := collector(all)
	model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role == llm.RoleDecide && strings.Contains(c.User, "step: 1\n") {
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoCollect, H: []string{"L1"}, Follow: "both"}}})
		}
		return answer(ctx, c)
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	if n := strings.Count(string(r.Data), `"name"`); n != 6 {
		t.Errorf("%d rows, want 6: %s; %v", n, r.Data, r.Issues)
	}
}

// TestTwins asks once for a page that one batch names more than once, and reads
// it for each table once.
func TestTwins(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}},"stocks":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"stock":{"type":"integer"}}}}}}`
	for _, actions := range [][]journal.Action{
		{{Do: journal.DoRead, H: []string{"L2", "L2"}, T: "T1"}, {Do: journal.DoRead, H: []string{"L2"}, T: "T2"}},
		{{Do: journal.DoRead, H: []string{"L2"}, T: "T1"}, {Do: journal.DoRead, H: []string{"L2", "G1"}}},
		{{Do: journal.DoRead, H: []string{"L1"}, T: "T1"}, {Do: journal.DoRead, H: []string{"L1", "L2", "L2"}, T: "T2"}, {Do: journal.DoRead, H: []string{"L2"}}},
	} {
		web, truth := shop(3)
		answer := director(truth)
		model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			switch {
			case c.Role == llm.RoleDecide && strings.Contains(c.User, "\nstep: 1\n"):
				return reply(protocol.DecideReply{Actions: actions})
			case c.Role == llm.RoleDecide:
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
			case c.Role == llm.RoleExtract:
				time.Sleep(time.Millisecond) // the others come meanwhile
			}
			return answer(ctx, c)
		}}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(schema)})
		asked := web.requests()
		slices.Sort(asked)
		if len(slices.Compact(slices.Clone(asked))) != len(asked) || r.Spend.Pages != len(asked) {
			t.Errorf("asked for %q, spend %+v", asked, r.Spend)
		}
		if !strings.Contains(string(r.Data), `{"name":"Widget 1001","price":11.01}`) || !strings.Contains(string(r.Data), `{"name":"Widget 1001","stock":501}`) || strings.Count(string(r.Data), `"price":11.01`) != 1 {
			t.Errorf("data %s", r.Data)
		}
	}
}

// TestCopies reads a page once that stands under several URLs.
func TestCopies(t *testing.T) {
	web, truth := shop(4)
	task := agent.Task{Prompt: "p", Strict: true, Schema: json.RawMessage(shopSchema)}
	for i := range 4 {
		url := fmt.Sprintf("https://shop.test/p/%d", i+1)
		p := web.pages[url]
		p.html = ""
		for _, ref := range []string{"?from=home", "?from=list", ""} {
			web.pages[url+ref] = p
			task.URLs = append(task.URLs, url+ref)
		}
	}
	model := &fakeModel{answer: director(truth)}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, task)
	if n := strings.Count(string(r.Data), `"name"`); n != 4 || model.count(llm.RoleExtract) != 4 || len(r.Issues) > 0 {
		t.Errorf("%d rows, %d calls; issues %v", n, model.count(llm.RoleExtract), r.Issues)
	}
}

// TestSeveredList does not call an answer done if the list goes on at a page that cannot
// be read, and names that page. A list that ends is done.
func TestSeveredList(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	for _, gone := range []bool{false, true} {
		web := &fakeWeb{pages: map[string]fakePage{
			"https://a.test/list":        {title: "List", markdown: "# List\n\n- name=One\n- name=Two\n", links: []agent.Link{{URL: "https://a.test/list?page=2", Text: "Next"}}},
			"https://a.test/list?page=2": {title: "List", markdown: "# List\n\n- name=Three\n"},
		}}
		want, stop := `{"items":[{"name":"One"},{"name":"Two"},{"name":"Three"}]}`, finding.ReasonDone
		if gone {
			delete(web.pages, "https://a.test/list?page=2")
			want, stop = `{"items":[{"name":"One"},{"name":"Two"}]}`, finding.ReasonDry
		}
		const plan = `"tables":[{"id":"T1","what":"thing","keys":["name"],"expect":%d}],"shape":"list"}`
		first := &fakeJournal{}
		for _, task := range []agent.Task{
			{Prompt: "All things", URLs: []string{"https://a.test/list"}, Schema: json.RawMessage(schema), Journal: first},
			{Prompt: "And again?", Schema: json.RawMessage(schema)}, // continues the first
		} {
			said := "{" + fmt.Sprintf(plan, 0)
			if task.Journal == nil { // two rows are enough, so that no page is requested
				said, task.Earlier = `{"same":true,`+fmt.Sprintf(plan, 2), history(first.all())
			}
			r := run(t, &agent.Engine{Model: reader(said), Fetch: web}, task)
			told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
				return i.Kind == finding.IssueTotal && strings.HasSuffix(i.Detail, ": https://a.test/list?page=2")
			})
			if string(r.Data) != want || r.Stop != stop || told != gone {
				t.Errorf("%q, the second page is gone: %v: %s, stop %s, issues %v", task.Prompt, gone, r.Data, r.Stop, r.Issues)
			}
		}
	}
}

// TestGap goes on after pages of a numbered list that cannot be read, and says that rows
// may be missing. It gives up after a few pages.
func TestGap(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	for _, test := range []struct {
		name, path string // of pages, with their number
		status     int
		dead       []int
		pager      bool // all pages link all others
		want       string
		asked      int
	}{
		{"the site fails", "/list?page=%d", 500, []int{3}, false, "1 2 4 5 6", 6},
		{"the page does not exist", "/list/seite/%d/", 404, []int{3}, false, "1 2 4 5 6", 6},
		{"the second page", "/list?page=%d", 500, []int{2}, false, "1 3 4 5 6", 6},
		{"the second page, linked", "/list/%d", 404, []int{2}, true, "1 3 4 5 6", 6},
		{"two pages", "/list?page=%d", 500, []int{3, 4}, false, "1 2 5 6", 6},
		{"two pages do not exist", "/list?page=%d", 404, []int{3, 4}, false, "1 2", 4},
		{"two pages, linked", "/list/%d", 404, []int{3, 4}, true, "1 2 5 6", 6},
		{"three pages", "/list?page=%d", 500, []int{3, 4, 5}, false, "1 2", 5},
		{"a wall", "/list?page=%d", 403, []int{3}, false, "1 2", 3},
		{"offsets", "/list?start=%d0", 500, []int{3}, false, "1 2 4 5 6", 6},
		{"no numbers", "/list/part-%dx/a", 500, []int{3}, false, "1 2 4 5 6", 6},
	} {
		web := &fakeWeb{pages: map[string]fakePage{}}
		url := func(n int) string {
			if n == 1 {
				return "https://a.test/list"
			}
			return "https://a.test" + fmt.Sprintf(test.path, n)
		}
		for n := 1; n <= 6; n++ {
			p := fakePage{title: "List", markdown: fmt.Sprintf("# List\n\n- name=%d\n", n)}
			if slices.Contains(test.dead, n) {
				p = fakePage{title: "Sorry", markdown: "Sorry", status: test.status}
			}
			for k := 1; test.pager && k <= 6; k++ {
				p.links = append(p.links, agent.Link{URL: url(k), Text: strconv.Itoa(k)})
			}
			if n < 6 && !test.pager {
				p.links = []agent.Link{{URL: url(n + 1), Text: "Next"}}
			}
			web.pages[url(n)] = p
		}
		model := reader(`{"tables":[{"id":"T1","what":"thing","keys":["name"]}],"shape":"list"}`)
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All things", URLs: []string{"https://a.test/list"}, Schema: json.RawMessage(schema)})
		var names []string
		for _, m := range regexp.MustCompile(`"name":"(\d)"`).FindAllStringSubmatch(string(r.Data), -1) {
			names = append(names, m[1])
		}
		slices.Sort(names)
		told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
			return i.Kind == finding.IssueTotal && strings.HasSuffix(i.Detail, ": "+url(test.dead[0]))
		})
		if got := strings.Join(names, " "); got != test.want || r.Stop == finding.ReasonDone || !told || len(web.requests()) != test.asked {
			t.Errorf("%s: %s, stop %s, asked %q, issues %v", test.name, got, r.Stop, web.requests(), r.Issues)
		}
	}
}

// TestCutReplies does not call an answer done if each reply about a page is cut, so that rows
// of the page are missing, or if a thing that the question names was not found.
func TestCutReplies(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	const plan = `{"tables":[{"id":"T1","what":"thing","keys":["name"]%s}],"shape":"%s"}`
	var list strings.Builder
	list.WriteString("# List\n\n")
	for i := range 12 {
		fmt.Fprintf(&list, "- name=Thing %d\n", i+1)
	}
	for _, test := range []struct {
		name, plan string
		keep       int // rows of each reply; zero means all
		kind       finding.IssueKind
		stop       finding.Reason
	}{
		{"whole replies", fmt.Sprintf(plan, "", "list"), 0, "", finding.ReasonDone},
		{"cut replies", fmt.Sprintf(plan, "", "list"), 5, finding.IssueLimit, finding.ReasonDry},
		{"both things", fmt.Sprintf(plan, `,"conditions":[{"field":"name","op":"in","value":"Thing 1 | Thing 9","words":"Thing 1 with Thing 9"}]`, "comparison"), 0, "", finding.ReasonDone},
		{"one of two things", fmt.Sprintf(plan, `,"conditions":[{"field":"name","op":"in","value":"Thing 1 | Thing 99","words":"Thing 1 with Thing 99"}]`, "comparison"), 0, finding.IssueMissing, finding.ReasonDry},
	} {
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/list": {title: "List", markdown: list.String()}}}
		model := reader(test.plan)
		read := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role != llm.RoleExtract || test.keep == 0 {
				return read(ctx, c)
			}
			out := readLines(c.User)
			out.Rows = out.Rows[:test.keep]
			answer, err := reply(out)
			answer.Finish = llm.FinishLength
			return answer, err
		}
		prompt := "Compare Thing 1 with Thing 9"
		if test.kind == finding.IssueMissing {
			prompt += "9"
		}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: prompt, URLs: []string{"https://a.test/list"}, Schema: json.RawMessage(schema)})
		told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == test.kind })
		if r.Stop != test.stop || told != (test.kind != "") {
			t.Errorf("%s: %s, stop %s, issues %v", test.name, r.Data, r.Stop, r.Issues)
		}
	}
}

// TestDroppedValue does not call an answer done if a value of the model was dropped, because
// no line states it, and its cell is empty. If no value was dropped, or the cell is filled
// from another page, the answer is done.
func TestDroppedValue(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	for _, test := range []struct {
		name, invented, second, want string
		stop                         finding.Reason
	}{
		{"nothing is dropped", "", "", `{"items":[{"name":"One"},{"name":"Two"}]}`, finding.ReasonDone},
		{"a value is dropped", "purple", "", `{"items":[{"name":"One"},{"name":"Two"}]}`, finding.ReasonDry},
		{"its cells are filled", "purple", "- name=One; color=red\n- name=Two; color=blue\n", `{"items":[{"color":"red","name":"One"},{"color":"blue","name":"Two"}]}`, finding.ReasonDone},
	} {
		web := &fakeWeb{pages: map[string]fakePage{
			"https://a.test/list":  {title: "List", markdown: "# List\n\n- name=One\n- name=Two\n"},
			"https://a.test/other": {title: "Other", markdown: "# Other\n\n" + test.second},
		}}
		model := reader(`{"tables":[{"id":"T1","what":"thing","keys":["name"]}],"shape":"list"}`)
		read := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role != llm.RoleExtract {
				return read(ctx, c)
			}
			out := readLines(c.User)
			for _, row := range out.Rows {
				if row.V["color"] == nil && test.invented != "" {
					row.V["color"] = test.invented
				}
			}
			return reply(out)
		}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All things", URLs: []string{"https://a.test/list", "https://a.test/other"}, Schema: json.RawMessage(schema)})
		if string(r.Data) != test.want || r.Stop != test.stop {
			t.Errorf("%s: %s, stop %s, issues %v", test.name, r.Data, r.Stop, r.Issues)
		}
	}
}

// TestListingsLookedAt reads the later pages of a list, too, if their things lack an optional field that
// only the first page states. The pages of the things are read first, and the list only for its links.
func TestListingsLookedAt(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}},"required":["items"]}`
	const things, per = 9, 3
	for _, priced := range []bool{true, false} {
		web := &fakeWeb{pages: map[string]fakePage{}}
		list := func(n int) string { return fmt.Sprintf("https://a.test/list?page=%d", n) }
		for first := 1; first <= things; first += per {
			n, page := first/per+1, fakePage{title: "List"}
			var text strings.Builder
			fmt.Fprintf(&text, "# List, part %d\n\n", n)
			for i := first; i < first+per; i++ {
				url, price := fmt.Sprintf("https://a.test/p/%d", i), ""
				if priced {
					price = fmt.Sprintf("; price=%d", 100+i)
				}
				fmt.Fprintf(&text, "- name=Thing %d%s\n", i, price)
				page.links = append(page.links, agent.Link{URL: url, Text: fmt.Sprintf("Thing %d", i)})
				web.pages[url] = fakePage{title: fmt.Sprintf("Thing %d", i), markdown: fmt.Sprintf("# Thing\n\n- name=Thing %d\n", i)}
			}
			if first+per <= things {
				page.links = append(page.links, agent.Link{URL: list(n + 1), Text: "Next"})
			}
			page.markdown = text.String()
			web.pages[list(n)] = page
		}
		model := reader(`{"tables":[{"id":"T1","what":"thing","keys":["name"]}],"shape":"list","start":["L1"]}`)
		answer := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleDecide && strings.Contains(c.User, "step: 1\n") {
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoCollect, H: []string{"L1"}, Follow: "both"}}})
			}
			return answer(ctx, c)
		}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All things", URLs: []string{list(1)}, Schema: json.RawMessage(schema)})
		want, calls := things, 1+things+3
		if !priced {
			want, calls = 0, 1+things+1 // the first page shows that lists do not state it
		}
		names, prices := strings.Count(string(r.Data), `"name"`), strings.Count(string(r.Data), `"price"`)
		if names != things || prices != want || r.Stop != finding.ReasonDone || len(web.requests()) != things+things/per {
			t.Errorf("with prices: %v: %d things with %d prices, stop %s, asked %q, issues %v", priced, names, prices, r.Stop, web.requests(), r.Issues)
		}
		if n := model.count(llm.RoleExtract); n > calls {
			t.Errorf("with prices: %v: %d readings, want at most %d", priced, n, calls)
		}
	}
}

// TestDeadDetail reads a list for its own rows if the page of one of its things does not exist. The list was only
// looked at for its links before.
func TestDeadDetail(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}},"required":["items"]}`
	for _, dead := range []string{"https://a.test/p/2", ""} {
		page, web := fakePage{title: "List", markdown: "# List\n\n"}, &fakeWeb{pages: map[string]fakePage{}}
		for i := range 20 {
			url, row := fmt.Sprintf("https://a.test/p/%d", i), fmt.Sprintf("- name=Thing %d; price=%d\n", i, 100+i)
			page.markdown += row
			page.links = append(page.links, agent.Link{URL: url, Text: fmt.Sprintf("Thing %d", i)})
			if url == dead {
				web.pages[url] = fakePage{title: "Not found", status: 404}
			} else {
				web.pages[url] = fakePage{title: fmt.Sprintf("Thing %d", i), markdown: "# Thing\n\n" + row}
			}
		}
		web.pages["https://a.test/list"] = page
		web.pages["https://a.test/"] = fakePage{title: "Home", markdown: "# Home\n\nWelcome.\n", links: []agent.Link{{URL: "https://a.test/list", Text: "All things"}}}
		model := reader(`{"tables":[{"id":"T1","what":"thing","keys":["name"]}],"shape":"list","start":["L1"]}`)
		answer := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleDecide && strings.Contains(c.User, "step: 1\n") {
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoCollect, H: []string{"L2"}, Follow: "both"}}})
			}
			return answer(ctx, c)
		}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All things", URLs: []string{"https://a.test/"}, Schema: json.RawMessage(schema)})
		if n := strings.Count(string(r.Data), `"price"`); n != 20 {
			t.Errorf("without the page %q: %d things, stop %s, asked %q, issues %v", dead, n, r.Stop, web.requests(), r.Issues)
		}
	}
}
