// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"testing"

	"golang.org/x/net/http/httpguts"

	"example.com/curlew/internal/netguard"
)

// TestHeader compares each byte, alone and inside a text, with x/net's rules for headers.
func TestHeader(t *testing.T) {
	texts := []string{"", "é", "a\u0100"}
	for c := range 256 {
		texts = append(texts, string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'}))
	}
	for _, s := range texts {
		if got, want := netguard.IsToken(s), httpguts.ValidHeaderFieldName(s); got != want {
			t.Errorf("IsToken(%q) = %v", s, got)
		}
		if got, want := netguard.IsFieldValue(s), httpguts.ValidHeaderFieldValue(s); got != want {
			t.Errorf("IsFieldValue(%q) = %v", s, got)
		}
	}
}
