// SPDX-License-Identifier: Apache-2.0

package content

import "fmt"

// Print returns all that ix says of the main content.
func Print(ix *Index) string {
	m := ix.Main(ix.NewSet(), "https://a.example/news/1")
	return fmt.Sprint(ix.End, ix.runes, ix.linked, ix.links, len(ix.notes), m)
}
