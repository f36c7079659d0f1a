// SPDX-License-Identifier: Apache-2.0

package meter

import "example.com/curlew/format"

// Credits of a page in addition to those for its forms.
const (
	RedactPrice   = 4 // also for each further page of a PDF
	LockdownPrice = 4
	MissPrice     = 1 // for a page that is not cached, instead of all other credits
)

// FormPrice returns the credits of a page with the forms of o. A form that is
// requested twice counts twice, because the contract has two formats for answers.
func FormPrice(o *format.Options) int {
	more, first := 0, 1 // credits for all forms together, and for the page itself
	for _, form := range o.Forms {
		switch form {
		case format.Answer, format.Highlights, format.Audio, format.VideoForm:
			more += 4
		case format.JSONForm:
			if o.JSON.Deterministic {
				first = max(first, 3) // nothing is learned that would have to be paid for
			} else {
				first = 5
			}
		case format.ChangesForm:
			if o.Changes.JSON {
				first = 5
			}
		}
	}
	return more + first
}

// RetainedPrice returns the credits for zero data retention.
func RetainedPrice(retained bool) int {
	if retained {
		return 1
	}
	return 0
}

// PagesPrice returns the credits for the pages of a PDF beside the first.
func PagesPrice(o *format.Options, doc *format.Document) int {
	more := max(0, doc.PageCount-1)
	if o.Redact != nil {
		more += more * RedactPrice
	}
	return more
}

// HitsPrice returns the credits for n hits of a search: 2 for ten hits, or a part of them.
func HitsPrice(n int) int { return (n + 9) / 10 * 2 }
