// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// rawHTML makes the rawHtml form.
func (b *builder) rawHTML(context.Context) error {
	b.doc.RawHTML = &b.in.Raw
	if b.in.Raw != "" || b.in.Root == nil || !b.in.NotWeb {
		return nil
	}
	// Of what is no text the tree is the source.
	var s strings.Builder
	if err := html.Render(&s, b.in.Root); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	b.doc.RawHTML = new(s.String())
	return nil
}

// rawBase64 makes the rawBase64 form.
func (b *builder) rawBase64(context.Context) error {
	b.doc.RawBase64 = new(base64.StdEncoding.EncodeToString(b.in.Body))
	return nil
}
