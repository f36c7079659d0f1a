// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"example.com/curlew/internal/test/scoretest"
)

// compare returns the token recall and F1 of got for the expected Markdown
// beside path. If there is none, ok is false.
func compare(path, got string) (recall, f1 float64, ok bool) {
	reference, err := os.ReadFile(path + ".md")
	if err != nil {
		return 0, 0, false
	}
	g, w := scoretest.Words(got), scoretest.Words(string(reference))
	common, all := 0, 0
	for t, n := range w {
		common += min(n, g[t])
		all += n
	}
	return float64(common) / float64(max(1, all)), scoretest.F1(g, w), true
}
