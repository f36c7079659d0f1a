// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/llm"
)

// stockPage is a page of one thing with a boolean that is concluded from a text.
func stockPage(name, badge string) fakePage {
	lines, tail := "# "+name+"\n\n- Weight: 12 kg\n", ""
	if badge != "" {
		lines += "- Availability: " + badge + "\n"
		tail = `<dt>Availability</dt><dd class="stock">` + badge + `</dd>`
	}
	return fakePage{
		title: name, markdown: lines,
		html: `<html lang="en"><body><main><h1>` + name + `</h1><dl><dt>Weight</dt><dd class="w">12 kg</dd>` + tail + `</dl></main></body></html>`,
	}
}

// TestBooleanPages reads a boolean of 60 pages with few calls: the wrapper knows the
// texts that stand for true and for false, asks once about a text that it does not
// know, and reads a value from the absence of a text.
func TestBooleanPages(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"in_stock":{"type":"boolean"}},"required":["name","in_stock"]}}}}`
	for _, test := range []struct {
		name  string
		badge func(i int) (text string, stock bool)
	}{
		{"both often", func(i int) (string, bool) {
			if i%2 == 0 {
				return "Sold out", false
			}
			return "In stock", true
		}},
		{"one is rare", func(i int) (string, bool) {
			if i%11 == 10 {
				return "Gone", false
			}
			return "Ready to ship", true
		}},
		{"words of yes and no", func(i int) (string, bool) {
			if i%3 == 0 {
				return "No", false
			}
			return "Yes", true
		}},
		{"present or absent", func(i int) (string, bool) {
			if i%2 == 0 {
				return "", false
			}
			return "Take it today", true
		}},
		{"always", func(int) (string, bool) { return "Auf Lager", true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{}}
			task := agent.Task{Prompt: "All things", Strict: true, Schema: json.RawMessage(schema)}
			stock := map[string]bool{}
			for i := range 60 {
				name := fmt.Sprintf("Thing %d", 1000+i)
				badge, has := test.badge(i)
				stock[name] = has
				url := fmt.Sprintf("https://shop.test/p/%d", i)
				web.pages[url] = stockPage(name, badge)
				task.URLs = append(task.URLs, url)
			}
			model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
				return concluding(c, stock)
			}}
			r := run(t, &agent.Engine{Model: model, Fetch: web, Calls: 1}, task)
			var data struct {
				Items []struct {
					Name  string
					Stock *bool `json:"in_stock"`
				}
			}
			if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 60 {
				t.Fatalf("%v, %d items, issues %v", err, len(data.Items), r.Issues)
			}
			for _, item := range data.Items {
				if item.Stock == nil || *item.Stock != stock[item.Name] {
					t.Errorf("%s: %v, want %v", item.Name, item.Stock, stock[item.Name])
				}
			}
			for pointer, e := range r.Fields {
				if e.Lines[0] == 0 {
					t.Errorf("%s has no line: %+v", pointer, e)
				}
			}
			if n := model.count(llm.RoleExtract); n > 13 { // two templates, if the text is absent
				t.Errorf("%d calls for 60 pages", n)
			}
		})
	}
}

// TestBooleanUncited reads a boolean of 40 pages with few calls although the model cites no
// line for it, and only one of its values stands on the pages as the field is named.
func TestBooleanUncited(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"heated":{"type":"boolean"}},"required":["name"]}}}}`
	web := &fakeWeb{pages: map[string]fakePage{}}
	task := agent.Task{Prompt: "All things", Strict: true, Schema: json.RawMessage(schema)}
	for i := range 40 {
		words := []string{"heated", "left cold"}[i*i%3%2]
		name, url := fmt.Sprintf("Thing %d", 1000+i), fmt.Sprintf("https://shop.test/p/%d", i)
		web.pages[url] = fakePage{
			title: name, markdown: "# " + name + "\n\nIn winter: " + words + "\n",
			html: `<html lang="en"><body><main><h1>` + name + `</h1><dl><dt>In winter</dt><dd>` + words + `</dd></dl></main></body></html>`,
		}
		task.URLs = append(task.URLs, url)
	}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		out := protocol.ExtractReply{Total: -1, Kind: "detail"}
		out.Rows = slices.Grow(out.Rows, 1)[:1]
		out.Rows[0].V = map[string]any{}
		for _, text := range read(c.User).lines {
			if name, ok := strings.CutPrefix(text, "# "); ok {
				out.Rows[0].V["name"] = name
			}
			if words, ok := strings.CutPrefix(text, "In winter: "); ok {
				out.Rows[0].V["heated"] = words == "heated"
			}
		}
		return reply(out)
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web, Calls: 1}, task)
	var data struct {
		Items []struct {
			Name   string
			Heated *bool
		}
	}
	if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 40 {
		t.Fatalf("%v, %d items, issues %v", err, len(data.Items), r.Issues)
	}
	for _, item := range data.Items {
		i, _ := strconv.Atoi(strings.TrimPrefix(item.Name, "Thing "))
		if want := (i-1000)*(i-1000)%3%2 == 0; item.Heated == nil || *item.Heated != want {
			t.Errorf("%s: %v, want %v", item.Name, item.Heated, want)
		}
	}
	if n := model.count(llm.RoleExtract); n > 15 {
		t.Errorf("%d calls for 40 pages", n)
	}
}

// concluding answers an extract call with the name of a page and whether the thing is
// in stock, and cites the line of the badge, or else that of the name.
func concluding(c llm.Call, stock map[string]bool) (llm.Reply, error) {
	a := read(c.User)
	name, line := "", 0
	for n, text := range a.lines {
		if after, ok := strings.CutPrefix(text, "# "); ok {
			name, line = after, n
		}
	}
	cited := line
	for n, text := range a.lines {
		if strings.Contains(text, "Availability") {
			cited = n
		}
	}
	out := protocol.ExtractReply{Total: -1, Kind: "detail"}
	out.Rows = slices.Grow(out.Rows, 1)[:1]
	out.Rows[0].V = map[string]any{"name": name, "in_stock": stock[name]}
	out.Rows[0].Ln = map[string][]int{"name": {line, line}, "in_stock": {cited, cited}}
	return reply(out)
}

// TestNoCitations finds by code the lines that a model does not cite, or cites wrongly:
// in the lines of the row, however often a value stands on the page.
func TestNoCitations(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"stock":{"type":"integer"},"grade":{"type":"string"}},"required":["name","price"]}}}}`
	var list strings.Builder
	list.WriteString("# Lamps\n\nBest: Amber, Birch\n\n")
	for _, row := range [][]string{{"Amber", "9", "5", "A"}, {"Birch", "9", "7", "B"}, {"Cedar", "12", "5", "A"}} {
		list.WriteString("## " + row[0] + "\n\nPrice: " + row[1] + "\nStock: " + row[2] + "\nGrade " + row[3] + "\n\n")
	}
	const rows = `{"v":{"name":"Amber","price":9,"stock":5,"grade":"A"}%[1]s},{"v":{"name":"Birch","price":9,"stock":7,"grade":"B"}%[1]s},{"v":{"name":"Cedar","price":"12","stock":5,"grade":"A"}%[1]s}`
	const detail = "# Lamp\n\nMade of 3 parts.\n\n## Delta\n\n- Price: 3\n- Stock: 0\n- Grade: C\n\nVitamin C\n"
	const all = `{"items":[{"grade":"A","name":"Amber","price":9,"stock":5},{"grade":"B","name":"Birch","price":9,"stock":7},{"grade":"A","name":"Cedar","price":12,"stock":5}]}`
	for _, test := range []struct{ name, page, reply, want string }{
		{"no lines", list.String(), fmt.Sprintf(rows, ""), all},
		{"empty lines", list.String(), fmt.Sprintf(rows, `,"ln":{"name":[],"price":[],"stock":[],"grade":[]}`), all},
		{"all at the first line", list.String(), fmt.Sprintf(rows, `,"ln":{"name":[1,1],"price":[1,1],"stock":[1,1],"grade":[1,1]}`), all},
		{"a value of another row", list.String(), `{"v":{"name":"Amber","price":12,"stock":7}},{"v":{"name":"Birch","price":9}}`, `{"items":[{"name":"Birch","price":9}]}`},
		{"a detail", detail, `{"v":{"name":"Delta","price":3,"stock":0,"grade":"C"}}`, `{"items":[{"grade":"C","name":"Delta","price":3,"stock":0}]}`},
		{"not on the page", detail, `{"v":{"name":"Delta","price":4,"stock":0}}`, `{"items":[]}`},
	} {
		model := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{JSON: json.RawMessage(`{"rows":[` + test.reply + `],"total":-1,"total_ln":0,"more":false,"kind":"list"}`)}, nil
		}}
		r := one(t, fakePage{title: "T", markdown: test.page}, schema, model)
		if string(r.Data) != test.want {
			t.Errorf("%s: %s, issues %+v", test.name, r.Data, r.Issues)
		}
		for pointer, e := range r.Fields {
			if e.Lines[0] == 0 {
				t.Errorf("%s: %s has no line", test.name, pointer)
			}
		}
	}
}

// TestComparedLate compares the checks of a wrong template in different orders. Each time, all pages
// that the template has read since the last check that agreed are read again. A check in
// which neither the template nor the model has found a value does not count as agreement.
func TestComparedLate(t *testing.T) {
	o, err := outline.New([]byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"since":{"type":"string"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	applied := []int{4, 5, 20, 24, 30}
	for _, test := range []struct {
		name          string
		agree, silent []int
		last          int
		want          []int
	}{
		{"the first check", nil, nil, 3, applied},
		{"a later check agreed before", []int{23}, nil, 3, applied},
		{"an earlier check agreed", []int{3}, nil, 23, applied},
		{"two checks agreed", []int{3, 23}, nil, 43, []int{24, 30}},
		{"a check without a value", nil, []int{3, 23}, 43, applied},
	} {
		if got := agent.Compared(o.Tables[0], "since", applied, test.agree, test.silent, test.last); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestVariants learns one template from pages of which some have a note or a picture more than
// others, instead of one for each combination.
func TestVariants(t *testing.T) {
	web, truth := shop(40)
	for i := range truth.rows {
		url := fmt.Sprintf("https://shop.test/p/%d", i+1)
		p := web.pages[url]
		parts := ""
		if i%3 == 1 {
			parts += `<p class="notes">Measured by the owner.</p>`
		}
		if i%4 == 2 {
			parts += `<figure><figcaption>In use</figcaption></figure>`
		}
		p.html = strings.Replace(p.html, "</ul>", `</ul><dl><dt>Maker</dt><dd>Ours</dd></dl><footer><p class="f">Shop</p></footer>`+parts, 1)
		web.pages[url] = p
	}
	model := &fakeModel{answer: director(truth)}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets with price and stock", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	var data struct{ Items []map[string]any }
	if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 40 {
		t.Fatalf("%d items, stop %v, issues %v", len(data.Items), r.Stop, r.Issues)
	}
	// The list, a page of each of the four combinations, one more of the first, and spot checks.
	if n := model.count(llm.RoleExtract); n > 1+4+1+2 {
		t.Errorf("%d pages were read by the model", n)
	}
}
