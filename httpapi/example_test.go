// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
)

// web replaces the Internet. A Service without a Fetcher fetches real pages.
var web = fakeWeb{
	"http://site.test/":     `<title>Site</title><h1>Hello</h1><p>See the <a href="/more">rest</a>.</p>`,
	"http://site.test/more": `<title>More</title><p>That is all.</p>`,
}

// Serve the contract over HTTP for one team with one key.
func ExampleNewHandler() {
	handler, err := httpapi.NewHandler(&curlew.Service{Fetcher: web}, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"fc-secret": {ID: "us", Policy: account.Policy{Rates: account.Rates{Scrape: 60}}},
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v2/", handler)

	r := httptest.NewRequestWithContext(context.Background(), "POST", "/v2/scrape", strings.NewReader(`{"url":"site.test/more"}`))
	r.Header.Set("Authorization", "Bearer fc-secret")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	answer, _, _ := strings.Cut(w.Body.String(), `,"metadata"`)
	fmt.Println(w.Code, answer)
	// Output:
	// 200 {"success":true,"data":{"markdown":"That is all.\n"
}

// Share a server between two teams. One may spend 100 credits, and the other
// has no limit.
func ExampleStaticKeys() {
	ledger := &account.Ledger{Plan: map[string]int{"trial": 100}}
	service := &curlew.Service{Fetcher: web, Credits: ledger}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-a": {ID: "trial"}, "fc-b": {ID: "us"}}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"fc-a", "fc-b"} {
		r := httptest.NewRequestWithContext(context.Background(), "POST", "/v2/scrape", strings.NewReader(`{"url":"site.test"}`))
		r.Header.Set("Authorization", "Bearer "+key)
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, team := range []string{"trial", "us"} {
		balance, _ := ledger.Balance(context.Background(), team)
		fmt.Printf("%s: spent %d, left %d\n", team, balance.Spent, balance.Left)
	}
	// Output:
	// trial: spent 1, left 99
	// us: spent 1, left -1
}
