// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"strings"

	"example.com/curlew/format"
)

// A section shows one format.
type section struct {
	Name, Text string
	Colors     []swatch // for branding
}

type swatch struct{ Name, Hex string }

// page builds the web page.
func (s *show) page(ctx context.Context) ([]byte, error) {
	docs, err := s.documents(ctx)
	if err != nil {
		return nil, err
	}
	doc := docs[0]
	data := struct {
		Title, URL, Warning string
		Sections            []section
	}{doc.Metadata.Title, doc.Metadata.URL, doc.Warning, sections(doc, docs[1], docs[2])}
	var b bytes.Buffer
	err = look.Execute(&b, data)
	return b.Bytes(), err
}

// sections returns a section for each field that doc has, for the Markdown of
// private, and for the bytes of raw.
func sections(doc, private, raw *format.Document) []section {
	var all []section
	add := func(name, text string) {
		if text != "" && text != "null" {
			all = append(all, section{Name: name, Text: text})
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	add("markdown", text(doc.Markdown))
	add("redactPII", text(private.Markdown))
	add("html", text(doc.HTML))
	add("rawHtml", text(doc.RawHTML))
	add("rawBase64", text(raw.RawBase64))
	add("links", strings.Join(doc.Links, "\n"))
	add("images", strings.Join(doc.Images, "\n"))
	add("attributes", indented(doc.Attributes))
	add("metadata", indented(doc.Metadata))
	add("summary", text(doc.Summary))
	add("highlights", text(doc.Highlights))
	add("answer", text(doc.Answer))
	add("json", indented(doc.JSON))
	add("product", indented(doc.Product))
	add("menu", indented(doc.Menu))
	add("branding", indented(doc.Branding))
	if b := doc.Branding; b != nil {
		c := b.Colors
		for _, one := range []swatch{
			{"primary", c.Primary},
			{"secondary", c.Secondary},
			{"accent", c.Accent},
			{"background", c.Background},
			{"text", c.TextPrimary},
			{"link", c.Link},
			{"error", c.Error},
		} {
			if one.Hex != "" {
				last := &all[len(all)-1]
				last.Colors = append(last.Colors, one)
			}
		}
	}
	add("audio", doc.Audio)
	add("video", doc.Video)
	add("changeTracking", indented(doc.ChangeTracking))
	return all
}

// indented returns v as indented JSON, or "" if there is none.
func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// look is the template of the web page. It has no script and loads nothing.
var look = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}} in every format</title>
<style>
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: #1d2329; background: #f4f5f2; }
header { padding: 20px 28px; background: #14342b; color: #eef5f1; }
header h1 { margin: 0 0 4px; font-size: 22px; }
header a { color: #8fe0c0; }
nav { position: sticky; top: 0; padding: 10px 28px; background: #fff; border-bottom: 1px solid #dde; }
nav a { margin-right: 14px; color: #0a7d5a; text-decoration: none; white-space: nowrap; }
main { padding: 20px 28px; max-width: 1100px; }
section { margin: 0 0 22px; background: #fff; border: 1px solid #dde; border-radius: 6px; }
h2 { margin: 0; padding: 10px 16px; font-size: 16px; border-bottom: 1px solid #eee; }
pre { margin: 0; padding: 14px 16px; max-height: 420px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
.warning { padding: 10px 16px; background: #fff6df; border: 1px solid #ecd9a0; border-radius: 6px; margin-bottom: 22px; }
.swatch { display: inline-block; margin: 12px 0 0 16px; text-align: center; font-size: 12px; }
.swatch i { display: block; width: 64px; height: 36px; border: 1px solid #ccd; border-radius: 4px; }
</style>
<header><h1>{{.Title}}</h1>{{.URL}} · <a href="/">ask again</a></header>
<nav>{{range .Sections}}<a href="#{{.Name}}">{{.Name}}</a> {{end}}</nav>
<main>
{{with .Warning}}<p class="warning">{{.}}</p>{{end}}
{{range .Sections}}<section id="{{.Name}}"><h2>{{.Name}}</h2>
{{range .Colors}}<span class="swatch"><i style="background:{{.Hex}}"></i>{{.Name}}<br>{{.Hex}}</span>{{end}}
<pre>{{.Text}}</pre></section>
{{end}}</main>
</html>
`))
