// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/base64"
)

// rawHTML makes the rawHtml form.
func (b *builder) rawHTML(context.Context) error {
	b.doc.RawHTML = &b.in.Raw
	return nil
}

// rawBase64 makes the rawBase64 form.
func (b *builder) rawBase64(context.Context) error {
	b.doc.RawBase64 = new(base64.StdEncoding.EncodeToString(b.in.Body))
	return nil
}
