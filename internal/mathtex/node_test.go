// SPDX-License-Identifier: Apache-2.0

package mathtex_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/mathtex"
)

// formula returns the first math element of the HTML text src.
func formula(t *testing.T, src string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "math" {
			return n
		}
	}
	t.Fatalf("no math in %s", src)
	return nil
}

func TestNode(t *testing.T) {
	for src, want := range map[string]string{
		`<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>`:                                                          `\frac{1}{x}`,
		`<math><msqrt><msup><mi>a</mi><mn>2</mn></msup></msqrt></math>`:                                             `\sqrt{a^{2}}`,
		`<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover></math>`:     `\sum_{i=1}^{n}`,
		`<math><mfenced><mi>a</mi><mi>b</mi></mfenced></math>`:                                                      `\left(a,b\right)`,
		`<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></math>`:                       `\begin{matrix}1 & 2\end{matrix}`,
		`<math><semantics><mi>x</mi><annotation encoding="application/x-tex"> x^2 </annotation></semantics></math>`: `x^2`,
		`<math alttext="\alpha"><mi>α</mi></math>`:                                                                  `\alpha`,
		`<math alttext="alpha"><mi>α</mi></math>`:                                                                   `\alpha`,
		`<math><mover><mi>x</mi><mo>¯</mo></mover></math>`:                                                          `\bar{x}`,
		`<math></math>`: ``,
	} {
		if got := mathtex.Node(formula(t, src)); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

// TestNodeBounded converts a formula that is too deep and one that is too wide.
func TestNodeBounded(t *testing.T) {
	deep := &html.Node{Type: html.TextNode, Data: "x"}
	for range 100_000 {
		up := &html.Node{Type: html.ElementNode, Data: "msqrt", Namespace: "math"}
		up.AppendChild(deep)
		deep = up
	}
	wide := &html.Node{Type: html.ElementNode, Data: "math", Namespace: "math", DataAtom: atom.Math}
	for range 200_000 {
		wide.AppendChild(&html.Node{Type: html.ElementNode, Data: "mi", FirstChild: nil})
	}
	for _, n := range []*html.Node{deep, wide} {
		if got := len(mathtex.Node(n)); got > 1<<19 {
			t.Errorf("%d bytes", got)
		}
	}
}
