// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
)

// priced are the formats of the contract with their required members.
var priced = []string{
	`"markdown"`, `"html"`, `"rawHtml"`, `"links"`, `"images"`, `"summary"`, `"branding"`, `"product"`, `"menu"`, `"audio"`, `"video"`,
	`{"type":"json","schema":{}}`, `{"type":"deterministicJson","schema":{}}`, `{"type":"attributes","selectors":[{"selector":"a","attribute":"b"}]}`,
	`{"type":"changeTracking"}`, `{"type":"changeTracking","modes":["json"],"schema":{}}`,
	`{"type":"highlights","query":"q"}`, `{"type":"question","question":"q"}`, `{"type":"query","prompt":"q"}`,
}

// TestPrices checks the credits for a page with each pair of formats.
func TestPrices(t *testing.T) {
	var b strings.Builder
	say := func(formats string) {
		plain, err := httpapi.Price(formats, false)
		if err != nil {
			fmt.Fprintf(&b, "refused %s\n", formats)
			return
		}
		redacted, err := httpapi.Price(formats, true)
		if err != nil {
			t.Errorf("%s: %v", formats, err)
		}
		fmt.Fprintf(&b, "%2d %2d %s\n", plain, redacted, formats)
	}
	say("[]")
	for _, first := range priced {
		say(`["markdown",` + first + "]")
		for _, second := range priced {
			say(`["markdown",` + first + "," + second + "]")
		}
	}
	golden.Check(t, golden.Testdata("prices.txt"), []byte(b.String()))
}
