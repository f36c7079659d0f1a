// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/markdown"
)

// TestRenderEnds checks that Render writes nothing and returns the cause if its
// context is cancelled.
func TestRenderEnds(t *testing.T) {
	root, err := html.Parse(strings.NewReader(strings.Repeat("<p>a <b>b</b>", 5000)))
	if err != nil {
		t.Fatal(err)
	}
	errOver := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errOver)
	var b strings.Builder
	if err := markdown.Render(ctx, &b, root, nil); !errors.Is(err, errOver) || b.Len() > 0 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}
