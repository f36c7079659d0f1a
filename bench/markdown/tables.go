// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// readPage returns a page of the WCXB development set.
func readPage(corpora, id string) ([]byte, error) {
	return readFile(filepath.Join(corpora, "wcxb-dev", "html", id+".html.gz"))
}

// readFile returns the uncompressed content of a file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		return io.ReadAll(f)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// tree parses body like the library.
func tree(ctx context.Context, body []byte) (*html.Node, error) {
	d, err := dom.Parse(ctx, body, "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	return d.Root, nil
}

// tables prints how many data tables of the corpora become tables and keep
// their cells. A data table is not nested, not for presentation, has at least
// two rows and two columns in the first row, and has a th or three rows.
func tables(ctx context.Context, corpora string) error {
	for _, dir := range []string{"wcxb-dev", "office-dev"} {
		files, err := filepath.Glob(filepath.Join(corpora, dir, "html", "*.html*"))
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".md") })
		all, stay, same := 0, 0, 0
		for _, file := range files {
			body, err := readFile(file)
			if err != nil {
				return err
			}
			root, err := tree(ctx, body)
			if err != nil {
				return err
			}
			for _, t := range dataTables(root) {
				doc, err := format.Build(ctx, &format.Input{Root: alone(t), NotWeb: true}, &format.Options{Forms: []format.Form{format.Markdown, format.HTML}})
				if err != nil {
					return err
				}
				all++
				if !isTable(*doc.Markdown) {
					continue
				}
				stay++
				kept, err := sameGrid(*doc.HTML, *doc.Markdown)
				if err != nil {
					return err
				}
				if kept {
					same++
				} else if *verbose {
					fmt.Printf("%s: the cells of a table differ\n%.500s\n", filepath.Base(file), *doc.Markdown)
				}
			}
		}
		fmt.Printf("%s: %d tables of data on %d pages: %d stay tables (%.2f %%), %d of them with the grid of cells that the page shows (%.2f %%)\n",
			dir, all, len(files), stay, percent(stay, all), same, percent(same, stay))
	}
	return nil
}

// isTable reports whether the Markdown has a table. A table with spans that a table
// of Markdown cannot show is written as HTML.
func isTable(markdown string) bool {
	return slices.ContainsFunc([]string{"| --- ", "| :--", "--: |", "<table>"}, func(mark string) bool { return strings.Contains(markdown, mark) })
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }

// alone returns a document that contains only t. It does not move t.
func alone(t *html.Node) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	root.AppendChild(clone(t))
	return root
}

func clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.AppendChild(clone(k))
	}
	return c
}

// dataTables returns the data tables below n.
func dataTables(n *html.Node) []*html.Node {
	if n.DataAtom == atom.Table && n.Type == html.ElementNode {
		if isData(n) {
			return []*html.Node{n}
		}
		return nil
	}
	var list []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		list = append(list, dataTables(c)...)
	}
	return list
}

func isData(t *html.Node) bool {
	for _, a := range t.Attr {
		if a.Key == "role" && (a.Val == "presentation" || a.Val == "none") {
			return false
		}
	}
	rows, first, heads := 0, 0, 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch c.DataAtom {
			case atom.Table:
			case atom.Tr:
				rows++
				walk(c)
			case atom.Td, atom.Th:
				if rows <= 1 {
					first++
				}
				if c.DataAtom == atom.Th {
					heads++
				}
			default:
				walk(c)
			}
		}
	}
	walk(t)
	return rows >= 2 && first >= 2 && (heads > 0 || rows >= 3)
}
