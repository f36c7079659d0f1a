// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"example.com/curlew/internal/doctree"
)

// rawHTML makes the rawHtml form.
func (b *builder) rawHTML(context.Context) error {
	b.doc.RawHTML = new("")
	raw := b.in.Raw
	if raw == "" && b.in.Root != nil && b.in.NotWeb {
		// Of what is no text the tree is the source.
		var s strings.Builder
		if err := doctree.Render(&s, b.in.Root); err != nil {
			return fmt.Errorf("render: %w", err)
		}
		raw = s.String()
	}
	s, err := b.maskedRaw(raw)
	b.doc.RawHTML = &s
	return err
}

// rawBase64 makes the rawBase64 form.
func (b *builder) rawBase64(context.Context) error {
	b.doc.RawBase64 = new("")
	if b.redactor != nil {
		b.warn("The rawBase64 is empty: personal data cannot be looked for in it.")
		return nil
	}
	b.doc.RawBase64 = new(base64.StdEncoding.EncodeToString(b.in.Body))
	return nil
}
