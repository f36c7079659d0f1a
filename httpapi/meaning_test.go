// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
)

// answered contains what the answers of all routes with documents have in common.
type answered struct {
	ID, Status  string
	CreditsUsed int
	Data        json.RawMessage
}

// told is what a document says about itself.
type told struct {
	Warning  string
	Metadata struct {
		SourceURL, URL, Error string
		CreditsUsed           int
	}
}

// TestMeaning asks for one page in each way that gives a document. sourceURL is the URL as it
// was sent, or as the search found it, creditsUsed of a document is its price and that of an
// answer their sum, and the same lack gives the same warning.
func TestMeaning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
		service.Searcher = searxng(t)
		const sent, page = "HTTP://A.test:80/#top", `"formats":["markdown","summary"]`
		read := func(method, path, body string) (a answered) {
			t.Helper()
			w, text := ask(t, h, method, path, body)
			if err := json.Unmarshal([]byte(text), &a); err != nil || w.Code != 200 {
				t.Fatalf("%s %s: %d %s", method, path, w.Code, text)
			}
			return a
		}
		ended := func(path, body string) (answered, told) {
			t.Helper()
			id := read("POST", path, body).ID
			for {
				a := read("GET", path+"/"+id, "")
				if a.Status == "scraping" {
					time.Sleep(time.Second) // in fake time
					continue
				}
				var all []told
				if err := json.Unmarshal(a.Data, &all); err != nil || len(all) != 1 {
					t.Fatalf("%s: %s", path, a.Data)
				}
				return a, all[0]
			}
		}
		documents := map[string]told{}
		var one told
		if err := json.Unmarshal(read("POST", "/v2/scrape", fmt.Sprintf(`{"url":%q,%s}`, sent, page)).Data, &one); err != nil {
			t.Fatal(err)
		}
		documents["scrape"] = one
		if one.Warning == "" || one.Metadata.CreditsUsed < 1 {
			t.Fatalf("the page must have a warning and a price: %+v", one)
		}
		price := one.Metadata.CreditsUsed
		for path, body := range map[string]string{
			"/v2/batch/scrape": fmt.Sprintf(`{"urls":[%q],%s}`, sent, page),
			"/v2/crawl":        fmt.Sprintf(`{"url":%q,"limit":1,"scrapeOptions":{%s}}`, sent, page),
		} {
			a, d := ended(path, body)
			if documents[path] = d; a.CreditsUsed != price {
				t.Errorf("%s: creditsUsed %d, not that of its page, %d", path, a.CreditsUsed, price)
			}
		}
		found := read("POST", "/v2/search", `{"query":"waders","limit":1,"scrapeOptions":{`+page+`}}`)
		var hits struct{ Web []told }
		if err := json.Unmarshal(found.Data, &hits); err != nil || len(hits.Web) != 1 {
			t.Fatalf("search: %s", found.Data)
		}
		if documents["search"] = hits.Web[0]; found.CreditsUsed != 2+price {
			t.Errorf("search: creditsUsed %d, not 2 and %d of its page", found.CreditsUsed, price)
		}
		for route, d := range documents {
			want := sent
			if route == "search" {
				want = "http://a.test/"
			}
			if m := d.Metadata; m.SourceURL != want || m.URL != "http://a.test/" || m.CreditsUsed != price || d.Warning != one.Warning {
				t.Errorf("%s: %+v, not sourceURL %s, %d credits and the warning %q", route, d, want, price, one.Warning)
			}
		}

		// A page that does not exist is a document with its status, at the same price.
		gone := strings.ReplaceAll(sent, "/#", "/none#")
		if err := json.Unmarshal(read("POST", "/v2/scrape", fmt.Sprintf(`{"url":%q,%s}`, gone, page)).Data, &one); err != nil {
			t.Fatal(err)
		}
		a, d := ended("/v2/batch/scrape", fmt.Sprintf(`{"urls":[%q],%s}`, gone, page))
		if d.Metadata != one.Metadata || d.Metadata.Error == "" || a.CreditsUsed != one.Metadata.CreditsUsed {
			t.Errorf("a page that does not exist: %+v and %+v", one, d)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
