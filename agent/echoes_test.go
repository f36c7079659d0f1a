// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"strings"
	"testing"

	"example.com/curlew/agent"
)

func TestEchoes(t *testing.T) {
	const query = "secret prices of the widgets at Acme"
	for url, want := range map[string]bool{
		"https://a.test/?q=secret+prices+of+the+widgets":                    true,
		"https://a.test/%73ecret%20prices%20of%20the%20widgets":             true,
		"https://a.test/widgets":                                            false,
		"https://a.test/" + strings.ToUpper("secret-prices-of-the-widgets"): true,
	} {
		if got := agent.Echoes(url, query); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
