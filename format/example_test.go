// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

const examplePage = `<title>Curlew</title><meta name="description" content="A wader">
<nav><a href="/">Home</a></nav>
<main><h1>Curlew</h1><p>It has a <a href="/bill">long bill</a>, bent down, and calls its own name over the moor.</p></main>`

func ExampleBuild() {
	page, err := dom.Parse(context.Background(), []byte(examplePage), "text/html")
	if err != nil {
		fmt.Println(err)
		return
	}
	doc, err := format.Build(context.Background(), &format.Input{
		Root: page.Root,
		URL:  "https://birds.example/curlew",
	}, &format.Options{Forms: []format.Form{format.Markdown, format.Links}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "markdown": "# Curlew\n\nIt has a [long bill](https://birds.example/bill), bent down, and calls its own name over the moor.\n",
	//   "links": [
	//     "https://birds.example/bill"
	//   ],
	//   "metadata": {
	//     "title": "Curlew",
	//     "description": "A wader",
	//     "url": "https://birds.example/curlew"
	//   }
	// }
}

func ExampleParseSelector() {
	_, err := format.ParseSelector("p >")
	fmt.Println(err)
	// Output: format selector "p >": invalid selector: expected selector, found EOF instead
}
