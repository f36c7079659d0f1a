// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// latex typesets documents with pdfTeX. Its columns are as wide as their texts, and
// tables without vertical lines have the rules of the package booktabs, which leave
// more space than lines of other programs.
func latex(ctx context.Context, dir string, docs []*sample) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, d := range docs {
		path := filepath.Join(dir, d.name+".tex")
		if err := os.WriteFile(path, []byte(d.tex()), 0o600); err != nil {
			return err
		}
		runs := 1
		if d.breaks() {
			runs = 3 // longtable needs the widths of the columns on all pages
		}
		for range runs {
			cmd := exec.CommandContext(ctx, "pdflatex", "-interaction=batchmode", "-halt-on-error", "-output-directory", dir, path) // #nosec G204 -- a program of the list of printers
			if said, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("pdflatex %s: %w: %s", d.name, err, said[max(0, len(said)-300):])
			}
		}
	}
	return nil
}

// breaks reports whether the table may continue on further pages. 14 rows of wrapped
// texts are often longer than a page, and pdfTeX drops what does not fit.
func (d *sample) breaks() bool {
	return len(d.body) > 20 || len(d.body) > 10 && !d.style.is("wrap", "none")
}

// tex returns the document as LaTeX.
func (d *sample) tex() string {
	var b strings.Builder
	v, h := d.padding()
	size, _ := strconv.ParseFloat(d.style["size"], 64) // one of the levels
	fmt.Fprintf(&b, `\documentclass[10pt,a4paper]{article}
\usepackage[margin=20mm]{geometry}
\usepackage{array,longtable,booktabs,xcolor,colortbl}
\pagestyle{empty}\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}
\setlength{\tabcolsep}{%.1fpt}\renewcommand{\arraystretch}{%.2f}\setlength{\LTleft}{0pt}\setlength{\LTright}{\fill}
\begin{document}\hyphenpenalty=10000
\section*{Report on %s}
%s

`, h, 1+2*v/(1.2*size), d.name, d.before)
	if d.style["caption"] == "above" {
		b.WriteString("\\textit{" + caption + "}\n\n")
	}
	kind := "tabular"
	if d.breaks() {
		kind = "longtable"
	}
	fmt.Fprintf(&b, "{\\fontsize{%s}{%.1f}\\selectfont\n\\begin{%s}{%s}\n", d.style["size"], 1.2*size, kind, d.texColumns())
	for i := range len(d.head) + len(d.body) {
		b.WriteString(d.texRow(i))
		if i == len(d.head)-1 && d.breaks() {
			b.WriteString("\\endhead\n")
		}
	}
	b.WriteString("\\end{" + kind + "}\n\n}")
	if d.style["caption"] == "below" {
		b.WriteString("\\textit{" + caption + "}\n\n")
	}
	b.WriteString(d.after + "\n\\end{document}\n")
	return b.String()
}

// walls reports whether the table has vertical lines.
func (d *sample) walls() bool {
	return d.style.is("frame", "box") || d.style.is("rules", "grid", "stub")
}

// texColumns returns the columns of the table, with the vertical lines between them.
func (d *sample) texColumns() string {
	var b strings.Builder
	wide := -1 // the column whose texts wrap
	switch d.style["wrap"] {
	case "text":
		wide = min(1, len(d.shares)-1)
	case "label":
		wide = 0
	}
	for j := range d.shares {
		if d.style.is("frame", "box") && j == 0 || d.style.is("rules", "grid") && j > 0 || d.style.is("rules", "stub") && j == 1 {
			b.WriteByte('|')
		}
		switch {
		case j == wide:
			width := map[int]float64{1: .6, 2: .5, 4: .35, 7: .22}[len(d.shares)]
			if wide == 0 && len(d.shares) > 1 {
				width = .16
			}
			kind := map[string]string{"top": "p", "middle": "m"}[d.stand()]
			fmt.Fprintf(&b, `>{\raggedright\arraybackslash}%s{%.2f\linewidth}`, kind, width)
		case slices.ContainsFunc(d.body, func(row []cell) bool { return row[j].right }):
			b.WriteByte('r')
		default:
			b.WriteByte('l')
		}
	}
	if d.style.is("frame", "box") {
		b.WriteByte('|')
	}
	return b.String()
}

// texRow returns row i, counted from the first row of the header, with the lines
// above and below it.
func (d *sample) texRow(i int) string {
	var b strings.Builder
	rows, n := len(d.head)+len(d.body), len(d.shares)
	if i == 0 && d.lookOf(0, 0).top {
		b.WriteString(d.texLine("\\toprule"))
	}
	var cells []string
	fill := ""
	for j := 0; j < n; j++ {
		c, l := d.at(i, j), d.lookOf(i, j)
		if l.fill != "" {
			fill = "\\rowcolor[HTML]{" + strings.ToUpper(l.fill[1:]) + "}"
		}
		text := strings.ReplaceAll(c.text, "%", "\\%")
		if c.note != "" {
			text += "\\textsuperscript{" + c.note + "}"
		}
		if l.bold && text != "" {
			text = "\\textbf{" + text + "}"
		}
		if c.covered && j == 0 {
			text = d.texLabel(i)
		} else if c.rows > 1 && d.stand() == "middle" {
			text = ""
		}
		if c.cols > 1 {
			cells = append(cells, fmt.Sprintf("\\multicolumn{%d}{%s}{%s}", c.cols, d.texSpan(j, c.cols), text))
			j += c.cols - 1
			continue
		}
		cells = append(cells, text)
	}
	b.WriteString(fill + strings.Join(cells, " & ") + " \\\\\n")
	switch full, from, to := d.texBelow(i); {
	case full && i == rows-1:
		b.WriteString(d.texLine("\\bottomrule"))
	case full:
		b.WriteString(d.texLine("\\midrule"))
	case from > 0 && d.walls():
		fmt.Fprintf(&b, "\\cline{%d-%d}\n", from, to)
	case from > 0:
		k := from + (n-1)/2 // the headings of the upper row span the columns up to k and from there on
		fmt.Fprintf(&b, "\\cmidrule(lr){%d-%d}\\cmidrule(lr){%d-%d}\n", from, k-1, k, to)
	}
	return b.String()
}

// texLine returns a horizontal line: that of booktabs, or a plain one if the table has
// vertical lines, which booktabs would interrupt.
func (d *sample) texLine(line string) string {
	if d.walls() {
		line = "\\hline"
	}
	return line + "\n"
}

// texSpan returns the alignment of a centred cell over several columns from j, with its
// vertical lines.
func (d *sample) texSpan(j, columns int) string {
	s := "c"
	if j == 0 && d.style.is("frame", "box") {
		s = "|" + s
	}
	if end := j + columns; end == len(d.shares) && d.style.is("frame", "box") || end < len(d.shares) && d.style.is("rules", "grid") {
		s += "|"
	}
	return s
}

// texLabel returns what stands in the first column of row i, which a label of several
// rows covers: the label if the row is the middle of them. LaTeX itself has no cells of
// several rows.
func (d *sample) texLabel(i int) string {
	if d.style.is("stand", "top") {
		return "" // it stands in its first row
	}
	first := i
	for d.at(first, 0).covered {
		first--
	}
	c := d.at(first, 0)
	text := c.text
	if d.lookOf(first, 0).bold {
		text = "\\textbf{" + text + "}"
	}
	switch {
	case c.rows == 3 && i == first+1:
		return text
	case c.rows == 2 && i == first+1:
		return "\\smash{\\raisebox{.6\\normalbaselineskip}{" + text + "}}"
	}
	return ""
}

// texBelow returns the line below row i: one over all columns, or one over the columns
// from and to, counted from 1, or none.
func (d *sample) texBelow(i int) (full bool, from, to int) {
	lines := 0
	for j := range d.shares {
		at := i // the row of the cell that ends here
		for d.at(at, j).covered && at > 0 && j == 0 {
			at--
		}
		c := d.at(at, j)
		if c.covered || at+max(1, c.rows)-1 != i || !d.lookOf(at, j).bottom {
			continue
		}
		lines += max(1, c.cols)
		if from == 0 {
			from = j + 1
		}
		to = j + max(1, c.cols)
	}
	return lines == len(d.shares), from, to
}
