// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"cmp"

	"example.com/curlew/parse"
)

// heapTwice is the number of heap bytes for each live byte. As much garbage may
// exist before it is collected.
const heapTwice = 2

// treeMost is larger than the largest tree that package parse creates together
// with the output made from it, in bytes.
const treeMost = 288 << 20

// weights are the live bytes that reading and formatting needs for each byte of
// a document. For containers they are counted for each decompressed byte. They
// are measured with the worst documents, which contain only short paragraphs,
// cells or elements (TestWeights).
var weights = map[parse.Kind]int64{
	parse.Text: 6, parse.JSON: 16, parse.XML: 6, parse.Image: 16,
	parse.DOCX: 16, parse.PPTX: 16, parse.VSDX: 16, parse.ODT: 32, parse.ODP: 32,
	parse.XLSX: 40, parse.XLSB: 64, parse.ODS: 40, parse.PDF: 24,
	parse.HTML: 96, parse.Markdown: 160, parse.EPUB: 96, parse.RTF: 80, parse.CSV: 64, parse.TSV: 64,
}

// otherWeight is the weight of kinds that are not listed.
const otherWeight = 96

// inflation is the assumed compression ratio of a container before it is
// decompressed.
const inflation = 4

// Weighed returns the memory that a document needs, in bytes of Go's heap.
func Weighed(kind parse.Kind, size, inflated int64) int64 {
	each := cmp.Or(weights[kind], otherWeight)
	read := size
	switch kind {
	case parse.DOCX, parse.PPTX, parse.VSDX, parse.ODT, parse.ODP, parse.XLSX, parse.XLSB, parse.ODS, parse.EPUB:
		read = max(size*inflation, inflated)
	case parse.PDF:
		read = max(size, inflated)
	}
	return heapTwice * (1<<20 + size + min(read*each, treeMost+2*read))
}
