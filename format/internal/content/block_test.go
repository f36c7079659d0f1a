// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestBlockSize checks that a Block does not grow unnoticed, because a page may have a
// block for every few bytes of text.
func TestBlockSize(t *testing.T) {
	if got, want := reflect.TypeFor[Block]().Size(), uintptr(192); got != want {
		t.Errorf("a Block has %d bytes, want %d", got, want)
	}
}

// TestBlockParts checks that the counts of a block depend only on its text, and its place
// only on the tree.
func TestBlockParts(t *testing.T) {
	block := func(src string) Block {
		root, err := html.Parse(strings.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		ix, err := Read(context.Background(), root)
		if err != nil {
			t.Fatal(err)
		}
		blocks := NewPage(ix, ix.NewSet(), "").Blocks
		if len(blocks) != 1 {
			t.Fatalf("%s: %d blocks", src, len(blocks))
		}
		return blocks[0]
	}
	const text = "Seven Words, 42 of them, cost $5."
	p, item := block("<p>"+text+"</p>"), block("<main><ul><li>"+text+"</li></ul></main>")
	if p.counts != item.counts {
		t.Errorf("counts of the same text differ: %+v and %+v", p.counts, item.counts)
	}
	if p.place == item.place {
		t.Errorf("two places are equal: %+v", p.place)
	}
	if other := block("<p>Another text</p>"); p.place != other.place || p.counts == other.counts {
		t.Errorf("another text in the same place: %+v, %+v", other.place, other.counts)
	}
}
