// SPDX-License-Identifier: Apache-2.0

// Package shape says what URLs, and pages, of one site have in common: URL or
// sample of a page -> pattern, family, fingerprint. A crawl and its frontier
// share it.
package shape
