// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/threat"
)

// plainCredits are Credits that do not count by month.
type plainCredits struct{ account.Credits }

// engineRoutes are the routes that need an engine, with a request and the word that names
// what is missing. All other routes work without one.
var engineRoutes = map[string]struct{ body, names string }{
	"POST /v2/agent":                       {`{"prompt":"p","urls":["a.test"]}`, "model"},
	"POST /v2/search":                      {`{"query":"waders"}`, "search provider"},
	"POST /v2/extract":                     {`{"prompt":"p","urls":["a.test"]}`, "model"},
	"POST /v2/crawl/params-preview":        {`{"url":"a.test","prompt":"p"}`, "model"},
	"PUT /v2/team/threat-protection":       {`{"mode":"normal"}`, "store"},
	"GET /v2/team/credit-usage/historical": {"", "usage"},
	"GET /v2/team/token-usage/historical":  {"", "usage"},
	"GET /v2/team/activity":                {"", "audit log"},
	"POST /v2/parse/upload-url":            {`{"filename":"a.pdf"}`, ""}, // a service of its own kind: 503
	"POST /v2/crawl":                       {`{"url":"a.test"}`, ""},
	"POST /v2/batch/scrape":                {`{"urls":["a.test"]}`, ""},
	"POST /v2/scrape":                      {`{"url":"a.test"}`, ""},
	"POST /v2/map":                         {`{"url":"a.test"}`, ""},
}

var param = regexp.MustCompile(`\{s?id\}`)

// TestEngines asks every route of a server that has every engine and of one that has none. No
// answer is a bare 404 or 405, each is JSON of the contract, and a route whose engine is
// missing answers 501 with a text that names it, after the checks of the request and before
// any credit is spent.
func TestEngines(t *testing.T) {
	for _, full := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h, service := engines(t, full)
			for _, route := range httpapi.RoutePatterns() {
				method, pattern, _ := strings.Cut(route, " ")
				path := param.ReplaceAllString(pattern, "0199d7a4-0000-7000-8000-000000000000")
				need := engineRoutes[route]
				missing := !full && need.names != ""
				time.Sleep(time.Minute) // in fake time, so that the jobs of earlier routes have ended
				before := spent(t, service)
				w, body := ask(t, h, method, path, need.body)
				if after := spent(t, service); missing && after != before {
					t.Errorf("%s spent %d credits without an engine", route, after-before)
				}
				var answer struct {
					Success *bool
					Code    string
					Error   string
				}
				if err := json.Unmarshal([]byte(body), &answer); err != nil || w.Code >= 400 && answer.Error == "" {
					t.Errorf("%s: %d %s", route, w.Code, body)
				}
				if got := w.Code == http.StatusNotImplemented; got != missing || got != (answer.Code == "ENGINE_NOT_CONFIGURED") {
					t.Errorf("%s, engines %v: %d %s", route, full, w.Code, body)
				}
				if missing && !strings.Contains(answer.Error, need.names) {
					t.Errorf("%s: %q does not name what is missing: %s", route, answer.Error, need.names)
				}
				if w.Code == http.StatusNotFound && (!strings.Contains(pattern, "{") || !strings.Contains(answer.Error, "ob not found") && answer.Error != "File not found") {
					t.Errorf("%s: %s", route, body)
				}
				if w.Code == http.StatusMethodNotAllowed || w.Code == http.StatusInternalServerError {
					t.Errorf("%s: %d %s", route, w.Code, body)
				}
				if missing && method == http.MethodPost {
					if w, body := ask(t, h, method, path, `{"prompt":7,"query":7,"url":7}`); w.Code != http.StatusBadRequest {
						t.Errorf("%s, a bad request: %d %s", route, w.Code, body)
					}
				}
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// spent returns the credits that the team has spent, or 0 if they are not counted.
func spent(t *testing.T, s *curlew.Service) int {
	t.Helper()
	if s.Credits == nil {
		return 0
	}
	b, err := s.Credits.Balance(t.Context(), "team")
	if err != nil {
		t.Fatal(err)
	}
	return b.Spent
}

// engines returns a handler with every engine, or with none.
func engines(t *testing.T, full bool) (*httpapi.Handler, *curlew.Service) {
	t.Helper()
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Credits: plainCredits{new(account.Ledger)}}
	o := httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"fc-test": {ID: "team", Policy: account.Policy{Threat: threat.Team{Enabled: true}}},
	})}
	if full {
		service.Searcher = searxng(t)
		service.Agent = &agent.Engine{Model: new(reader)}
		service.Audit, service.Credits, o.ThreatPolicies = new(audit.Recent), nil, new(account.Policies)
	}
	h, err := httpapi.NewHandler(service, &o)
	if err != nil {
		t.Fatal(err)
	}
	return h, service
}
