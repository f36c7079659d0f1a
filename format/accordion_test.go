// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/format"
)

// TestAccordion keeps the titles of an accordion before their panels, also if these are hidden until a reader opens them.
func TestAccordion(t *testing.T) {
	var b strings.Builder
	b.WriteString("<title>Questions</title><main><h1>Questions</h1>")
	for i, q := range []string{"How do I return an item?", "How long does the delivery take?"} {
		b.WriteString(`<div class="item"><button aria-expanded="false" aria-controls="p` + strconv.Itoa(i) + `">` + q + `</button><div id="p` + strconv.Itoa(i) + `" hidden><p>` +
			strings.Repeat("That takes thirty days at most, and we tell you when it is on its way. ", 3) + `</p></div></div>`)
	}
	b.WriteString(`<div><button>Who pays for the parcel?</button><div>We do, if it is back within thirty days.</div></div>`)
	b.WriteString(`<button>Is this helpful?</button><button aria-expanded="false">Share</button></main>`)
	d := build(t, b.String(), format.Options{Forms: []format.Form{format.Markdown}})
	got := *d.Markdown
	for _, want := range []string{"**How do I return an item?**\n\nThat takes", "**How long does the delivery take?**\n\nThat takes", "**Who pays for the parcel?**\n\nWe do"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "Share") || strings.Contains(got, "helpful") {
		t.Errorf("a button without a panel is in\n%s", got)
	}
}
