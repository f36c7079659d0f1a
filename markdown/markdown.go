// SPDX-License-Identifier: Apache-2.0

// Package markdown writes trees as text: tree -> Markdown.
package markdown

import (
	"io"

	"golang.org/x/net/html"
)

// Options say how. The zero value is the wire's Markdown.
type Options struct {
	Base string // absolute URL that relative references are resolved against; empty leaves them
}

// Render writes n as Markdown. It may rearrange n: pass a tree you own.
func Render(w io.Writer, n *html.Node, o *Options) error { panic("skeleton") }
