// SPDX-License-Identifier: Apache-2.0

// Package dom turns HTML bytes into a tree: HTML -> *html.Node. Nobody else
// calls html.Parse.
package dom

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// Document is one HTML document, read once and not changed afterwards.
type Document struct {
	Root     *html.Node // document node
	Text     string     // the decoded body, as UTF-8
	Charset  string     // WHATWG name of the encoding that was used
	Warnings []string   // what had to be given up: truncated, flattened
}

// Decode returns body as UTF-8 text, and the WHATWG name of its encoding
// (html.md 2.1). contentType is the declared media type, or empty.
func Decode(body []byte, contentType string) (text, name string) {
	e, name, _ := charset.DetermineEncoding(body, contentType)
	b, _ := e.NewDecoder().Bytes(body)
	return strings.ToValidUTF8(string(b), "\uFFFD"), name
}

// Parse decodes and parses body. It never fails on any bytes; its error is ctx's.
func Parse(ctx context.Context, body []byte, contentType string) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, name := Decode(body, contentType)
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		root = &html.Node{Type: html.DocumentNode}
	}
	return &Document{Root: root, Text: text, Charset: name}, nil
}
