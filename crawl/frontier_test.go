// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontiertest"
)

func TestFrontier(t *testing.T) {
	frontiertest.Check(t, func(t testing.TB, c crawl.Config) crawl.Frontier {
		f, err := crawl.NewFrontier(c)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}
