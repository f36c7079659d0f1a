// SPDX-License-Identifier: Apache-2.0

// Package scope decides which URLs belong to a crawl: (URL, where it was found)
// -> decision. It does no I/O. Rules are asked in the contract's order; the first
// that refuses counts.
package scope
