// SPDX-License-Identifier: Apache-2.0

package dom

import "strconv"

// Loss says what a tree lacks.
type Loss struct {
	Code string // truncated, damaged-text, deep-nesting or code-page-guessed, as the warnings of package parse
	Text string // sentences for people to read
}

// Losses describes d.Lost. subject names the document at the start of a sentence, for
// example "The document". An amount of zero means that it is not known.
func (d *Document) Losses(subject string) (losses []Loss) {
	if len(d.Lost) == 0 { // before the texts are put together
		return nil
	}
	whole := " of " + strconv.Itoa(len(d.Text))
	for _, l := range []struct{ key, code, text, counted, of string }{
		{Guessed, "code-page-guessed", subject + " does not say its encoding, or it says another one than it has. It was read as " + d.Charset + ".", "Bytes beyond ASCII", ""},
		{Wrong, "damaged-text", "Bytes of the text are no characters of its encoding, or are control characters.", "Such bytes", ""},
		{Swallowed, "damaged-text", "Tags lack their end or a quote, so markup and its text are attributes, as in a browser.", "Bytes of it", ""},
		{Truncated, "truncated", subject + " is too large; its end was left out.", "Bytes that were left out", whole},
		{Unclosed, "damaged-text", subject + " ends in a tag, a comment, or a title, style or script that has no end. Text may be missing.", "Bytes in it", whole},
		{DeepNesting, "deep-nesting", subject + " is nested too deeply, so some of its structure was left out.", "Tags that were removed or moved", ""},
		{Frames, "truncated", "Documents in attributes of frames (srcdoc) were not read, or not to their end.", "Such documents", ""},
		{Attributes, "truncated", "Tags have more than 1,000 attributes. The others were left out.", "Attributes that were left out", ""},
		{Flattened, "deep-nesting", subject + " is nested too deeply, so only its text, links and images were kept.", "", ""},
	} {
		n, lost := d.Lost[l.key]
		if !lost {
			continue
		}
		if n > 0 && l.counted != "" {
			l.text += " " + l.counted + ": " + strconv.Itoa(n) + l.of + "."
		}
		losses = append(losses, Loss{l.code, l.text})
	}
	return losses
}
