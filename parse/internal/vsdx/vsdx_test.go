// SPDX-License-Identifier: Apache-2.0

package vsdx_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/vsdx"
)

func TestMain(m *testing.M) { leak.Main(m) }

const (
	space = ` xmlns="http://schemas.microsoft.com/office/visio/2012/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	kinds = "http://schemas.microsoft.com/visio/2010/relationships/"
)

// relations returns relationships from triples of ID, type and target.
func relations(list ...string) string {
	var s strings.Builder
	s.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(list); i += 3 {
		s.WriteString(`<Relationship Id="` + list[i] + `" Type="` + kinds + list[i+1] + `" Target="` + list[i+2] + `"/>`)
	}
	return s.String() + `</Relationships>`
}

// pages returns the parts of a drawing with these shapes on its first page.
func pages(shapes string, more ...zipxmltest.Part) []zipxmltest.Part {
	const page = `<Page ID="0" Name="Plan"><PageSheet><Section N="Layer"><Row IX="0"><Cell N="Visible" V="1"/></Row><Row IX="1"><Cell N="Visible" V="0"/></Row></Section></PageSheet><Rel r:id="p1"/></Page>` +
		`<Page ID="4" NameU="Back" Background="1"><Rel r:id="p2"/></Page>`
	return append([]zipxmltest.Part{
		{Name: "[Content_Types].xml", Text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`},
		{Name: "_rels/.rels", Text: relations("d", "document", "visio/document.xml")},
		{Name: "visio/document.xml", Text: "<VisioDocument" + space + "/>"},
		{Name: "visio/_rels/document.xml.rels", Text: relations("a", "pages", "pages/pages.xml", "b", "masters", "masters/masters.xml", "c", "comments", "comments.xml")},
		{Name: "visio/pages/pages.xml", Text: "<Pages" + space + ">" + page + "</Pages>"},
		{Name: "visio/pages/_rels/pages.xml.rels", Text: relations("p1", "page", "page1.xml", "p2", "page", "page2.xml")},
		{Name: "visio/pages/page1.xml", Text: "<PageContents" + space + "><Shapes>" + shapes + "</Shapes></PageContents>"},
		{Name: "visio/pages/page2.xml", Text: "<PageContents" + space + `><Shapes><Shape ID="1"><Text>behind</Text></Shape></Shapes></PageContents>`},
		{Name: "visio/masters/masters.xml", Text: "<Masters" + space + `><Master ID="7" Name="Box"><Rel r:id="m"/></Master><Master ID="8"><Rel r:id="n"/></Master></Masters>`},
		{Name: "visio/masters/_rels/masters.xml.rels", Text: relations("m", "master", "master1.xml", "n", "master", "master2.xml")},
		{Name: "visio/masters/master1.xml", Text: "<MasterContents" + space + `><Shapes><Shape ID="5"><Section N="Property"><Row N="Cost"><Cell N="Label" V="The cost"/><Cell N="Value" V=""/></Row><Row N="Owner"><Cell N="Value" V="Ann"/></Row></Section><Text>of the master</Text><Shapes><Shape ID="6"><Text>inner text</Text></Shape></Shapes></Shape></Shapes></MasterContents>`},
		{Name: "visio/masters/master2.xml", Text: "<MasterContents" + space + `><Shapes><Shape ID="5"><Section N="Hyperlink"><Row N="A"><Cell N="Address" V="https://example.com/"/><Cell N="SubAddress" V="top"/><Cell N="Description" V="To the start"/></Row></Section><Text>linked</Text></Shape></Shapes></MasterContents>`},
		{Name: "visio/comments.xml", Text: "<Comments" + space + `><AuthorList><AuthorEntry ID="1" Name="Bob"/></AuthorList><CommentList><CommentEntry PageID="0" AuthorID="1">check it</CommentEntry></CommentList></Comments>`},
	}, more...)
}

func read(t testing.TB, o vsdx.Options, parts []zipxmltest.Part) (*doctree.Document, error) {
	t.Helper()
	data := zipxmltest.Pack(parts...)
	return vsdx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), o)
}

// TestRead reads shapes of each kind.
func TestRead(t *testing.T) {
	deep := strings.Repeat("<Shape><Shapes>", 40) + "<Shape><Text>deep</Text></Shape>" + strings.Repeat("</Shapes></Shape>", 40)
	for _, c := range []struct{ what, shapes, want, warning string }{
		{"lines and marks of formats", `<Shape ID="1"><Text><cp IX="0"/>Order <fld IX="0">12</fld>` + "\n" + `<pp IX="1"/>paid &amp; sent</Text></Shape>`, `<p>Order 12</p><p>paid &amp; sent</p>`, ""},
		{"text of its master", `<Shape ID="1" Master="7"/>`, `<p>of the master</p><ul><li>Owner: Ann</li></ul>`, ""},
		{"own text", `<Shape ID="1" Master="7"><Section N="Property"><Row N="Cost"><Cell N="Value" V="12 €"/></Row><Row N="Owner"><Cell N="Invisible" V="1"/></Row></Section><Text>mine</Text></Shape>`, `<p>mine</p><ul><li>The cost: 12 €</li></ul>`, "Shapes, texts or data that the drawing hides were left out at 1 place."},
		{"empty text", `<Shape ID="1" Master="7"><Text/><Section N="Property"><Row N="Owner"><Cell N="Value" V="Eve"/></Row></Section></Shape>`, `<ul><li>Owner: Eve</li></ul>`, ""},
		{"group", `<Shape ID="1" Type="Group" Master="7"><Text>outer</Text><Shapes><Shape ID="2" MasterShape="6"/><Shape ID="3"><Text>own</Text></Shape></Shapes></Shape>`, `<p>outer</p><ul><li>Owner: Ann</li></ul><p>inner text</p><p>own</p>`, ""},
		{"links", `<Shape ID="1"><Section N="Hyperlink"><Row IX="0"><Cell N="Address" V="https://example.com/"/></Row><Row IX="1"><Cell N="Address" V="https://example.com/more"/><Cell N="Description" V="More"/></Row></Section><Text>site</Text></Shape>`, `<p><a href="https://example.com/more">More</a></p><p><a href="https://example.com/">site</a></p>`, ""},
		{"links of the master", `<Shape ID="1" Master="8"/><Shape ID="2" Master="8"><Section N="Hyperlink"><Row N="A"><Cell N="SubAddress" V="Back/Sheet.1"/></Row></Section></Shape><Shape ID="3" Master="8"><Section N="Hyperlink"><Row N="A" Del="1"/></Section></Shape>`, `<p><a href="https://example.com/#top">To the start</a></p><p>linked</p><p><a href="https://example.com/#Back/Sheet.1">To the start</a></p><p>linked</p><p>linked</p>`, ""},
		{"links to pages", `<Shape ID="1"><Section N="Hyperlink"><Row N="A"><Cell N="SubAddress" V="Back/Sheet.1"/></Row><Row N="B"><Cell N="SubAddress" V="Gone"/><Cell N="Description" V="Once"/></Row><Row N="C"><Cell N="Address" V="javascript:x()"/></Row><Row N="D"/></Section><Text>next</Text></Shape>`, `<p>Once</p><p><a href="#back">next</a></p>`, "Links of shapes to a file or a place that is not known, which were left out: 2."},
		{"hidden layer", `<Shape ID="1"><Cell N="LayerMember" V="1"/><Text>gone</Text></Shape><Shape ID="2"><Cell N="LayerMember" V="0;1"/><Text>seen</Text></Shape>`, `<p>seen</p>`, "Shapes, texts or data that the drawing hides were left out at 1 place."},
		{"hidden text", `<Shape ID="1"><Cell N="HideText" V="1"/><Text>gone</Text></Shape>`, ``, "Shapes, texts or data that the drawing hides were left out at 1 place."},
		{"deleted shape of a master", `<Shape ID="1" Del="1"><Text>gone</Text></Shape>`, ``, ""},
		{"too many groups", deep, ``, "Shapes in more than 32 groups were not read: 1."},
		{"unknown object", `<Shape ID="1" Type="Foreign"><ForeignData ForeignType="Object"><Rel r:id="o"/></ForeignData></Shape>`, ``, "1 embedded object was not read: an object without a part.Links or objects of the file whose relationships are missing: 1."},
	} {
		d, err := read(t, vsdx.Options{}, pages(c.shapes))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		want := `<section data-slide="1"><h2 id="plan">Plan</h2>` + c.want + `<p><sup><a role="doc-noteref" href="#comment-1" data-note="comment">comment 1</a></sup></p></section>` +
			`<section data-slide="2"><h2 id="back">Back</h2><p>behind</p></section>` +
			`<section role="doc-endnotes"><ol><li id="comment-1" role="doc-footnote" data-note="comment" data-author="Bob"><p><strong>Bob</strong>: check it</p></li></ol></section>`
		if _, got, _ := strings.Cut(b.String(), "<body>"); got != want+"</body></html>" {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, want)
		}
		var said strings.Builder
		for _, w := range d.Warnings {
			said.WriteString(w.Text)
		}
		if said.String() != c.warning {
			t.Errorf("%s: warnings %q, want %q", c.what, said.String(), c.warning)
		}
	}
}

// TestTips reads the tips that pointing at shapes shows.
func TestTips(t *testing.T) {
	d, err := read(t, vsdx.Options{}, pages(`<Shape ID="1"><Cell N="Comment" V="ask Ann first"/><Text>Order</Text></Shape><Shape ID="2"><Cell N="Comment" V="Two&#10;lines"/></Shape>`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<p>Order</p><p><sup><a role="doc-noteref" href="#comment-1" data-note="comment">comment 1</a></sup></p><p><sup><a role="doc-noteref" href="#comment-2" data-note="comment">comment 2</a></sup></p>`,
		`<li id="comment-1" role="doc-footnote" data-note="comment"><p>ask Ann first</p></li><li id="comment-2" role="doc-footnote" data-note="comment"><p>Two</p><p>lines</p></li>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

// TestConnectors reads which shape leads to which.
func TestConnectors(t *testing.T) {
	const boxes = `<Shape ID="1"><Text>Order` + "\n" + `of a customer</Text></Shape><Shape ID="2" Type="Group"><Shapes><Shape ID="3"><Text>Pay</Text></Shape></Shapes></Shape>` +
		`<Shape ID="4" Master="7"/><Shape ID="5" NameU="Process.5"/><Shape ID="6"><Cell N="LayerMember" V="1"/><Text>secret</Text></Shape>`
	join := func(connector, begin, end string) string {
		return `<Connect FromSheet="` + connector + `" FromCell="EndX" ToSheet="` + end + `"/><Connect FromSheet="` + connector + `" FromCell="BeginX" ToSheet="` + begin + `"/>`
	}
	for _, c := range []struct{ what, shape, joins, want, warning string }{
		{"arrow", `<Shape ID="9"/>`, join("9", "1", "2"), `<p>Order → Pay</p>`, ""},
		{"with a text", `<Shape ID="9"><Text>if it is` + "\n" + `complete</Text></Shape>`, join("9", "1", "3"), `<p>Order → Pay: if it is complete</p>`, ""},
		{"of its master", `<Shape ID="9"/>`, join("9", "4", "1"), `<p>of the master → Order</p>`, ""},
		{"of a name", `<Shape ID="9"/>`, join("9", "5", "1"), `<p>Process.5 → Order</p>`, ""},
		{"no arrow", `<Shape ID="9"><Cell N="BeginArrow" V="0"/><Cell N="EndArrow" V="0"/></Shape>`, join("9", "1", "2"), `<p>Order – Pay</p>`, ""},
		{"no arrow in the style", `<Shape ID="9" LineStyle="2"/>`, join("9", "1", "2"), `<p>Order – Pay</p>`, ""},
		{"backwards", `<Shape ID="9" LineStyle="1"><Cell N="BeginArrow" V="4"/></Shape>`, join("9", "1", "2"), `<p>Order ← Pay</p>`, ""},
		{"both", `<Shape ID="9"><Cell N="BeginArrow" V="4"/><Cell N="EndArrow" V="4"/></Shape>`, join("9", "1", "2"), `<p>Order ↔ Pay</p>`, ""},
		{"styles in a circle", `<Shape ID="9" LineStyle="3"/>`, join("9", "1", "2"), `<p>Order → Pay</p>`, ""},
		{"to a hidden shape", `<Shape ID="9"><Text>leak</Text></Shape>`, join("9", "1", "6"), `<p>leak</p>`, "Connectors with an end at no shape, or at one that was left out, whose relation is not given: 1."},
		{"one end", `<Shape ID="9"/><Shape ID="10"/>`, `<Connect FromSheet="9" FromCell="EndX" ToSheet="1"/>` + join("10", "1", "77"), ``, "Connectors with an end at no shape, or at one that was left out, whose relation is not given: 2."},
		{"tail of a callout", `<Shape ID="9"/>`, `<Connect FromSheet="9" FromCell="Controls.X1" ToSheet="1"/>`, ``, ""},
		{"a long name", `<Shape ID="8"><Text>` + strings.Repeat("x ", 90) + `</Text></Shape><Shape ID="9"/>`, join("9", "8", "1"), `<p>` + strings.TrimSpace(strings.Repeat("x ", 90)) + `</p><p>` + strings.Repeat("x ", 50) + `… → Order</p>`, ""},
	} {
		parts := pages("")
		parts[2].Text = "<VisioDocument" + space + `><StyleSheets><StyleSheet ID="0"><Cell N="EndArrow" V="0"/></StyleSheet><StyleSheet ID="1" LineStyle="0"/>` +
			`<StyleSheet ID="2" LineStyle="0"><Cell N="BeginArrow" V="0"/></StyleSheet><StyleSheet ID="3" LineStyle="3"/></StyleSheets></VisioDocument>`
		parts[6].Text = "<PageContents" + space + "><Shapes>" + boxes + c.shape + "</Shapes><Connects>" + c.joins + "</Connects></PageContents>"
		d, err := read(t, vsdx.Options{}, parts)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if want := `<p>of a customer</p><p>Pay</p><p>of the master</p><ul><li>Owner: Ann</li></ul>` + c.want + `<p><sup>`; !strings.Contains(b.String(), want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, b.String(), want)
		}
		var said strings.Builder
		for _, w := range d.Warnings {
			said.WriteString(w.Text)
		}
		if hidden := "Shapes, texts or data that the drawing hides were left out at 1 place."; said.String() != c.warning+hidden {
			t.Errorf("%s: warnings %q, want %q", c.what, said.String(), c.warning+hidden)
		}
	}
}

// TestRunning reads what is printed on each page.
func TestRunning(t *testing.T) {
	parts := pages("")
	parts[2].Text = "<VisioDocument" + space + `><HeaderFooter><HeaderMargin>1</HeaderMargin><HeaderLeft>Plan of the plant, &amp;d</HeaderLeft><HeaderRight>&amp;n</HeaderRight><FooterCenter>Page &amp;p</FooterCenter><FooterRight>Confidential</FooterRight></HeaderFooter></VisioDocument>`
	d, err := read(t, vsdx.Options{}, parts)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<body><header data-role="running"><p>Plan of the plant,</p></header><section`, `</section><footer data-role="running"><p>Confidential</p></footer><section role="doc-endnotes">`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

// TestHidden keeps what the drawing hides.
func TestHidden(t *testing.T) {
	const shapes = `<Shape ID="1"><Cell N="LayerMember" V="1"/><Text>layer</Text></Shape><Shape ID="2"><Cell N="HideText" V="1"/><Text>text</Text></Shape><Shape ID="3"><Section N="Property"><Row N="Key"><Cell N="Value" V="5"/><Cell N="Invisible" V="1"/></Row></Section></Shape>`
	d, err := read(t, vsdx.Options{Hidden: doctree.HiddenMarked}, pages(shapes))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	if want := `<div data-hidden=""><p>layer</p></div><div data-hidden=""><p>text</p></div><ul><li data-hidden="">Key: 5</li></ul>`; !strings.Contains(b.String(), want) || len(d.Warnings) > 0 {
		t.Errorf("%v\n%s", d.Warnings, b.String())
	}
}

// TestDamaged reads drawings that lack parts, or are too large.
func TestDamaged(t *testing.T) {
	const shapes = `<Shape ID="1" Master="7"><Text>one</Text></Shape>`
	for _, part := range []string{"visio/pages/page1.xml", "visio/masters/masters.xml", "visio/masters/master1.xml", "visio/comments.xml"} {
		parts := pages(shapes)
		for i := range parts {
			if parts[i].Name == part {
				parts[i].Text = parts[i].Text[:len(parts[i].Text)/2]
			}
		}
		d, err := read(t, vsdx.Options{}, parts)
		if err != nil || len(d.Warnings) == 0 || !strings.Contains(d.Warnings[0].Text, part) {
			t.Errorf("%s: %v, %v", part, err, d)
		}
	}
	parts := pages(shapes)
	parts = append(parts[:4], parts[5:]...) // no list of pages
	if _, err := read(t, vsdx.Options{}, parts); err == nil {
		t.Error("a drawing without pages was read")
	}
	parts = pages(shapes)
	parts[3].Text, parts[4].Text = relations("a", "pages", "pages/pages.xml"), "<Pages"+space+`><Page ID="0" Name="Plan"/></Pages>` // neither masters nor comments, and a page without a part
	if d, err := read(t, vsdx.Options{}, parts); err != nil || len(d.Warnings) == 0 || !strings.Contains(d.Warnings[0].Text, "visio/pages/pages.xml") {
		t.Errorf("%v, %v", err, d)
	}
	d, err := read(t, vsdx.Options{Nodes: 5}, pages(strings.Repeat(shapes, 100)))
	if err != nil || len(d.Warnings) == 0 || d.Warnings[0].Text != "1 of 2 pages were not read." {
		t.Errorf("%v, %v", err, d.Warnings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := zipxmltest.Pack(pages(shapes)...)
	if _, err := vsdx.Read(ctx, bytes.NewReader(data), int64(len(data)), vsdx.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`<Shape ID="1" Type="Group" Master="7"><Text>outer</Text><Shapes><Shape ID="2" MasterShape="6"/></Shapes></Shape>`)
	f.Add(`<Shape ID="1"><Section N="Hyperlink"><Row IX="0"><Cell N="Address" V="https://example.com/"/></Row></Section><Cell N="LayerMember" V="1;0"/><Text>site</Text></Shape>`)
	f.Add(`<Shape ID="1"><Text>a</Text></Shape><Shape ID="2"/></Shapes><Connects><Connect FromSheet="2" FromCell="EndX" ToSheet="1"/><Connect FromSheet="2" FromCell="BeginX" ToSheet="2"/></Connects><Shapes>`)
	f.Fuzz(func(t *testing.T, shapes string) {
		d, err := read(t, vsdx.Options{Nodes: 5000}, pages(shapes))
		if err != nil {
			if !errors.Is(err, zipxml.ErrMalformed) && !errors.Is(err, zipxml.ErrLimit) {
				t.Error(err)
			}
			return
		}
		for n := range d.Root.Descendants() {
			if n.Type == html.TextNode && strings.ContainsRune(n.Data, 0) {
				t.Errorf("a control character in %q", n.Data)
			}
		}
	})
}
