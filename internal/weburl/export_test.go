// SPDX-License-Identifier: Apache-2.0

package weburl

// ResolveSlow is Resolve without the fast path.
func ResolveSlow(base URL, ref string) (URL, error) { return parse(ref, base, mode{}) }

// SuffixList returns the list of public suffixes.
func SuffixList() string { return suffixList() }

// MaxBytes is the maximum length of a text.
const MaxBytes = maxBytes
