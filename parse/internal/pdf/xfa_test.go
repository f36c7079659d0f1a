// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse/internal/pdf"
)

// dynamicForm returns a document whose page is the placeholder of an XFA
// form.
func dynamicForm(catalog, fields, template, data string) []byte {
	var d pdftest.Document
	d.Page(pdftest.Text("F1", 10, 72, 700, "Please wait... If this message is not replaced, get another program."), pdftest.Fonts, "")
	t := d.Stream("", `<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/">`+template+`</template>`)
	s := d.Stream("", `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data>`+data+`</xfa:data></xfa:datasets>`)
	d.Catalog = fmt.Sprintf("%s /AcroForm <</Fields [%s] /XFA [(preamble) %d 0 R (template) %d 0 R (datasets) %d 0 R]>>", catalog, fields, d.Stream("", "<xdp>"), t, s)
	return d.Bytes()
}

const xfaTemplate = `<subform name="form1"><pageSet><pageArea name="P1"><draw name="head"><value><text>Head of the page</text></value></draw></pageArea></pageSet>` +
	`<draw><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml"><p>Rich <b>text</b></p><p>in two lines</p></body></exData></value></draw>` +
	`<field name="who"><caption><value><text>Name:</text></value></caption><ui><textEdit/></ui><value><text>default</text></value></field>` +
	`<field name="empty"><caption><value><text>Remarks:</text></value></caption><ui><textEdit/></ui></field>` +
	`<field name="secret"><caption><value><text>Password:</text></value></caption><ui><passwordEdit/></ui></field>` +
	`<field name="send"><caption><value><text>Submit</text></value></caption><ui><button/></ui></field>` +
	`<field name="gone" presence="hidden"><value><text>Hidden</text></value></field>` +
	`<field name="land"><caption><value><text>Country:</text></value></caption><ui><choiceList/></ui><items><text>Norway</text><text>Chad</text></items><items save="1"><text>NO</text><text>TD</text></items></field>` +
	`<field name="agree"><caption><value><text>I agree</text></value></caption><ui><checkButton/></ui><items><integer>1</integer><integer>0</integer></items></field>` +
	`<exclGroup name="size"><field name="s"><caption><value><text>Small</text></value></caption><items><text>s</text></items><ui><checkButton/></ui></field>` +
	`<field name="l"><caption><value><text>Large</text></value></caption><items><text>l</text></items><ui><checkButton/></ui></field></exclGroup>` +
	`<subform name="list" layout="table"><subform name="head" layout="row"><draw><value><text>Item</text></value></draw><draw><value><text>Price</text></value></draw></subform>` +
	`<subform name="row" layout="row"><occur max="-1"/><field name="item"><ui><textEdit/></ui></field><field name="price"><bind match="dataRef" ref="$.cost.net"/><ui><numericEdit/></ui></field></subform></subform>` +
	`</subform>`

const xfaData = `<form1><who>Ann</who><land>TD</land><agree>1</agree><size>l</size><secret>hunter2</secret>` +
	`<list><row><item>Apple</item><cost><net>3</net></cost></row><row><item>Pear</item><cost><net>4</net></cost></row></list></form1>`

// TestXFA reads dynamic forms.
func TestXFA(t *testing.T) {
	const stub = "Please wait... If this message is not replaced, get another program."
	const filled = "Head of the page\n\nRich text\n\nin two lines\n\nName: Ann\n\nRemarks:\n\nCountry: Chad\n\n- [x] I agree\n- [ ] Small\n- [x] Large\n\n" +
		"| Item | Price |\n| --- | --- |\n| Apple | 3 |\n| Pear | 4 |"
	tests := map[string]struct {
		data []byte
		want string
		code string
	}{
		"a form and its data":        {dynamicForm("/NeedsRendering true", "", xfaTemplate, xfaData), filled, "xfa"},
		"a form that says nothing":   {dynamicForm("", "", xfaTemplate, xfaData), filled, "xfa"},
		"a form with fields of PDF":  {dynamicForm("", "<</T (a)>>", xfaTemplate, xfaData), stub, ""},
		"a form without text":        {dynamicForm("/NeedsRendering true", "", `<subform name="form1"><draw><value><arc/></value></draw></subform>`, ""), stub, "xfa"},
		"a form that is no XML":      {dynamicForm("/NeedsRendering true", "", "<<<", "&&&"), stub, "xfa"},
		"a form without data":        {dynamicForm("/NeedsRendering true", "", `<subform name="form1"><field name="who"><value><text>Default</text></value></field></subform>`, ""), "Default", "xfa"},
		"data that repeats one part": {dynamicForm("/NeedsRendering true", "", `<subform name="form1"><subform name="a"><field name="b"/></subform></subform>`, "<form1><a><b>1</b></a><a><b>2</b></a></form1>"), "1", "xfa"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := pdf.Read(t.Context(), bytes.NewReader(test.data), int64(len(test.data)), pdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := markdown.Render(t.Context(), &b, d.Root, nil); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(b.String()); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			var codes []string
			for _, w := range d.Warnings {
				codes = append(codes, w.Code)
			}
			if code := strings.Join(codes, " "); code != test.code {
				t.Errorf("warnings %q, want %q", code, test.code)
			}
		})
	}
}

// TestXFABounds reads data that repeats a large subform many times, and a
// deeply nested template.
func TestXFABounds(t *testing.T) {
	template := `<subform name="form1"><subform name="a"><occur max="-1"/>` + strings.Repeat("<draw/>", 3000) + `</subform><draw><value><text>End</text></value></draw></subform>`
	deep := strings.Repeat(`<subform name="a">`, 200) + `<draw><value><text>Deep</text></value></draw>` + strings.Repeat("</subform>", 200)
	tests := map[string]struct {
		data []byte
		lost string
	}{
		"repeats": {dynamicForm("/NeedsRendering true", "", template, "<form1>"+strings.Repeat("<a/>", 100_000)+"</form1>"), "at least 1998668"},
		"deep":    {dynamicForm("/NeedsRendering true", "", deep, ""), "1"},
	}
	for name, test := range tests {
		d, err := pdf.Read(t.Context(), bytes.NewReader(test.data), int64(len(test.data)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, d.Root, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "End") || strings.Contains(b.String(), "Deep") {
			t.Errorf("%s: read to the end", name)
		}
		want := pdf.Warning{Code: "truncated", Page: 1, Text: "The form has more parts than are read: " + test.lost + " fields and texts were left out."}
		if !slices.Contains(d.Warnings, want) {
			t.Errorf("%s: no count in %v", name, d.Warnings)
		}
	}
}
