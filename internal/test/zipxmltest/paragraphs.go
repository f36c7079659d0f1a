// SPDX-License-Identifier: Apache-2.0

package zipxmltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Paragraphs returns a DOCX of n short paragraphs with runs and properties.
// Such documents need the most memory for their size.
func Paragraphs(n int) []byte {
	var d strings.Builder
	r := rand.New(rand.NewPCG(1, uint64(n)))
	word := func() string {
		text := make([]byte, 8)
		for i := range text {
			text[i] = byte('a' + r.IntN(26))
		}
		return string(text)
	}
	d.WriteString(`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	for i := range n {
		fmt.Fprintf(&d, `<w:p><w:pPr><w:spacing w:after="%d"/><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val="%d"/></w:rPr><w:t>%s</w:t></w:r></w:p>`, i%7, 20+i%5, word())
	}
	d.WriteString(`</w:body></w:document>`)
	return Pack(
		Part{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		Part{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		Part{"word/document.xml", d.String()},
	)
}
