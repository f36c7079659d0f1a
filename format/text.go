// SPDX-License-Identifier: Apache-2.0

package format

// Text returns a form that is one text: [Markdown], [HTML], [RawHTML],
// [RawBase64], [JSONForm], [Summary], [Highlights] or [Answer]. The error wraps
// [ErrNotAsked] if the document was made without it, and [ErrForm] if the form
// is not one text.
func (d *Document) Text(f Form) (string, error) {
	if d == nil {
		d = new(Document)
	}
	var text *string
	switch f {
	case Markdown:
		text = d.Markdown
	case HTML:
		text = d.HTML
	case RawHTML:
		text = d.RawHTML
	case RawBase64:
		text = d.RawBase64
	case Summary:
		text = d.Summary
	case Highlights:
		text = d.Highlights
	case Answer:
		text = d.Answer
	case JSONForm:
		if d.JSON != nil {
			text = new(string(d.JSON))
		}
	default:
		return "", &Error{Form: f, Err: ErrForm}
	}
	if text == nil {
		return "", &Error{Form: f, Err: ErrNotAsked}
	}
	return *text, nil
}
