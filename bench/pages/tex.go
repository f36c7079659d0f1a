// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

var texSpecial = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "–", "--", "©", `\textcopyright{}`, "|", `\textbar{}`)

// tex returns the page as LaTeX. The columns are filled one after the other.
func (p *page) tex() string {
	var b strings.Builder
	options := "10pt,a4paper"
	if p.columns == 2 {
		options += ",twocolumn"
	}
	left := "20mm"
	if p.genre == "textbook" {
		options, left = options+",twoside", "50mm"
	}
	fmt.Fprintf(&b, `\documentclass[%s]{article}
\usepackage[utf8]{inputenc}
\usepackage[top=26mm,bottom=24mm,left=%s,right=20mm,marginparwidth=30mm,headheight=14pt,headsep=8mm,footskip=10mm,columnsep=18pt]{geometry}
\usepackage{enumitem,fancyhdr,multicol,xcolor,eso-pic,graphicx,caption,booktabs,array}
\pagestyle{fancy}\fancyhf{}\renewcommand{\headrulewidth}{%s}
\captionsetup{font=small}\setcounter{secnumdepth}{0}
`, options, left, map[bool]string{true: "0.4pt", false: "0pt"}[p.sections%2 == 1])
	if !p.serif {
		b.WriteString("\\renewcommand{\\familydefault}{\\sfdefault}\n")
	}
	if p.lines {
		b.WriteString("\\usepackage{lineno}\n")
	}
	for _, r := range p.running {
		where, side, _ := strings.Cut(r.place, " ")
		s := texSpecial.Replace(r.text)
		switch {
		case where == "head" || where == "foot":
			fmt.Fprintf(&b, "\\fancy%s[%s]{\\small %s}\n", where, strings.ToUpper(side[:1]), s)
		case r.place == "watermark", r.place == "upright", r.place == "vertical":
			turn := map[string]string{"watermark": "150,250){\\rotatebox{45}{", "upright": "60,620){\\scalebox{2.6}{", "vertical": "300,250){\\rotatebox{90}{\\scalebox{2.6}"}[r.place]
			fmt.Fprintf(&b, "\\AddToShipoutPictureBG*{\\put(%s{\\fontsize{64}{64}\\selectfont\\textcolor{lightgray}{%s}}}}}\n", turn, s)
		case r.place == "side":
			fmt.Fprintf(&b, "\\AddToShipoutPictureBG*{\\put(575,120){\\rotatebox{90}{\\scriptsize %s}}}\n", s)
		default:
			fmt.Fprintf(&b, "\\AddToShipoutPictureBG*{\\put(16,250){\\rotatebox{90}{\\Large\\textcolor{gray}{%s}}}}\n", s)
		}
	}
	if p.genre == "textbook" {
		b.WriteString("\\reversemarginpar\n")
	}
	b.WriteString("\\begin{document}\n")
	if !p.justify {
		b.WriteString("\\raggedright\\setlength{\\parskip}{4pt plus 1pt}\n")
	}
	top := p.texBlocks(p.top)
	if p.columns == 2 && top != "" {
		fmt.Fprintf(&b, "\\twocolumn[{%s\\vspace{4mm}}]\n", top)
	} else {
		b.WriteString(top)
	}
	fmt.Fprintf(&b, "\\fontsize{%.1f}{%.1f}\\selectfont\n", p.size, 1.22*p.size)
	if p.lines {
		b.WriteString("\\linenumbers\n")
	}
	if p.columns > 2 {
		fmt.Fprintf(&b, "\\begin{multicols}{%d}\n%s\\end{multicols}\n", p.columns, p.texBlocks(p.body))
	} else {
		b.WriteString(p.texBlocks(p.body))
	}
	b.WriteString("\\end{document}\n")
	return b.String()
}

func (p *page) texBlocks(blocks []block) string {
	var b strings.Builder
	var open []string
	for i, bl := range blocks {
		depth := 0
		if bl.kind == item {
			depth = bl.depth
		}
		for len(open) > depth {
			b.WriteString("\\end{" + open[len(open)-1] + "}\n")
			open = open[:len(open)-1]
		}
		s := texSpecial.Replace(bl.text)
		switch bl.kind {
		case title:
			b.WriteString("\\begin{center}{\\LARGE\\bfseries " + s + "\\par}\\end{center}\n")
		case section:
			b.WriteString("\\section{" + s + "}\n")
		case subsection:
			b.WriteString("\\subsection{" + s + "}\n")
		case item:
			if len(open) < depth {
				env := map[bool]string{true: "itemize", false: "enumerate"}[bl.mark == "-"]
				open = append(open, env)
				b.WriteString("\\begin{" + env + "}")
				if env == "enumerate" && p.style.number != "" {
					b.WriteString(p.style.texList())
				}
				b.WriteString("\n")
			}
			b.WriteString("\\item " + s + "\n")
		case figure:
			b.WriteString("\\begin{center}\\begin{minipage}{\\linewidth}\\centering\\textcolor{teal}{\\rule{.8\\linewidth}{28mm}}\\\\[2mm]{\\small " + texSpecial.Replace(blocks[i+1].text) + "\\par}\\end{minipage}\\end{center}\n")
		case caption:
			if i == 0 || blocks[i-1].kind != figure {
				b.WriteString("\\begin{center}{\\small " + s + "}\\end{center}\\nopagebreak\n")
			}
		case table:
			b.WriteString(texTable(&bl))
		case formula:
			b.WriteString("\\[" + bl.math.tex + "\\]\n")
		case margin:
			b.WriteString("\\leavevmode\\marginpar{\\raggedright\\footnotesize " + s + "}\\ignorespaces ")
		case entry, blank, signature:
			b.WriteString(p.texPaper(&bl))
		case code:
			b.WriteString("\\begin{verbatim}\n" + strings.Join(bl.lines, "\n") + "\n\\end{verbatim}\n")
		default:
			if bl.note != "" {
				s += "\\footnote{" + texSpecial.Replace(bl.note) + "}"
			}
			if bl.small {
				s = "{\\centering\\itshape " + s + "\\par}"
			}
			b.WriteString(s + "\n\n")
		}
	}
	for i := len(open); i > 0; i-- {
		b.WriteString("\\end{" + open[i-1] + "}\n")
	}
	return b.String()
}

func texTable(b *block) string {
	var s strings.Builder
	bar, top, mid, bottom := "", "\\toprule\n", "\\midrule\n", "\\bottomrule\n"
	if b.ruled {
		bar, top, mid, bottom = "|", "\\hline\n", "\\hline\n", "\\hline\n"
	}
	s.WriteString("\\begin{center}\\begin{tabular}{" + bar + "l" + bar + strings.Repeat("r"+bar, len(b.rows[0])-1) + "}\n" + top)
	for i, row := range b.rows {
		s.WriteString(strings.Join(row, " & ") + " \\\\\n")
		if i == 0 || b.ruled && i < len(b.rows)-1 {
			s.WriteString(mid)
		}
	}
	s.WriteString(bottom + "\\end{tabular}\\end{center}\n")
	return s.String()
}
