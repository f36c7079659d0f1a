// SPDX-License-Identifier: Apache-2.0

package fetchtest_test

import (
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestCheck(t *testing.T) {
	fetchtest.Check(t, func(_ testing.TB, site *fetchtest.Site) fetch.Fetcher { return site })
}
