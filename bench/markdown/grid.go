// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// columns returns the words of each column of the first table in source, or nil.
// A cell that spans several slots has its words in the first one. The result is the
// same if rows of the head are joined or empty rows are removed.
func columns(source string) [][]string {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil
	}
	var table *html.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.Table && n.Type == html.ElementNode {
			table = n
			break
		}
	}
	if table == nil {
		return nil
	}
	var cols [][]string
	above := map[int]int{} // by column, how many more rows a cell above covers
	for _, tr := range rowsOf(table, nil) {
		at := 0
		put := func(words []string) {
			for len(cols) <= at {
				cols = append(cols, nil)
			}
			cols[at] = append(cols[at], words...)
			at++
		}
		reach := func() {
			for above[at] > 0 {
				above[at]--
				put(nil)
			}
		}
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			reach()
			words := wordsOf(c)
			down := span(c, "rowspan")
			for range span(c, "colspan") {
				above[at] = down - 1
				put(words)
				words = nil
			}
		}
		reach()
	}
	for len(cols) > 0 && len(cols[len(cols)-1]) == 0 {
		cols = cols[:len(cols)-1]
	}
	return cols
}

func span(n *html.Node, key string) int {
	for _, a := range n.Attr {
		if v, err := strconv.Atoi(strings.TrimSpace(a.Val)); a.Key == key && err == nil && v > 0 {
			return min(v, 1000)
		}
	}
	return 1
}

// rowsOf appends the rows of a table to list, without those of nested tables.
func rowsOf(n *html.Node, list []*html.Node) []*html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			list = append(list, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			list = rowsOf(c, list)
		}
	}
	return list
}

func wordsOf(n *html.Node) []string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sameGrid reports whether a Markdown table has the columns of the HTML table
// that it was rendered from.
func sameGrid(source, markdown string) (bool, error) {
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe())).Convert([]byte(markdown), &b); err != nil {
		return false, err
	}
	return slices.EqualFunc(columns(source), columns(b.String()), func(a, b []string) bool {
		return strings.Join(a, "") == strings.Join(b, "") // emphasis and line breaks may separate words at other places
	}), nil
}
