// SPDX-License-Identifier: Apache-2.0

package format

import "context"

// Branding is what a page looks like.
type Branding struct{}

func (b *builder) branding(context.Context) error { return nil }
