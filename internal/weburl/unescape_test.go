// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"testing"

	"example.com/curlew/internal/weburl"
)

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a b": "a b", "a%20b": "a b", "%C3%a9": "é", "%ff": "\xff", "%2525": "%25",
		"100%": "100%", "%4": "%4", "%4g%": "%4g%", "%+1": "%+1", "%%41": "%A",
	} {
		if got := weburl.Unescape(in); got != want {
			t.Errorf("Unescape(%q) = %q, want %q", in, got, want)
		}
	}
}
