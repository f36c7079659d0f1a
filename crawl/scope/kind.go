// SPDX-License-Identifier: Apache-2.0

package scope

import "strconv"

// Kind says where a page stands against the crawl's origin: the start URL, or
// the host to which that was redirected.
type Kind uint8

// Kinds of pages. A subdomain that only External admits is External.
const (
	Internal  Kind = iota // same host, but for one leading www.
	Subdomain             // another host with the same registrable domain
	External              // any other; its links are not followed
)

// String returns internal, subdomain or external.
func (k Kind) String() string {
	switch k {
	case Internal:
		return "internal"
	case Subdomain:
		return "subdomain"
	case External:
		return "external"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}
