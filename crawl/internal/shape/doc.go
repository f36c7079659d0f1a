// SPDX-License-Identifier: Apache-2.0

// Package shape computes what URLs and pages of one site have in common:
// patterns, families and fingerprints of URLs, and samples of pages. A crawl
// and its frontier share it.
package shape
