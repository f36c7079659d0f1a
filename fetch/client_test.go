// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"net/http"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/leak"
	"example.com/curlew/internal/webtest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// over has c reach h in memory until the test ends.
func over(t testing.TB, c *fetch.Client, h http.Handler) *fetch.Client {
	n := webtest.Serve(h)
	t.Cleanup(func() {
		c.CloseIdleConnections()
		n.Close()
	})
	return c.Over(n)
}

func TestCheck(t *testing.T) {
	fetchtest.Check(t, func(t testing.TB, site *fetchtest.Site) fetch.Fetcher {
		return over(t, new(fetch.Client), site)
	})
}
