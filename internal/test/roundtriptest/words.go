// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import "strings"

// vocabulary contains words of a language.
type vocabulary struct {
	words []string
	space string // between words
	stop  string // end of a sentence
	upper bool   // sentences start in upper case
}

var english = vocabulary{strings.Fields(`
	a the of and in to for with from over under between against before after through
	market river garden kitchen theory number letter window travel season village
	measure balance quarter weather harbour library picture morning evening machine
	engine surface pressure current pattern company engineer material temperature
	development information communication international representative environment
	infrastructure administration characteristic responsibility transportation
	independent considerable traditional experimental significant mathematical
	well-known long-term self-contained state-owned
	shows takes gives holds keeps brings leaves follows changes remains contains
	becomes requires describes considers establishes distinguishes demonstrates
	small large early late common open narrow simple quiet heavy ancient modern
	slowly often never always nearly together already perhaps rarely clearly
	north south water paper stone copper silver timber glass cotton`), " ", ".", true}

var hebrew = vocabulary{strings.Fields(`
	ספר בית ילד ילדה עיר רחוב שמש ירח מים אדמה שמים עץ פרח דרך שלום יום לילה
	בוקר ערב שנה חודש שבוע מלך ארץ ים הר נהר גשר חלון דלת שולחן כיסא לחם חלב
	הולך בא אומר כותב קורא רואה שומע יודע גדול קטן חדש ישן טוב יפה רחוק קרוב`), " ", ".", false}

var chinese = vocabulary{strings.Fields(`
	城市 河流 山脉 春天 夏天 秋天 冬天 老师 学生 图书馆 火车 飞机 市场 公司 工程 材料
	环境 历史 文化 语言 数学 科学 研究 发展 社会 经济 世界 国家 人民 时间 问题 方法
	非常 已经 可以 需要 重要 简单 复杂 美丽 安静 因为 所以 但是 如果 他们 我们 这个`), "", "。", false}

// code are lines of code, with characters that Markdown would interpret.
var code = []string{
	"func sum(list []int) int {",
	"    total := 0",
	"    for _, v := range list {",
	"        total += v * 2",
	"    }",
	"    return total",
	"}",
	"if a < b && c > d {",
	"    print(\"x_y_z\", 10)",
	"}",
}

var formulas = []Formula{
	{`a^{2}+b^{2}=c^{2}`, `<msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup>`, `a sup 2 + b sup 2 = c sup 2`},
	{`E=mc^{2}`, `<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>`, `E = m c sup 2`},
	{`y=\frac{a}{b}`, `<mi>y</mi><mo>=</mo><mfrac><mi>a</mi><mi>b</mi></mfrac>`, `y = a over b`},
	{`x_{1}+x_{2}`, `<msub><mi>x</mi><mn>1</mn></msub><mo>+</mo><msub><mi>x</mi><mn>2</mn></msub>`, `x sub 1 + x sub 2`},
	{`r=\sqrt{s}`, `<mi>r</mi><mo>=</mo><msqrt><mi>s</mi></msqrt>`, `r = sqrt s`},
}
