// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/threat"
)

// TestCreditsEnd lets hundreds of scans use up the credits of a crawl. The
// crawl must report that, however many there were.
func TestCreditsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site strings.Builder
		site.WriteString("-- http://a.test/ --\n<p>")
		for i := range 300 {
			fmt.Fprintf(&site, `<a href="http://evil.test/%d">%d</a> `, i, i)
		}
		policy := account.Policy{Threat: threat.Team{Enabled: true, Policy: &threat.Policy{Mode: threat.Normal}}}
		h, service := newHandler(t, site.String()+"</p>\n", policy, httpapi.Options{})
		service.Classifier = scores{byHost: map[string]int{"a.test": 1, "evil.test": 100}}
		service.Credits = &account.Ledger{Plan: map[string]int{"team": 501}}
		_, body := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test","allowExternalLinks":true,"sitemap":"skip"}`)
		_, id, _ := strings.Cut(body, `"id":"`)
		time.Sleep(time.Hour)
		_, body = ask(t, h, "GET", "/v2/crawl/"+id[:36], "")
		if !strings.Contains(body, `"status":"completed"`) || !strings.Contains(body, "The job ended early: the credits are used up.") {
			t.Error(body)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
