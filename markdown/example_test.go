// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

func ExampleRender() {
	const page = `<h1>Birds</h1>
<p>The <a href="/curlew">curlew</a> has a <em>long</em> bill*.</p>
<table><tr><th>Bird</th><th>cm</th></tr><tr><td>curlew</td><td>55</td></tr></table>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		fmt.Println(err)
		return
	}
	o := markdown.Options{Base: "https://birds.example/"}
	if err := markdown.Render(context.Background(), os.Stdout, root, &o); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # Birds
	//
	// The [curlew](https://birds.example/curlew) has a *long* bill*.
	//
	// | Bird | cm |
	// | --- | --- |
	// | curlew | 55 |
}

// A document is converted in two steps. Its tree can be shared with other
// readers.
func ExampleRender_document() {
	const letter = `{\rtf1{\header Society of Waders}{\footer page 1}` +
		`{\b Survey}\par We have seen {\i numenius arquata}: 3 * 2 of them.\par}`
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Bytes("letter.rtf", []byte(letter)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range tree.Warnings {
		fmt.Println("lost:", w.Text)
	}
	o := markdown.Options{SkipRunning: true} // neither header nor footer
	if err := markdown.Render(context.Background(), os.Stdout, tree.Root, &o); err != nil {
		fmt.Println(err)
	}
	fmt.Println("---")
	if err := tree.WriteHTML(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// **Survey**
	//
	// We have seen *numenius arquata*: 3 * 2 of them.
	// ---
	// <html data-kind="rtf"><head></head><body><header data-role="running"><p>Society of Waders</p></header><p><strong>Survey</strong></p><p>We have seen <em>numenius arquata</em>: 3 * 2 of them.</p><footer data-role="running"><p>page 1</p></footer></body></html>
}
