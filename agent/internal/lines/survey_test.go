// SPDX-License-Identifier: Apache-2.0

package lines_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/journal"
)

// TestSurvey finds short texts with their labels, and images that stand for a text.
func TestSurvey(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<p>Grade: easy</p><table><tr><td>Dogs<td><img src=dog.svg alt=" Dogs  allowed "></table><p><img alt=a><img alt=b></p>`))
	if err != nil {
		t.Fatal(err)
	}
	var got []journal.Text
	texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
	for _, text := range texts {
		if strings.HasPrefix(text.Path, "html>body>p") || strings.HasSuffix(text.Path, "td") {
			got = append(got, text)
		}
	}
	want := []journal.Text{
		{Path: "html>body>p", Value: "Grade: easy"},
		{Path: "html>body>p", Attr: ":", Label: "Grade", Value: "easy"},
		{Path: "table>tbody>tr>td", Value: "Dogs"},
		{Path: "table>tbody>tr>td", Label: "Dogs", Value: "Dogs allowed"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
