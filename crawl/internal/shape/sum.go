// SPDX-License-Identifier: Apache-2.0

package shape

import "github.com/cespare/xxhash/v2"

// Sum returns the 64-bit xxHash of a text.
func Sum(text string) uint64 { return xxhash.Sum64String(text) }

// SumBytes returns the 64-bit xxHash of bytes.
func SumBytes(b []byte) uint64 { return xxhash.Sum64(b) }

// Fingerprint returns the seeded 64-bit xxHash of a dedupe key. The probability
// of any collision among 10^8 URLs is 2.7e-4. A Bloom filter would lose pages
// without notice.
func Fingerprint(seed uint64, key []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(key) // never fails
	return d.Sum64()
}

// Nonzero returns f, or 1 if f is 0, because zero marks an empty slot.
func Nonzero(f uint64) uint64 { return max(f, 1) }
