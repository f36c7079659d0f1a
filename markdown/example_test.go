// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/markdown"
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
