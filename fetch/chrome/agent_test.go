// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
)

// lineReader is a model that reads lines such as "Name: x" and "Price: 3 EUR". It plans a
// table of items with a name, and decides nothing else than to finish.
type lineReader struct {
	mu   sync.Mutex
	told []llm.Call // calls of the planner; guarded by mu
}

var labelled = regexp.MustCompile(`(?m)^(\d+)\| (?:[-*] )?(Name|Price): ([^\[\n]+)`)

// Complete implements [llm.Model].
func (m *lineReader) Complete(_ context.Context, c llm.Call) (llm.Reply, error) {
	reply := llm.Reply{Finish: llm.FinishOK, Usage: llm.Usage{Input: 1000, Output: 100}}
	if c.Role != llm.RoleExtract {
		m.mu.Lock()
		m.told = append(m.told, c)
		m.mu.Unlock()
	}
	switch c.Role {
	case llm.RolePlan:
		reply.JSON = json.RawMessage(`{"tables":[{"id":"T1","what":"item","keys":["name"]}],"shape":"list","queries":[],"start":["L1"]}`)
	case llm.RoleDecide:
		reply.JSON = json.RawMessage(`{"note":"","actions":[{"do":"finish","why":"done"}]}`)
	case llm.RoleExtract:
		type row struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}
		rows := []row{}
		for _, at := range labelled.FindAllStringSubmatch(c.User, -1) {
			if at[2] == "Name" {
				rows = append(rows, row{map[string]any{}, map[string][]int{}})
			}
			if len(rows) == 0 {
				continue
			}
			var n int
			_, _ = fmt.Sscan(at[1], &n)
			last, field := rows[len(rows)-1], strings.ToLower(at[2])
			last.V[field], last.Ln[field] = strings.TrimSpace(at[3]), []int{n, n}
		}
		reply.JSON, _ = json.Marshal(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "list"})
	default:
		reply.Finish = llm.FinishRefusal
	}
	return reply, nil
}

// TestAgent asks an agent of a service for the items of a site whose list and details are
// made by scripts. One of the details does not exist. The answer has exactly the others,
// and the planner is told no text that only a browser has seen.
func TestAgent(t *testing.T) {
	t.Parallel()
	page := func(script string) string {
		return `<!DOCTYPE html><title>Stock</title><div id=root></div><script>const some = (t, n) => "<p>" + (t + " ").repeat(n) + "</p>";` + script + `</script>`
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page(`root.innerHTML = "<main><h1>Zorilla stock</h1>" + some("What the zorilla stock contains.", 9) + "<ul>" + [1, 2, 3, 4].map(n => "<li>Name: Zorilla " + n + " <a href=/w/" + n + ">Details</a></li>").join("") + "</ul></main>"`))
	})
	mux.HandleFunc("/w/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := r.PathValue("n")
		if n == "3" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page(`root.innerHTML = "<main><h1>Zorilla</h1><p>Name: Zorilla `+n+`</p><p>Price: `+n+`7 EUR</p>" + some("More about this zorilla.", 12) + "</main>"`))
	})
	at := serve(t, mux)
	model := &lineReader{}
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	service := &curlew.Service{Fetcher: client, Renderer: start(t, chrome.Options{Script: true}), Agent: &agent.Engine{Model: model}}
	t.Cleanup(func() {
		if err := service.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
	run, err := service.StartAgent(t.Context(), &curlew.AgentRequest{Credits: 500, AgentOptions: curlew.AgentOptions{
		Prompt: "All items with their prices", URLs: []string{at + "/"},
		Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}},"required":["items"]}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	answer, err := run.Agent().Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"items":[{"name":"Zorilla 1","price":17},{"name":"Zorilla 2","price":27},{"name":"Zorilla 3"},{"name":"Zorilla 4","price":47}]}`
	if string(answer.Data) != want {
		t.Errorf("%s: %+v", answer.Data, answer)
	}
	if len(model.told) == 0 {
		t.Error("the planner was not asked")
	}
	for _, c := range model.told {
		if strings.Contains(strings.ToLower(c.User), "zorilla") {
			t.Errorf("%s sees\n%s", c.Role, c.User)
		}
	}
}
