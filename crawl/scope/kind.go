// SPDX-License-Identifier: Apache-2.0

package scope

import "strconv"

// Kind is the relation of a page to the crawl's origin. The origin is the start
// URL, or the URL to which the start page was redirected.
type Kind uint8

// Kinds of pages. A subdomain that only External allows is External.
const (
	Internal  Kind = iota // same host, ignoring one leading www.
	Subdomain             // another host with the same registrable domain
	External              // any other host; its links are not followed
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
