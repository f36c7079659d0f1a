// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"example.com/curlew/internal/sorting"
)

// maxParts is the number of keys of a query that are considered.
const maxParts = 32

// Part is a pair of key and value of a query.
type Part struct {
	Key string
	Sum uint64
}

// PathSum returns a fingerprint of a URL without its query.
func PathSum(url string) uint64 {
	path, _ := Split(url)
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(Bare(Authority(url)))
	_, _ = d.WriteString(path)
	return d.Sum64()
}

// Parts returns the sorted parts of a URL's query. If there are none or too
// many, it returns nil.
func Parts(url string) []Part {
	_, query := Split(url)
	if query == "" || strings.Count(query, "&") >= maxParts {
		return nil
	}
	var parts []Part
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		parts = append(parts, Part{key, xxhash.Sum64String(pair)})
	}
	sorting.Stable(parts, func(a, b Part) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		if a.Sum < b.Sum {
			return -1
		}
		return 1
	})
	return parts
}
