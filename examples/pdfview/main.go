// SPDX-License-Identifier: Apache-2.0

// Pdfview draws what the reader of PDF files saw: each page with its blocks in
// reading order, coloured by what they are, as one HTML file of SVG drawings.
//
//	go run ./examples/pdfview report.pdf > report.html
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pdfview:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, status io.Writer) error {
	flags := flag.NewFlagSet("pdfview", flag.ContinueOnError)
	flags.SetOutput(status)
	password := flags.String("password", "", "of an encrypted file")
	hidden := flags.Bool("hidden", false, "show text that people cannot see, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one PDF file is needed")
	}
	f, err := os.Open(flags.Arg(0)) // #nosec G304 -- the user's own file
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: flags.Arg(0), Data: f, Size: info.Size()}, parse.Options{
		Kind: parse.PDF, Password: *password, PDF: parse.PDFOptions{KeepHidden: *hidden},
	})
	if err != nil {
		return err
	}
	return page.Execute(out, view(tree))
}

// sheet is one page as it is drawn.
type sheet struct {
	parse.Page
	Blocks []box
}

// box is one block.
type box struct {
	parse.Block
	Class, Text string
	W, H        float64
}

type document struct {
	Title    string
	Warnings []parse.Warning
	Sheets   []sheet
}

// view gathers what is drawn of tree.
func view(tree *parse.Tree) document {
	d := document{Title: tree.Meta.Title, Warnings: tree.Warnings}
	at := map[int]int{}
	for i, p := range tree.Pages {
		at[p.Number] = i
		d.Sheets = append(d.Sheets, sheet{Page: p})
	}
	for b := range tree.Blocks() {
		i, ok := at[b.Page]
		if !ok {
			continue
		}
		var text strings.Builder
		for n := range b.Node.Descendants() {
			if n.Type == html.TextNode {
				text.WriteString(n.Data + " ")
			}
		}
		d.Sheets[i].Blocks = append(d.Sheets[i].Blocks, box{
			Block: b, Class: b.Node.Data, Text: strings.Join(strings.Fields(text.String()), " "),
			W: b.Box.X1 - b.Box.X0, H: b.Box.Y1 - b.Box.Y0,
		})
	}
	return d
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<meta charset="utf-8"><title>{{.Title}}</title>
<style>
body { font: 14px sans-serif; background: #888 }
section { display: flex; gap: 1em; margin: 1em; background: #fff; padding: 1em }
svg { background: #fff; border: 1px solid #000; flex: none }
rect { fill: #0001; stroke: #666 } text { font-size: 9px; fill: #c00 }
.h1, .h2, .h3, .h4, .h5, .h6 { stroke: #c00; fill: #c003 } .table { stroke: #06c; fill: #06c2 }
.ul, .ol { stroke: #080; fill: #0802 } .header, .footer { stroke: #aaa; fill: #aaa4 } .pre { stroke: #909; fill: #9092 }
</style>
{{range .Warnings}}<p>{{.Code}}{{if .Page}}, page {{.Page}}{{end}}: {{.Text}}</p>
{{end}}{{range .Sheets}}<section>
<svg width="{{.Width}}" height="{{.Height}}" viewBox="0 0 {{.Width}} {{.Height}}">
{{range .Blocks}}{{if .W}}<rect class="{{.Class}}" x="{{.Box.X0}}" y="{{.Box.Y0}}" width="{{.W}}" height="{{.H}}"><title>{{.Text}}</title></rect><text x="{{.Box.X0}}" y="{{.Box.Y0}}">{{.Order}} {{.Class}}</text>
{{end}}{{end}}</svg>
<ol start="0"><b>Page {{.Number}}: {{.Status}}</b>
{{range .Blocks}}<li><b>{{.Class}}</b> {{.Text}}</li>
{{end}}</ol></section>
{{end}}`))
