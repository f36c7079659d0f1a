// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"testing"

	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestShortPage checks that a page too short for the model keeps its heading, although this is in a header before the
// content.
func TestShortPage(t *testing.T) {
	ix := parse(t, "<title>The harbour - Site</title><body><header class=page-header><h1>The harbour</h1></header><main>"+prose+"</main>").ix
	m := ix.MustMain(ix.NewSet(), "https://a.example/harbour")
	for id, n := range ix.Nodes {
		if n.Data == "h1" && m.Drop.Has(int32(id)) {
			t.Error("the heading is left out")
		}
	}
}
