// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

func Example() {
	const text = "name;born\nAda;1815\nGrace;1906\n"
	src := parse.Source{Name: "people.csv", Data: strings.NewReader(text), Size: int64(len(text))}

	var e parse.Engine
	tree, err := e.Parse(context.Background(), src, parse.Options{})
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
	d := parse.Detect(parse.Source{Name: "cat.png", Data: strings.NewReader(text), Size: int64(len(text))})
	fmt.Printf("%s, not %s: %s\n", d.Kind, d.Declared, d.Evidence)
	// Output: html, not image: begins as HTML
}

func ExampleError() {
	src := parse.Source{Name: "upload.png", ContentType: "image/png", Data: strings.NewReader("not-an-image"), Size: 12}
	var e parse.Engine
	_, err := e.Parse(context.Background(), src, parse.Options{})
	fmt.Println(errors.Is(err, parse.ErrUnsupported))
	fmt.Println(err)
	// Output:
	// true
	// parse upload.png: kind of document is not supported: no known signature, not text
}
