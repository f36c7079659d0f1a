// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"path"
	"strings"
)

// remarks are what Office appends to the alternative texts that it makes
// itself.
var remarks = [...]string{
	"Description automatically generated",
	"Description automatically generated with low confidence",
	"Description automatically generated with medium confidence",
	"Description automatically generated with high confidence",
	"Description generated with high confidence",
	"Description generated with very high confidence",
	"AI-generated content may be incorrect.",
}

// isPlaceholder reports whether a text on one line says nothing of a picture
// (failure F30 of WCAG 2.2): it is the name of a file, as libraries and Word
// write it, or the name that a program gives it.
func isPlaceholder(text string) bool {
	text = strings.ToLower(text)
	switch path.Ext(text) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".svg", ".webp", ".heic", ".eps":
		return true
	}
	switch strings.TrimSuffix(strings.TrimRight(text, "0123456789"), " ") {
	case "picture", "image", "graphic", "grafik", "bild", "imagen", "immagine", "imagem", "рисунок", "图片", "図":
		return true
	}
	return false
}

// Description is what is said of a picture, on one line.
type Description struct {
	Text  string // by somebody
	Guess string // by a program that looked at the picture; only where Text is empty
}

// Describe sorts an alternative text. What only names the picture is none.
func Describe(text string) Description {
	text = strings.Join(strings.Fields(text), " ")
	for _, remark := range remarks {
		if guess, ok := strings.CutSuffix(text, remark); ok {
			return Description{Guess: strings.TrimSpace(guess)}
		}
	}
	if isPlaceholder(text) {
		text = ""
	}
	return Description{Text: text}
}

// Or returns d, or other where d says nothing.
func (d Description) Or(other Description) Description {
	switch {
	case d.Text != "":
		return Description{Text: d.Text}
	case other.Text != "":
		return Description{Text: other.Text}
	case d.Guess != "":
		return d
	}
	return other
}

// Attrs returns the attributes of an img with that description. A guess is no
// text of the document, so it is the title, which stands beside it.
func (d Description) Attrs() []string {
	if d.Guess != "" {
		return []string{"alt", "", "title", d.Guess}
	}
	return []string{"alt", d.Text}
}
