// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/curlew/crawl"
)

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, " 7 ": 7 * time.Second, "-3": 0, "99999999999": 365 * 24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second, "Thu, 01 Jan 2026 03:04:15 GMT": 0,
	} {
		got, told := crawl.RetryAfter(http.Header{"Retry-After": {value}}, now)
		if got != want || !told {
			t.Errorf("Retry-After %q is %v, %v; want %v", value, got, told, want)
		}
	}
	for _, value := range []string{"", "soon", "1.5", "99999999999999999999"} {
		if got, told := crawl.RetryAfter(http.Header{"Retry-After": {value}}, now); got != 0 || told {
			t.Errorf("Retry-After %q is %v, %v; want nothing", value, got, told)
		}
	}
}
