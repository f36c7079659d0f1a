// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/object"
)

// opened opens a document that a test has written.
func opened(t *testing.T, d *pdftest.Document) *object.File {
	t.Helper()
	data := d.Bytes()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const packet = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
	`<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2020-01-01T10:00:00Z" xmp:MetadataDate="%s">` +
	`<dc:title><rdf:Alt><rdf:li xml:lang="de">Titel</rdf:li><rdf:li xml:lang="x-default">Title of XMP</rdf:li></rdf:Alt></dc:title>` +
	`<dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Ben</rdf:li></rdf:Seq></dc:creator><dc:subject><rdf:Bag><rdf:li>one</rdf:li><rdf:li>two</rdf:li></rdf:Bag></dc:subject>` +
	`<dc:language><rdf:Bag><rdf:li>de</rdf:li></rdf:Bag></dc:language><xmp:CreatorTool>Tool</xmp:CreatorTool></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

// TestXMP checks the metadata that results from the information dictionary
// and XMP together.
func TestXMP(t *testing.T) {
	created := time.Date(2020, 1, 1, 10, 0, 0, 0, time.UTC)
	info := "/Title (Title of Info) /Subject (Subject) /ModDate (D:20220101000000Z)"
	modified := time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		info, catalog, xmp string
		want               Meta
	}{
		"XMP alone": {
			"", "", fmt.Sprintf(packet, "2021-01-01T00:00:00Z"),
			Meta{Title: "Title of XMP", Author: "Ann, Ben", Keywords: "one, two", Creator: "Tool", Language: "de", Created: created},
		},
		"XMP is newer": {
			info, "/Lang (en)", fmt.Sprintf(packet, "2023-01-01T00:00:00Z"),
			Meta{Title: "Title of XMP", Author: "Ann, Ben", Subject: "Subject", Keywords: "one, two", Creator: "Tool", Language: "en", Created: created, Modified: modified},
		},
		"XMP is older": {
			info, "", fmt.Sprintf(packet, "2021-01-01T00:00:00Z"),
			Meta{Title: "Title of Info", Author: "Ann, Ben", Subject: "Subject", Keywords: "one, two", Creator: "Tool", Language: "de", Created: created, Modified: modified},
		},
		"XMP that breaks off": {
			info, "", fmt.Sprintf(packet, "2023-01-01T00:00:00Z")[:500],
			Meta{Title: "Title of XMP", Author: "Ann", Subject: "Subject", Created: created, Modified: modified},
		},
		"no XML": {
			info, "", "nothing <", Meta{Title: "Title of Info", Subject: "Subject", Modified: modified},
		},
		"too long": {
			info, "", strings.Repeat(" ", maxXMP) + fmt.Sprintf(packet, "2023-01-01T00:00:00Z"), Meta{Title: "Title of Info", Subject: "Subject", Modified: modified},
		},
	}
	for name, test := range tests {
		var d pdftest.Document
		d.Page("", "<<>>", "")
		d.Info = test.info
		d.Catalog = fmt.Sprintf("%s /Metadata %d 0 R", test.catalog, d.Stream("/Type /Metadata /Subtype /XML", test.xmp))
		got := readMeta(t.Context(), opened(t, &d))
		got.Created, got.Modified = got.Created.UTC(), got.Modified.UTC()
		if test.want.Created.IsZero() {
			test.want.Created = time.Time{}.UTC()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLabels checks page labels in every style.
func TestLabels(t *testing.T) {
	var d pdftest.Document
	for range 9 {
		d.Page("", "<<>>", "")
	}
	kid := d.Add("<</Nums [2 <</S /D>> 4 <</S /A /St 27>> 5 <</S /D /P (App-)>>]>>")
	d.Catalog = fmt.Sprintf("/PageLabels <</Kids [<</Nums [0 <</S /r /St 4>> -3 <</S /D>> 999 <</S /D>>]>> %d 0 R %d 0 R <</Nums [7 <</P (Cover)>> 8 <</S /R /St 1999>>]>>]>>", kid, kid)
	want := map[int]string{0: "iv", 1: "v", 2: "1", 3: "2", 4: "AA", 5: "App-1", 6: "App-2", 7: "Cover", 8: "MCMXCIX"}
	if diff := cmp.Diff(want, readLabels(opened(t, &d), 9)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	d.Catalog = "/PageLabels <</Nums [0 <</S /D>>]>>"
	if got := readLabels(opened(t, &d), 9); len(got) > 0 {
		t.Errorf("labels that are numbers: %v", got)
	}
}
