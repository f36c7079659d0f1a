// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestXHTML reads elements that XML ends in their start tag. Only XHTML has them.
func TestXHTML(t *testing.T) {
	const xhtml = "application/xhtml+xml; charset=utf-8"
	for _, tt := range []struct{ in, want string }{
		{`<title/><p>x`, `<title></title><p>x`},
		{`<script src="a>b" data-x='/>' /><p>x`, `<script src="a>b" data-x='/>' ></script><p>x`},
		{"<p>x<script\n\tsrc='a'/>y<style/>z", "<p>x<script\n\tsrc='a'></script>y<style></style>z"},
		{`<script src="a/"></script><p>x`, `<script src="a/"></script><p>x`},
		{`<titles/><p/><br/><a href="x"/>`, `<titles/><p/><br/><a href="x"/>`},
		{`<script src="a<title/>`, `<script src="a<title></title>`},
		{`<script>"<script/>"</script><title/>`, `<script>"<script/>"</script><title></title>`},
		{`<script>"<title/>"`, `<script>"<title/>"`},
		{`<!-- <script> --><title/>`, `<!-- <script> --><title></title>`},
		{`<!-- <title/>`, `<!-- <title/>`},
		{`<title>x<title/>`, `<title>x<title/>`},
		{`<script`, `<script`},
		{`<script src="`, `<script src="`},
		{`<script/`, `<script/`},
	} {
		if got, _ := dom.Decode([]byte(tt.in), xhtml); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
		if got, _ := dom.Decode([]byte(tt.in), "text/html"); got != tt.in {
			t.Errorf("%q as text/html: %q", tt.in, got)
		}
	}
	doc, err := dom.Parse(t.Context(), []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>one</p><script/><p>two</p></body></html>`), "Application/XHTML+XML")
	if err != nil || len(doc.Lost) != 0 {
		t.Fatalf("%v, lost %v", err, doc.Lost)
	}
	var words strings.Builder
	for n := range doc.Root.Descendants() {
		if n.FirstChild == nil {
			words.WriteString(strings.TrimSpace(n.Data) + " ")
		}
	}
	if !strings.Contains(words.String(), "one") || !strings.Contains(words.String(), "two") {
		t.Errorf("the page is %q", words.String())
	}
}
