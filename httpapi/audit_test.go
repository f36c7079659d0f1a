// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/threat"
)

// recorder is a sink that keeps its events.
type recorder struct {
	mu     sync.Mutex
	events []audit.Event
}

func (r *recorder) Write(_ context.Context, events []audit.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, events...)
	return nil
}

// lines returns the events as sorted lines. Members with a zero value are left
// out.
func (r *recorder) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, e := range r.events {
		line := fmt.Sprintf("%s %s %s %s %s %d %s", e.Type, e.Action, e.Endpoint, e.TeamID, e.URL, e.HTTPStatus, e.Result)
		if e.Error != nil {
			line += " " + e.Error.Code
		}
		if e.Threat != nil {
			line += fmt.Sprintf(" %v %s", e.Threat.Allowed, e.Threat.Rule)
		}
		if e.ZeroRetention {
			line += " zdr"
		}
		lines = append(lines, strings.Join(strings.Fields(line+" "+e.Username), " "))
	}
	slices.Sort(lines)
	return lines
}

// TestAudit checks that every endpoint writes an event for each URL that it
// fetches or refuses, and for a refused key.
func TestAudit(t *testing.T) {
	const user = `,"auditMetadata":{"username":"ann"}`
	rules := threat.Team{Enabled: true, AllowOverrides: true, Policy: &threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test"}, Failure: threat.Open}}
	for _, test := range []struct {
		path, body string
		want       []string
	}{
		{"/v2/scrape", `{"url":"a.test/one"` + user + `}`, []string{"scrape team http://a.test/one 200 success true provider-failure ann"}},
		{"/v2/scrape", `{"url":"a.test/one","zeroDataRetention":true}`, []string{"scrape team 200 success true provider-failure zdr"}},
		{"/v2/scrape", `{"url":"evil.test"}`, []string{"scrape team http://evil.test/ 0 blocked unsafe_domain_blocked false blacklist"}},
		{"/v2/scrape", `{"url":"nowhere.test"}`, []string{"scrape team http://nowhere.test/ 0 failure SCRAPE_DNS_RESOLUTION_ERROR true provider-failure"}},
		{"/v2/map", `{"url":"a.test"}`, []string{"map team http://a.test/ 0 success true provider-failure"}},
		{"/v2/crawl", `{"url":"evil.test"}`, []string{"crawl team http://evil.test/ 0 blocked unsafe_domain_blocked false blacklist"}},
		{"/v2/crawl", `{"url":"a.test","sitemap":"skip","scrapeOptions":{"auditMetadata":{"username":"bob"}}}`, []string{
			"crawl team http://a.test/ 200 success true provider-failure bob",
			"crawl team http://a.test/broken 0 failure SCRAPE_SITE_ERROR true provider-failure bob",
			"crawl team http://a.test/one 200 success true provider-failure bob",
			"crawl team http://a.test/two 200 success true provider-failure bob",
		}},
		{"/v2/batch/scrape", `{"urls":["a.test/one","evil.test"]` + user + `}`, []string{
			"batch team http://a.test/one 200 success true provider-failure ann",
			"batch team http://evil.test/ 0 blocked unsafe_domain_blocked false blacklist ann",
		}},
		{"/v2/agent", agentTask + user + `}`, []string{"agent team http://a.test/ 200 success true provider-failure ann"}},
	} {
		t.Run(test.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sink recorder
				service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(hookSite)), Audit: &sink, Agent: &agent.Engine{Model: new(reader)}}
				h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
					"fc-test": {ID: "team", Policy: account.Policy{ZeroRetention: account.RetentionAllowed, Threat: rules}},
				})})
				if err != nil {
					t.Fatal(err)
				}
				ask(t, h, "POST", test.path, test.body)
				time.Sleep(10 * time.Minute)
				if diff := gocmp.Diff(test.want, sink.lines()); diff != "" {
					t.Errorf("%s events (-want +got):\n%s", test.body, diff)
				}
				for _, e := range sink.events {
					if e.RequestID == "" || e.Started.IsZero() || e.Completed.Before(e.Started) {
						t.Errorf("%+v", e)
					}
				}
				if err := service.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAuditKeys checks the events for keys that are created, revoked and
// refused.
func TestAuditKeys(t *testing.T) {
	var sink recorder
	keys := &account.Keys{Audit: &sink}
	text, key, err := keys.Create(t.Context(), "a", "n", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler(&curlew.Service{Audit: &sink}, &httpapi.Options{Authenticator: httpapi.KeyAuthenticator(keys, policies)})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, h, "GET", "/v2/crawl/active", "", "Authorization", "Bearer "+text)
	want := []string{"admin_activity key_created a 0", "admin_activity key_refused status 0 blocked", "admin_activity key_revoked a 0"}
	if diff := gocmp.Diff(want, sink.lines()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
