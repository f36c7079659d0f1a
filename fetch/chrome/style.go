// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	_ "embed"

	"example.com/curlew/fetch/render"
)

// styleScript is the JavaScript expression of style.js.
//
//go:embed style.js
var styleScript string

// maxStyles limits how many elements the styles of a page have. The expression returns 14.
const maxStyles = 20

// styles sets the computed styles of the page. If they cannot be read, it warns.
func (v *view) styles(ctx context.Context) error {
	list, err := evaluate[[]render.Style](ctx, v, styleScript, callTimeout)
	if err != nil && (isLost(err) || context.Cause(ctx) != nil) {
		return err
	}
	if err != nil {
		v.warn("the computed styles could not be read")
	}
	list = list[:min(len(list), maxStyles)] // a page can change what the expression returns
	for i := range list {
		for name, value := range list[i].Properties {
			if len(name)+len(value) > maxMessage {
				delete(list[i].Properties, name)
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page.Styles = list
	return nil
}
