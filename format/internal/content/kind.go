// SPDX-License-Identifier: Apache-2.0

package content

// Kind is a kind of page.
type Kind int8

// The kinds of pages, as WCXB names them.
const (
	Article Kind = iota
	Documentation
	Service
	Forum
	Collection
	Listing
	Product

	// Kinds is the number of kinds.
	Kinds = iota
)

var kindNames = [Kinds]string{"article", "documentation", "service", "forum", "collection", "listing", "product"}

func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind with a name, and whether there is one.
func KindOf(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}
