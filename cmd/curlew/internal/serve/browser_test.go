// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestNoBrowser starts a server with a browser that is not installed.
func TestNoBrowser(t *testing.T) {
	err := Run(t.Context(), []string{"-chrome", "/no/such/program"}, func(string) string { return "" }, io.Discard, io.Discard)
	if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "no Chromium found at /no/such/program") {
		t.Errorf("got %v", err)
	}
}
