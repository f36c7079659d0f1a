// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// TestListsOfDamagedJobs stores jobs whose specifications cannot be read. The lists have
// them beside those that can be read.
func TestListsOfDamagedJobs(t *testing.T) {
	store := new(job.Memory)
	service := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": "<p>Text</p>"}, Store: store}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
	if err != nil {
		t.Fatal(err)
	}
	_, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","limit":7}`)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil {
		t.Fatal(err)
	}
	record, err := store.Load(t.Context(), "team", started.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Shutdown(t.Context()); err != nil { // the copies below are not resumed
		t.Fatal(err)
	}
	for _, kind := range []string{curlew.KindCrawl, curlew.KindAgent} {
		for i, spec := range [][]byte{record.Spec, record.Spec[:len(record.Spec)/2], []byte(`{"version":-1}`), []byte("{}")} {
			another := *record
			another.ID, another.Kind, another.Spec, another.State = job.NewID(), kind, spec, job.Running
			another.Ended, another.Expires, another.Err = time.Time{}, time.Time{}, "" // the crawl may have ended before its record was read
			if i == 0 && kind == curlew.KindAgent {
				continue
			}
			if err := store.Create(t.Context(), &another); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, answer := ask(t, h, "GET", "/v2/crawl/active", "")
	var crawls struct {
		Crawls []struct {
			URL     string
			Options struct{ Limit int }
		}
	}
	if err := json.Unmarshal([]byte(answer), &crawls); err != nil || w.Code != http.StatusOK {
		t.Fatal(w.Code, answer, err)
	}
	whole := 0
	for _, c := range crawls.Crawls {
		if c.URL == "http://a.test/" && c.Options.Limit == 7 {
			whole++
		}
	}
	if len(crawls.Crawls) < 4 || whole != len(crawls.Crawls)-3 {
		t.Errorf("%d of %d crawls are whole: %s", whole, len(crawls.Crawls), answer)
	}
	w, answer = ask(t, h, "GET", "/v2/agent", "")
	var agents struct{ Agents []struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &agents); err != nil || w.Code != http.StatusOK || len(agents.Agents) != 3 {
		t.Error(w.Code, answer, err)
	}
}
