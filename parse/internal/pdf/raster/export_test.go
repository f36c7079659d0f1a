// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"context"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

// Spent returns how many pixels an image counts towards the limit of a page,
// with all of its resolutions. It returns -1 if the image cannot be decoded.
func Spent(ctx context.Context, im content.Image) int {
	d := decoder{ctx: ctx, file: object.Loose(ctx), room: maxDecoded}
	if _, err := d.layer(im, 100); err != nil {
		return -1
	}
	return maxDecoded - d.room
}
