// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"html"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// nested returns a document of frames within frames.
func nested(depth int) string {
	text := "<p>innermost"
	for range depth {
		text = "<p>level<iframe srcdoc=\"" + html.EscapeString(text) + "\"></iframe>"
	}
	return text
}

// TestFrames checks that documents in attributes of frames are read, within limits.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      string // the text of the body
		lost      int    // documents
	}{
		{"a document", `<body>a<iframe srcdoc="<title>t</title><body><p>b &amp;amp; c</p>">old</iframe>d`, "ab & cd", 0},
		{"in capitals", `<body>a<IFRAME SrcDoc='<b>b</b>'></IFRAME>d`, "abd", 0},
		{"an empty one", `<body>a<iframe srcdoc="">old</iframe>d`, "aoldd", 0},
		{"in a drawing, where it is another element", `<body>a<svg><iframe srcdoc="b"></iframe></svg>d`, "ad", 0},
		{"in frames", nested(3), "levellevellevelinnermost", 0},
		{"too deep", nested(6), "levellevellevellevellevel", 1},
		{"too many", "<body>" + strings.Repeat(`<iframe srcdoc=x></iframe>`, 101), strings.Repeat("x", 100), 1},
		{"cut off", `<body><iframe srcdoc="a<style>` + strings.Repeat("x", 20) + `"></iframe>`, "a" + strings.Repeat("x", 20), 1},
		{"deep", strings.Repeat("<div>", 500) + `<iframe srcdoc="` + strings.Repeat("<div>", 100) + `a">`, "a", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
			if err != nil {
				t.Fatal(err)
			}
			if got := dom.Text(d.Root); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := d.Lost[dom.Frames]; got != c.lost {
				t.Errorf("lost %v, want %d documents of frames", d.Lost, c.lost)
			}
			if n := levels(d.Root); n > 514 {
				t.Errorf("the tree has %d levels", n)
			}
		})
	}
}

// TestFramesNodes checks that the documents of a page share its limit of nodes.
func TestFramesNodes(t *testing.T) {
	src := strings.Repeat(`<iframe srcdoc="`+strings.Repeat("<b>x</b>", 50)+`"></iframe>`, 10)
	d, err := dom.Parser{Nodes: 200}.Parse(t.Context(), []byte(src), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(dom.Text(d.Root)); n > 200 || d.Lost[dom.Frames] == 0 {
		t.Errorf("%d nodes, lost %v", n, d.Lost)
	}
}

// levels returns the number of nodes on the longest way down from n.
func levels(n *nethtml.Node) int {
	deepest := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		deepest = max(deepest, levels(c))
	}
	return deepest + 1
}
