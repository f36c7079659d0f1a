// SPDX-License-Identifier: Apache-2.0

package formattest

import (
	"context"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
)

// MainContent returns the nodes below root that are the main content of the page at
// address. A benchmark compares them with the truth, node by node. It does not change the
// tree. The error is the cause of ctx.
func MainContent(ctx context.Context, root *html.Node, address string) (map[*html.Node]bool, error) {
	ix, err := content.Read(ctx, root)
	if err != nil {
		return nil, err
	}
	m, err := ix.Main(ctx, ix.NewSet(), address)
	if err != nil {
		return nil, err
	}
	shown := make(map[*html.Node]bool)
	for id := int32(0); id < ix.Len(); {
		if m.Drop.Has(id) {
			id = ix.End[id]
			continue
		}
		shown[ix.Nodes[id]] = true
		id++
	}
	return shown, nil
}
