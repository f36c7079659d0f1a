// SPDX-License-Identifier: Apache-2.0

// Package scope decides which URLs belong to a crawl. It does no I/O. It
// applies the rules in the order of the contract, and the first rule that
// refuses a URL decides.
package scope
