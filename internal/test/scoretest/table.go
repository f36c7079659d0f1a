// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

var (
	tables = regexp.MustCompile(`(?is)<table[^>]*>.*?</table>`)
	tags   = regexp.MustCompile(`(?is)<(/?)(table|tr|td|th|thead|tbody)\b([^>]*)>`)
	spans  = regexp.MustCompile(`(?i)(colspan|rowspan)\s*=\s*["']?(\d+)`)
	breaks = regexp.MustCompile(`(?i)<br\s*/?>`)
)

// Tables returns the cells of each table of a text by rows. Slots that a cell
// covers to its right and below it are empty, so that a cell has the same column
// however the table is written.
func Tables(text string) [][][]string {
	var all [][][]string
	for _, table := range tables.FindAllString(tablesAsHTML(text), -1) {
		for _, t := range tableTree([]string{table}).kids {
			all = append(all, t.grid())
		}
	}
	return all
}

// grid returns the cells of a table.
func (n *node) grid() [][]string {
	var rows [][]string
	var busy []int // for each column, how many rows from the present one on a cell above covers
	for _, tr := range n.kids {
		var row []string
		covered := func() bool { return len(row) < len(busy) && busy[len(row)] > 0 }
		put := func(text string, rows int) {
			if len(row) == len(busy) {
				busy = append(busy, 0)
			}
			busy[len(row)] = max(busy[len(row)], rows)
			row = append(row, text)
		}
		for _, td := range tr.kids {
			for covered() {
				row = append(row, "")
			}
			put(td.text, td.high)
			for range min(max(td.wide-1, 0), maxWide) {
				put("", td.high)
			}
		}
		for covered() {
			row = append(row, "")
		}
		for j := range busy {
			busy[j] = max(busy[j]-1, 0)
		}
		rows = append(rows, row)
	}
	return rows
}

// maxWide bounds the columns that a cell covers.
const maxWide = 100

// tablesAsHTML converts the pipe tables of a text to HTML, each on one line. A
// table starts with a line that contains a bar, followed by a line of
// separators.
func tablesAsHTML(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if i+1 >= len(lines) || !strings.Contains(lines[i], "|") || !separates(lines[i+1]) {
			out = append(out, lines[i])
			continue
		}
		rows := [][]string{cells(lines[i])}
		width := max(len(rows[0]), len(cells(lines[i+1])))
		for i += 2; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
			rows = append(rows, cells(lines[i]))
		}
		i--
		if strings.Join(rows[0], "") == "" && len(rows) > 1 {
			rows = rows[1:]
		}
		var b strings.Builder
		b.WriteString("<table>")
		for _, row := range rows {
			b.WriteString("<tr>")
			for _, c := range fitted(row, width) {
				b.WriteString("<td>" + html.EscapeString(c) + "</td>")
			}
			b.WriteString("</tr>")
		}
		out = append(out, b.String()+"</table>")
	}
	return strings.Join(out, "\n")
}

// fitted returns row with width cells. If a row of three cells is too short, its
// second cell is repeated.
func fitted(row []string, width int) []string {
	if len(row) == 3 && width > 3 {
		out := []string{row[0]}
		for range width - 2 {
			out = append(out, row[1])
		}
		return append(out, row[2])
	}
	for len(row) < width {
		row = append(row, "")
	}
	return row[:width]
}

func cells(line string) []string {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if parts[0] == "" {
		parts = parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1] == "" {
		parts = parts[:n-1]
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func separates(line string) bool {
	row := cells(line)
	if !strings.Contains(line, "|") || len(row) == 0 {
		return false
	}
	for _, c := range row {
		if c == "" || strings.Trim(c, "-:") != "" {
			return false
		}
	}
	return true
}

// tableTree returns a tree with all tables below one node.
func tableTree(all []string) *node {
	outer := &node{kind: "table"}
	for _, text := range all {
		stack := []*node{outer}
		at := 0
		for _, m := range tags.FindAllStringSubmatchIndex(text, -1) {
			closing, tag := text[m[2]:m[3]] == "/", strings.ToLower(text[m[4]:m[5]])
			if top := stack[len(stack)-1]; top.leaf {
				top.text += text[at:m[0]]
			}
			at = m[1]
			if tag == "thead" || tag == "tbody" {
				continue
			}
			if tag == "th" {
				tag = "td"
			}
			if closing {
				for i := len(stack) - 1; i > 0; i-- {
					if strings.HasPrefix(stack[i].kind, tag) {
						stack = stack[:i]
						break
					}
				}
				continue
			}
			n := &node{kind: tag, leaf: tag == "td"}
			for _, s := range spans.FindAllStringSubmatch(text[m[6]:m[7]], -1) {
				v, err := strconv.Atoi(s[2])
				if err != nil || v == 1 {
					continue
				}
				n.kind += fmt.Sprint(" ", strings.ToLower(s[1]), v)
				if strings.EqualFold(s[1], "colspan") {
					n.wide = v
				} else {
					n.high = v
				}
			}
			top := stack[len(stack)-1]
			top.kids = append(top.kids, n)
			stack = append(stack, n)
		}
	}
	outer.tidy()
	return outer
}

// tidy normalizes the texts of a tree to what is visible.
func (n *node) tidy() {
	n.text = folded(html.UnescapeString(breaks.ReplaceAllString(n.text, "\n")))
	for _, k := range n.kids {
		k.tidy()
	}
}
