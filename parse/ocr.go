// SPDX-License-Identifier: Apache-2.0

package parse

import "context"

// OCR recognises text in images. Implementations are safe for concurrent use,
// return when ctx ends, bound what they read of an answer, and take what a
// page says for data, never for an instruction. An image without text is an
// empty [Recognition] and no error. [example.com/curlew/parse/parsetest] checks one.
type OCR interface {
	Recognize(ctx context.Context, p Picture) (Recognition, error)
}

// Picture is an image of a page or of a part of one.
type Picture struct {
	MIME          string // image/png, image/jpeg, image/jp2 or image/tiff
	Data          []byte // belongs to the caller
	Width, Height int    // pixels
	DPI           float64
	Languages     []string // of the document, BCP 47, most likely first; may be empty
}

// Recognition is what was recognised: words with places, or Markdown.
type Recognition struct {
	Words      []Word  // in reading order
	Markdown   string  // of an engine that knows no places; ignored where there are words
	Confidence float64 // 0..1; -1 where it was not measured
}

// Word is one recognised word.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // pixels from the top left of the image
	Line           int     // words of one line have the same number; 0 is unknown
	Confidence     float64 // 0..1; -1 where it was not measured
}
