// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"strings"

	"golang.org/x/net/html"
)

// tree parses a page.
func tree(text string) *html.Node {
	n, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil // a strings.Reader does not fail
	}
	return n
}
