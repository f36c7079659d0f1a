// SPDX-License-Identifier: Apache-2.0

package slots_test

import (
	"errors"
	"testing"

	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/format"
	"example.com/curlew/format/formattest"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/threat"
)

// TestSheets checks that a style sheet is fetched by the rules of its page.
func TestSheets(t *testing.T) {
	const sheet = "body{color:red}\n"
	web := func(t *testing.T) *fetchtest.Site {
		return fetchtest.New(t, []byte(`
-- http://a.test/a.css --
HTTP 200
Content-Type: text/css

`+sheet+`-- http://a.test/hop.css --
HTTP 302
Location: http://bad.test/a.css

-- http://bad.test/a.css --
HTTP 200
Content-Type: text/css

`+sheet))
	}
	formattest.CheckLoader(t, "http://a.test/a.css", sheet, func(t *testing.T) format.Loader {
		return &slots.Sheets{Fetcher: web(t)}
	})
	rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{"bad.test"}})
	if err != nil {
		t.Fatal(err)
	}
	gated := &slots.Sheets{Fetcher: web(t), Gate: &threat.Gate{Rules: rules}}
	for _, url := range []string{"http://bad.test/a.css", "http://a.test/hop.css"} {
		if body, _, err := gated.Load(t.Context(), url); !errors.Is(err, threat.ErrBlocked) || len(body) > 0 {
			t.Errorf("%s: %q, %v", url, body, err)
		}
	}
}
