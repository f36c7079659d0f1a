// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

func Example() {
	const text = "name;born\nAda;1815\nGrace;1906\n"
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Bytes("people.csv", []byte(text)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Kind)
	_ = html.Render(os.Stdout, tree.Root)
	// Output:
	// csv
	// <html data-kind="csv"><head></head><body><table data-table="sheet"><thead><tr><th>name</th><th>born</th></tr></thead><tbody><tr><td>Ada</td><td>1815</td></tr><tr><td>Grace</td><td>1906</td></tr></tbody></table></body></html>
}

func ExampleDetect() {
	const text = "<!doctype html><p>No picture at all."
	d := parse.Detect(parse.Bytes("cat.png", []byte(text)))
	fmt.Printf("%s, not %s: %s\n", d.Kind, d.Declared, d.Evidence)
	// Output: html, not image: begins as HTML
}

func ExampleError() {
	src := parse.Source{Name: "upload.png", ContentType: "image/png", Data: strings.NewReader("not-an-image")}
	var e parse.Engine
	_, err := e.Parse(context.Background(), src, nil)
	fmt.Println(errors.Is(err, parse.ErrUnsupported))
	fmt.Println(err)
	// Output:
	// true
	// parse upload.png: kind of document is not supported: no known signature, not text
}

// A Reader adds a kind that the engine does not know. This one reads Jupyter
// notebooks, which are JSON. It writes the cells as Markdown and passes that
// to another engine.
func ExampleReader() {
	notebooks := parse.Reader{
		Kind:       "ipynb",
		Extensions: []string{".ipynb"},
		Read: func(ctx context.Context, src parse.Source) (*parse.Tree, error) {
			var book struct {
				Cells []struct {
					Type   string   `json:"cell_type"`
					Source []string `json:"source"`
				} `json:"cells"`
			}
			if err := json.NewDecoder(src.Reader()).Decode(&book); err != nil {
				return nil, fmt.Errorf("%w: %w", parse.ErrCorrupt, err)
			}
			var text strings.Builder
			for _, cell := range book.Cells {
				lines := strings.Join(cell.Source, "")
				if cell.Type == "code" {
					lines = "    " + strings.ReplaceAll(lines, "\n", "\n    ")
				}
				text.WriteString(lines + "\n\n")
			}
			var e parse.Engine
			return e.Parse(ctx, parse.Bytes(src.Name, []byte(text.String())), &parse.Options{Kind: parse.Markdown})
		},
	}

	const notebook = `{"cells": [
		{"cell_type": "markdown", "source": ["# Birds"]},
		{"cell_type": "code", "source": ["print(\"wren\")"]}
	]}`
	e := parse.Engine{Readers: []parse.Reader{notebooks}}
	tree, err := e.Parse(context.Background(), parse.Bytes("birds.ipynb", []byte(notebook)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Kind)
	if err := markdown.Render(context.Background(), os.Stdout, tree.Root, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ipynb
	// # Birds
	//
	// ```
	// print("wren")
	// ```
}
