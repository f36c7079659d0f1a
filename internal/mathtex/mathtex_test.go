// SPDX-License-Identifier: Apache-2.0

package mathtex_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/zipxml"
)

func TestMain(m *testing.M) { leak.Main(m) }

var words = zipxml.Vocabulary{"urn:m": "m", "urn:w": "w"}

func omml(t testing.TB, inside string) string {
	t.Helper()
	root, err := zipxml.Parse(t.Context(), []byte(`<m:oMath xmlns:m="urn:m" xmlns:w="urn:w">`+inside+`</m:oMath>`), words)
	if root == nil {
		t.Fatal(err)
	}
	return mathtex.OMML(root)
}

// r returns a run of characters, and e an argument.
func r(s string) string { return "<m:r><m:t>" + s + "</m:t></m:r>" }

func in(tag, s string) string { return "<m:" + tag + ">" + s + "</m:" + tag + ">" }

func e(s string) string { return in("e", s) }

func prop(tag, s string) string { return "<m:" + tag + ` m:val="` + s + `"/>` }

func TestOMML(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"letters", r("A=πr"), `A=\pi r`},
		{"command before letter", r("αβx+∞"), `\alpha\beta x+\infty`},
		{"escapes", r("50%{a_b}&amp;#$"), `50\%\{a\_b\}\&\#\$`},
		{"upright", `<m:r><m:rPr>` + prop("sty", "p") + `</m:rPr><m:t>sin</m:t></m:r>` + r("x"), `\sin x`},
		{"upright word", `<m:r><m:rPr>` + prop("sty", "p") + `</m:rPr><m:t>rank</m:t></m:r>`, `\mathrm{rank}`},
		{"bold", `<m:r><m:rPr>` + prop("sty", "b") + `</m:rPr><m:t>v</m:t></m:r>`, `\mathbf{v}`},
		{"double-struck", `<m:r><m:rPr>` + prop("scr", "double-struck") + `</m:rPr><m:t>R</m:t></m:r>`, `\mathbb{R}`},
		{"normal text", `<m:r><m:rPr><m:nor/></m:rPr><m:t>if x_1 is</m:t></m:r>`, `\text{if x\_1 is}`},
		{"several words", r("the group"), `\text{the group}`},
		{"alphanumeric", r("𝐀𝑥𝔹𝛼𝟏"), `\mathbf{A}x\mathbb{B}\alpha\mathbf{1}`},
		{"foreign letters", r("ж"), `\text{ж}`},
		{"linear caret", r("y") + r("^") + r("2"), `y^2`},
		{"caret at the end", in("f", in("num", r("x^"))+in("den", r("2"))), `\frac{x^{}}{2}`},
		{"fraction", in("f", in("num", r("1"))+in("den", r("2"))), `\frac{1}{2}`},
		{"no bar", in("f", in("fPr", prop("type", "noBar"))+in("num", r("n"))+in("den", r("k"))), `\genfrac{}{}{0pt}{}{n}{k}`},
		{"linear", in("f", in("fPr", prop("type", "lin"))+in("num", r("a+b"))+in("den", r("k"))), `{a+b}/k`},
		{"binomial", in("d", e(in("f", in("fPr", prop("type", "noBar"))+in("num", r("n"))+in("den", r("k"))))), `\binom{n}{k}`},
		{"root", in("rad", in("radPr", "<m:degHide/>")+in("deg", "")+e(r("x"))), `\sqrt{x}`},
		{"cube root", in("rad", in("deg", r("3"))+e(r("x"))), `\sqrt[3]{x}`},
		{"superscript", in("sSup", e(r("x"))+in("sup", r("2"))), `x^{2}`},
		{"of a fraction", in("sSup", e(in("f", in("num", r("1"))+in("den", r("2"))))+in("sup", r("2"))), `{\frac{1}{2}}^{2}`},
		{"of a letter with a name", in("sSub", e(r("α"))+in("sub", r("i"))), `\alpha_{i}`},
		{"both", in("sSubSup", e(r("x"))+in("sub", r("i"))+in("sup", r("2"))), `x_{i}^{2}`},
		{"before", in("sPre", in("sub", r("1"))+in("sup", "")+e(r("F"))), `{}_{1}F`},
		{"sum", in("nary", in("naryPr", prop("chr", "∑"))+in("sub", r("i=1"))+in("sup", r("n"))+e(r("i"))), `\sum_{i=1}^{n}{i}`},
		{"integral", in("nary", in("naryPr", "<m:subHide/><m:supHide/>")+in("sub", "")+in("sup", "")+e(r("x"))), `\int{x}`},
		{"parentheses", in("d", e(r("x"))), `\left(x\right)`},
		{"set", in("d", in("dPr", prop("begChr", "{")+prop("endChr", "}"))+e(r("x"))+e(r("y"))), `\left\{x\middle|y\right\}`},
		{"open", in("d", in("dPr", prop("begChr", "[")+prop("endChr", ""))+e(r("x"))), `\left[x\right.`},
		{"norm", in("d", in("dPr", prop("begChr", "‖")+prop("endChr", "‖"))+e(r("x"))), `\left\|x\right\|`},
		{"matrix", in("m", in("mr", e(r("a"))+e(r("b")))+in("mr", e(r("c"))+e(r("d")))), `\begin{matrix}a & b \\ c & d\end{matrix}`},
		{"bracketed matrix", in("d", in("dPr", prop("begChr", "[")+prop("endChr", "]"))+e(in("m", in("mr", e(r("a")))))), `\begin{bmatrix}a\end{bmatrix}`},
		{"cases", in("d", in("dPr", prop("begChr", "{")+prop("endChr", ""))+e(in("eqArr", e(r("a&amp;b"))+e(r("c"))))), `\begin{cases}a&b \\ c\end{cases}`},
		{"aligned", in("eqArr", e(r("a&amp;=b"))+e(r("c&amp;=d"))), `\begin{aligned}a&=b \\ c&=d\end{aligned}`},
		{"one equation", in("eqArr", e(r("a=b"))), `a=b`},
		{"hat", in("acc", e(r("x"))), `\hat{x}`},
		{"vector", in("acc", in("accPr", prop("chr", "\u20D7"))+e(r("x"))), `\vec{x}`},
		{"bar", in("bar", in("barPr", prop("pos", "top"))+e(r("x"))), `\overline{x}`},
		{"bar below", in("bar", e(r("x"))), `\underline{x}`},
		{"brace", in("limLow", e(in("groupChr", e(r("x"))))+in("lim", r("n"))), `\underbrace{x}_{n}`},
		{"arrow", in("groupChr", in("groupChrPr", prop("chr", "→")+prop("pos", "top"))+e(r("f"))), `\xrightarrow{f}`},
		{"limit", in("func", in("fName", in("limLow", e(`<m:r><m:rPr>`+prop("sty", "p")+`</m:rPr><m:t>lim</m:t></m:r>`)+in("lim", r("n→∞"))))+e(r("x"))), `\lim_{n\rightarrow\infty} x`},
		{"function", in("func", in("fName", r("log"))+e(in("d", e(r("x"))))), `\log\left(x\right)`},
		{"own function", in("func", in("fName", r("sgn"))+e(r("x"))), `\operatorname{sgn} x`},
		{"over", in("limUpp", e(r("="))+in("lim", r("d"))), `\overset{d}{=}`},
		{"line under", in("limLow", e(r("u"))+in("lim", r("_"))), `\underline{u}`},
		{"brace of signs", in("limLow", e(in("limLow", e(r("a+b"))+in("lim", r("⏟"))))+in("lim", r("n"))), `\underbrace{a+b}_{n}`},
		{"union", in("limLow", e(r("⋃"))+in("lim", r("i"))), `\bigcup_{i}`},
		{"arrow with text", in("limUpp", e(r("→"))+in("lim", r("f"))), `\xrightarrow{f}`},
		{"wide hat", in("acc", e(r("AB"))) + in("acc", e(r("𝐯"))), `\widehat{AB}\hat{\mathbf{v}}`},
		{"accent without a command", in("acc", in("accPr", prop("chr", "∘"))+e(r("x"))), `\overset{\circ}{x}`},
		{"derivative", in("sSup", e(r("f"))+in("sup", r("′"))), `f'`},
		{"determinant", in("d", in("dPr", prop("begChr", "∣")+prop("endChr", "∣"))+e(in("m", in("mr", e(r("a")))))), `\begin{vmatrix}a\end{vmatrix}`},
		{"cases of a matrix", in("d", in("dPr", prop("begChr", "{")+prop("endChr", ""))+e(in("m", in("mr", e(r("a"))+e(r("b")))))), `\begin{cases}a & b\end{cases}`},
		{"other brackets", in("d", in("dPr", prop("begChr", "«")+prop("endChr", "»"))+e(r("x"))), `«x»`},
		{
			"aligned columns",
			in("m", in("mPr", in("mcs", in("mc", in("mcPr", prop("mcJc", "right")))+in("mc", in("mcPr", prop("mcJc", "left")))))+in("mr", e(r("a"))+e(r("=b")))),
			`\begin{aligned}a & =b\end{aligned}`,
		},
		{"numbered equation", in("eqArr", e(r("a=b#")+in("d", e(r("1"))))), `a=b \tag{1}`},
		{"quad", r("a, b"), `a,\quad b`},
		{"bold Greek", `<m:r><m:rPr>` + prop("sty", "b") + `</m:rPr><m:t>α</m:t></m:r>`, `\boldsymbol{\alpha}`},
		{"lines under a sum", in("nary", in("naryPr", prop("chr", "∑"))+in("sub", in("m", in("mr", e(r("i")))+in("mr", e(r("j")))))+e(r("x"))), `\sum_{\substack{i \\ j}}{x}`},
		{"box", in("borderBox", e(r("x"))), `\boxed{x}`},
		{"phantom", in("phant", in("phantPr", prop("show", "0"))+e(r("x"))), `\phantom{x}`},
		{"shown phantom", in("phant", e(r("x"))), `x`},
		{"not known", in("box", e(r("x"))) + "<w:ins>" + r("y") + "</w:ins><w:del>" + r("z") + "</w:del>", `xy`},
		{"functions without a style", r("cos") + `<m:r><m:rPr>` + prop("sty", "i") + `</m:rPr><m:t>sin</m:t></m:r>` + r("ln"), `\cos sinln`},
		{"empty", "", ``},
	} {
		if got := omml(t, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestOMMLBounded nests elements to check that none writes its content more
// than once.
func TestOMMLBounded(t *testing.T) {
	deep := strings.Repeat("<m:f><m:num>", 100) + r("x") + strings.Repeat("</m:num><m:den>"+r("y")+"</m:den></m:f>", 100)
	if got := omml(t, deep); len(got) > 20*len(deep) {
		t.Errorf("%d bytes became %d", len(deep), len(got))
	}
	if got := omml(t, strings.Repeat(r("α"), 100_000)); len(got) > 1<<20 {
		t.Errorf("a formula of %d bytes", len(got))
	}
}

// TestMathMLBounded writes rows in which brackets are opened but never closed.
func TestMathMLBounded(t *testing.T) {
	for _, rows := range []string{
		strings.Repeat("<mo>(</mo>", 30_000) + "<mfrac/>",
		strings.Repeat("<mo>(</mo><mfrac/>", 10_000) + strings.Repeat("<mo>)</mo>", 10_000),
	} {
		root, err := zipxml.Parse(t.Context(), []byte("<math>"+rows+"</math>"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mathtex.MathML(root); len(got) > 1<<19 {
			t.Errorf("a formula of %d bytes", len(got))
		}
	}
}

func FuzzMathML(f *testing.F) {
	f.Add("<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable><mo>)</mo>")
	f.Add("<munder><munder><mi>a</mi><mo>⏟</mo></munder><mi>n</mi></munder><mspace/>")
	f.Add("<mmultiscripts><mi>X</mi><mi>a</mi><none/><mprescripts/><mn>1</mn></mmultiscripts>")
	f.Fuzz(func(t *testing.T, s string) {
		root, _ := zipxml.Parse(t.Context(), []byte("<math>"+s+"</math>"), nil)
		if root == nil || strings.Contains(s, "annotation") || strings.Contains(s, "`") {
			return
		}
		if tex := mathtex.MathML(root); !balanced(tex) {
			t.Errorf("%q has braces without a partner: %s", s, tex)
		}
	})
}

// balanced reports whether all braces of tex are balanced.
func balanced(tex string) bool {
	open := 0
	for i := 0; i < len(tex) && open >= 0; i++ {
		switch tex[i] {
		case '\\':
			if i++; i == len(tex) {
				return false // an unfinished command
			}
		case '{':
			open++
		case '}':
			open--
		}
	}
	return open == 0
}

func FuzzOMML(f *testing.F) {
	f.Add(in("f", in("num", r("1"))+in("den", r("2"))))
	f.Add(in("d", e(in("m", in("mr", e(r("a")))))))
	f.Add(in("groupChr", in("groupChrPr", prop("chr", "→"))+e(r("f"))))
	f.Fuzz(func(t *testing.T, s string) {
		root, _ := zipxml.Parse(t.Context(), []byte(`<m:oMath xmlns:m="urn:m" xmlns:w="urn:w">`+s+`</m:oMath>`), words)
		if root == nil {
			return
		}
		tex := mathtex.OMML(root)
		if !balanced(tex) {
			t.Errorf("%q has braces without a partner: %s", s, tex)
		}
	})
}

func TestMathML(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`<mi>x</mi><mo>=</mo><mn>1</mn>`, `x=1`},
		{`<mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><mn>1</mn></mrow>`, `e^{i\pi}+1`},
		{`<mfrac><mi>a</mi><mi>b</mi></mfrac>`, `\frac{a}{b}`},
		{`<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>`, `\genfrac{}{}{0pt}{}{n}{k}`},
		{`<msqrt><mi>x</mi></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>`, `\sqrt{x}\sqrt[3]{x}`},
		{`<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>`, `\sum_{i}^{n}x_{i}`},
		{`<mover><mi>x</mi><mo>→</mo></mover>`, `\vec{x}`},
		{`<munder><mi>lim</mi><mi>n</mi></munder>`, `\lim_{n}`},
		{`<munder><mi>X</mi><mi>n</mi></munder>`, `\underset{n}{X}`},
		{`<msup><mtable><mtr><mtd><mi>a</mi><mo>+</mo><mi>b</mi></mtd></mtr></mtable><mn>2</mn></msup>`, `{a+b}^{2}`},
		{`<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>`, `\begin{matrix}a & b\end{matrix}`},
		{`<mfenced open="[" close=")"><mi>a</mi><mi>b</mi></mfenced>`, `\left[a,b\right)`},
		{`<mi>sin</mi><mi>x</mi><mi>rank</mi><mtext>if</mtext>`, `\sin x\mathrm{rank}\text{if}`},
		{`<mi mathvariant="bold">v</mi><mi mathvariant="double-struck">R</mi>`, `\mathbf{v}\mathbb{R}`},
		{`<semantics><mi>x</mi><annotation encoding="StarMath 5.0">x over y</annotation></semantics>`, `x`},
		{`<semantics><mi>x</mi><annotation encoding="application/x-tex"> y </annotation></semantics>`, `y`},
		{`<mtext>if </mtext><mspace width="0.333em"/><mi>x</mi>`, `\text{if}\ x`},
		{`<mi>x</mi><mspace width="0.167em"/><mi>y</mi><mspace width="1em"/><mi>z</mi><mspace/>`, `x\,y\quad z`},
		{`<mtext>if </mtext><mi>x</mi>`, `\text{if }x`},
		{`<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable><mo>)</mo></mrow>`, `\begin{pmatrix}a\end{pmatrix}`},
		{`<mo>∣</mo><mrow><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable></mrow><mo>∣</mo><mi>x</mi>`, `\begin{vmatrix}a\end{vmatrix}x`},
		{`<mo>{</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>`, `\begin{cases}a & b\end{cases}`},
		{`<mo>[</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable><mo>)</mo>`, `\left[a\right)`},
		{`<mfenced open="[" close="]"><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable></mfenced>`, `\begin{bmatrix}a\end{bmatrix}`},
		{`<mtable columnalign="right left"><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi></mtd></mtr></mtable>`, `\begin{aligned}a & =b\end{aligned}`},
		{`<mtable><mlabeledtr><mtd><mn>1</mn></mtd><mtd><mi>a</mi></mtd></mlabeledtr></mtable>`, `a\quad 1`},
		{`<mo>(</mo><mfrac linethickness="0px"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>`, `\binom{n}{k}`},
		{`<mo>(</mo><mo>(</mo><mfrac><mi>n</mi><mi>k</mi></mfrac><mo>)</mo><mo>)</mo>`, `\left(\left(\frac{n}{k}\right)\right)`},
		{`<mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo><mo>(</mo><mfrac><mi>n</mi><mi>k</mi></mfrac>`, `f(x)(\frac{n}{k}`},
		{`<mo form="prefix">|</mo><mfrac><mi>n</mi><mi>k</mi></mfrac><mo form="postfix">|</mo>`, `\left|\frac{n}{k}\right|`},
		{`<mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts/><mn>1</mn><none/></mmultiscripts>`, `{}_{1}X_{a}^{b}`},
		{`<munder><munder><mrow><mi>a</mi><mi>b</mi></mrow><mo>⏟</mo></munder><mi>n</mi></munder>`, `\underbrace{ab}_{n}`},
		{`<munder><mo>∑</mo><mtable><mtr><mtd><mi>i</mi></mtd></mtr><mtr><mtd><mi>j</mi></mtd></mtr></mtable></munder>`, `\sum_{\substack{i \\ j}}`},
		{`<munder><mi>u</mi><mo>_</mo></munder><mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>`, `\underline{u}\overline{AB}`},
		{`<munderover><mo>→</mo><mi>a</mi><mi>b</mi></munderover><mover><mo>⟶</mo><mi>b</mi></mover>`, `\xrightarrow[a]{b}\overset{b}{\longrightarrow}`},
		{`<munder><mo>⋃</mo><mi>i</mi></munder><mo>mod</mo><msup><mi>f</mi><mo>′</mo></msup>`, `\bigcup_{i}\operatorname{mod}f'`},
		{`<mstyle mathvariant="normal"><mi>d</mi></mstyle><mi mathvariant="normal">Δ</mi><mi mathvariant="script">L</mi>`, `\mathrm{d}\Delta\mathcal{L}`},
		{`<menclose notation="updiagonalstrike"><mi>x</mi></menclose><menclose notation="longdiv"><mi>y</mi></menclose>`, `\cancel{x}y`},
		{`<mfrac/><msub/><mroot/>`, `\frac{}{}{}_{}\sqrt[]{}`},
		{``, ``},
	} {
		root, err := zipxml.Parse(t.Context(), []byte(`<m:math xmlns:m="urn:m" xmlns="urn:m">`+c.in+`</m:math>`), zipxml.Vocabulary{"urn:m": "math"})
		if err != nil {
			t.Fatal(err)
		}
		if got := mathtex.MathML(root); got != c.want {
			t.Errorf("%s = %s, want %s", c.in, got, c.want)
		}
	}
}
