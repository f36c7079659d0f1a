// SPDX-License-Identifier: Apache-2.0

package ooxml

import "strings"

// remarks are what Office appends to the alternative texts that it makes
// itself. They are about Office, not about the picture.
var remarks = [...]string{
	"Description automatically generated",
	"Description automatically generated with low confidence",
	"Description automatically generated with medium confidence",
	"Description automatically generated with high confidence",
	"Description generated with high confidence",
	"Description generated with very high confidence",
	"AI-generated content may be incorrect.",
}

// Description returns the alternative text in the attribute descr on one line,
// without the remark that Office made it.
func Description(descr string) string {
	text := strings.Join(strings.Fields(descr), " ")
	for _, remark := range remarks {
		if rest, ok := strings.CutSuffix(text, remark); ok {
			return strings.TrimSpace(rest)
		}
	}
	return text
}
