// SPDX-License-Identifier: Apache-2.0

// Package fetch is the only door to web pages: URL -> bytes.
package fetch
