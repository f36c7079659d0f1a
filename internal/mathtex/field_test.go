// SPDX-License-Identifier: Apache-2.0

package mathtex_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/mathtex"
)

func TestField(t *testing.T) {
	for _, c := range []struct{ in, tex, text string }{
		{` \f(1,2)`, `\frac{1}{2}`, ""},
		{`x=\f(-b±\r(b\s\up6(2)-4ac),2a)`, `x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}`, ""},
		{`\F(1;2)`, `\frac{1}{2}`, ""},
		{`\f(f(a,b),\(c\))`, `\frac{f(a,b)}{(c)}`, ""},
		{`\r(3,x) + \r(,y)`, `\sqrt[3]{x} + \sqrt{y}`, ""},
		{`a\s\do4(i)`, `a_{i}`, ""},
		{`\o(\s\up7(→),a) \o(AB,\s\up6(→))`, `\vec{a} \overrightarrow{AB}`, ""},
		{`\o\ac(○,1)`, "○1", ""},
		{`\b\lc\{(\a\al\co1(x=1,y=2))`, `\begin{cases}x=1 \\ y=2\end{cases}`, ""},
		{`\b(\a\co2\hs4(1,2,3,4))`, `\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}`, ""},
		{`\b\bc\[(x) \b\rc\|(y)`, `\left[x\right] \left.y\right|`, ""},
		{`\i\su(i=1,n,i) \i(0,1,x) \i\fc\∏(,,k)`, `\sum_{i=1}^{n}{i} \int_{0}^{1}{x} \prod{k}`, ""},
		{`\x(a)\x\to(b)\x\bo(c)\l(d,e)\d\fo2()`, `\boxed{a}\overline{b}\underline{c}d,e`, ""},
		{`\* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9(とうきょう),東京)`, "", "東京(とうきょう)"},
		{`\f(1`, `\frac{1}{}`, ""},
		{`\f`, "", ""},
		{`\`, `\backslash`, ""},
		{`\* x`, "", ""},
		{"", "", ""},
	} {
		if tex, text := mathtex.Field(c.in); tex != c.tex || text != c.text {
			t.Errorf("%s = %q, %q, want %q, %q", c.in, tex, text, c.tex, c.text)
		}
	}
}

// TestFieldBounded nests switches and brackets deeper than any real field.
func TestFieldBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat(`\f(`, 10_000), strings.Repeat("(", 60_000), strings.Repeat(`\r\a`, 10_000), `\a(` + strings.Repeat("a,", 30_000)} {
		if tex, _ := mathtex.Field(s); len(tex) > 20*len(s) {
			t.Errorf("%.10s: %d bytes became %d", s, len(s), len(tex))
		}
	}
}

func FuzzField(f *testing.F) {
	f.Add(`x=\f(-b±\r(b\s\up6(2)-4ac),2a)`)
	f.Add(`\o(\s\up7(→),a)\b\lc\{(\a\al\co2(x=1,y=2))`)
	f.Add(`\* jc2 \o\ad(\s\up 9(とう),東)`)
	f.Fuzz(func(t *testing.T, s string) {
		if tex, _ := mathtex.Field(s); !strings.Contains(s, "`") && !balanced(tex) {
			t.Errorf("%q has braces without a partner: %s", s, tex)
		}
	})
}
