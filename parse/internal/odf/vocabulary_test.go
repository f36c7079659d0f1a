// SPDX-License-Identifier: Apache-2.0

package odf_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/zipxmltest"
)

// oldSpace has the namespaces of OpenOffice 1.
var oldSpace = `xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:fo="http://www.w3.org/1999/XSL/Format" ` +
	`xmlns:svg="http://www.w3.org/2000/svg" xmlns:draw="http://openoffice.org/2000/drawing" xmlns:number="http://openoffice.org/2000/datastyle" ` +
	strings.NewReplacer("*", "http://openoffice.org/2000/").Replace(`xmlns:office="*office" xmlns:style="*style" xmlns:text="*text" xmlns:table="*table" xmlns:presentation="*presentation" xmlns:chart="*chart" xmlns:meta="*meta" xmlns:form="*form"`)

// TestOld reads documents of OpenOffice 1. They must give the same tree as the same
// document in OpenDocument.
func TestOld(t *testing.T) {
	for _, c := range []struct{ what, kind, styles, old, newStyles, new string }{
		{
			"lists", "odt", "",
			`<text:ordered-list><text:list-item><text:p>one</text:p><text:unordered-list><text:list-item><text:p>in</text:p></text:list-item></text:unordered-list></text:list-item></text:ordered-list>`, "",
			`<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>in</text:p></text:list-item></text:list></text:list-item></text:list>`,
		},
		{
			"headings, tabs and notes", "odt", "",
			`<text:h text:level="2">Head</text:h><text:p>a<text:tab-stop/>b<text:footnote text:id="f"><text:footnote-citation>1</text:footnote-citation><text:footnote-body><text:p>foot</text:p></text:footnote-body></text:footnote>` +
				`<text:endnote><text:endnote-citation>i</text:endnote-citation><text:endnote-body><text:p>end</text:p></text:endnote-body></text:endnote></text:p>`, "",
			`<text:h text:outline-level="2">Head</text:h><text:p>a<text:tab/>b<text:note text:id="f"><text:note-citation>1</text:note-citation><text:note-body><text:p>foot</text:p></text:note-body></text:note>` +
				`<text:note><text:note-citation>i</text:note-citation><text:note-body><text:p>end</text:p></text:note-body></text:note></text:p>`,
		},
		{
			"looks", "odt",
			`<style:style style:name="T" style:family="text"><style:properties fo:font-weight="bold" style:text-underline="single" style:text-crossing-out="single-line"/></style:style>`,
			`<text:p>a <text:span text:style-name="T">b</text:span></text:p>`,
			`<style:style style:name="T" style:family="text"><style:text-properties fo:font-weight="bold" style:text-underline-style="solid" style:text-line-through-style="solid"/></style:style>`,
			`<text:p>a <text:span text:style-name="T">b</text:span></text:p>`,
		},
		{
			"comments", "odt", "",
			`<text:p>a<office:annotation office:author="Ann" office:create-date="2001-02-03T00:00:00"><text:p>note</text:p></office:annotation></text:p>`, "",
			`<text:p>a<office:annotation><dc:creator>Ann</dc:creator><dc:date>2001-02-03T00:00:00</dc:date><text:p>note</text:p></office:annotation></text:p>`,
		},
		{
			"boxes, pictures and inner tables", "odt", "",
			`<text:p><draw:text-box><text:p>boxed</text:p></draw:text-box><draw:image xlink:href="#Pictures/1.png"><svg:desc>A duck</svg:desc></draw:image></text:p>` +
				`<table:table><table:table-row><table:table-cell><table:sub-table><table:table-row><table:table-cell><text:p>in</text:p></table:table-cell></table:table-row></table:sub-table></table:table-cell></table:table-row></table:table>`, "",
			`<text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame><draw:frame><draw:image xlink:href="Pictures/1.png"/><svg:desc>A duck</svg:desc></draw:frame></text:p>` +
				`<table:table><table:table-row><table:table-cell><table:table><table:table-row><table:table-cell><text:p>in</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>`,
		},
		{
			"cells", "ods", "",
			`<table:table table:name="S"><table:table-row><table:table-cell table:value-type="float" table:value="1.5"><office:annotation office:author="Bob"><text:p>why</text:p></office:annotation><text:p>1.50</text:p></table:table-cell>` +
				`<table:table-cell table:value-type="string" table:string-value="text"><text:p>text</text:p></table:table-cell><table:table-cell table:value-type="boolean" table:boolean-value="true"><text:p>TRUE</text:p></table:table-cell></table:table-row></table:table>`, "",
			`<table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="1.5"><office:annotation><dc:creator>Bob</dc:creator><text:p>why</text:p></office:annotation><text:p>1.50</text:p></table:table-cell>` +
				`<table:table-cell office:value-type="string" office:string-value="text"><text:p>text</text:p></table:table-cell><table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>TRUE</text:p></table:table-cell></table:table-row></table:table>`,
		},
		{
			"slides", "odp", "",
			`<draw:page draw:name="p1"><draw:text-box presentation:class="title"><text:p>Title</text:p></draw:text-box><draw:text-box presentation:class="outline"><text:unordered-list><text:list-item><text:p>point</text:p></text:list-item></text:unordered-list></draw:text-box>` +
				`<presentation:notes><draw:text-box presentation:class="notes"><text:p>say</text:p></draw:text-box></presentation:notes></draw:page>`, "",
			`<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Title</text:p></draw:text-box></draw:frame><draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>point</text:p></text:list-item></text:list></draw:text-box></draw:frame>` +
				`<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>say</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`,
		},
	} {
		old := zipxmltest.Pack(
			zipxmltest.Part{Name: "mimetype", Text: "application/vnd.sun.xml.writer"},
			zipxmltest.Part{Name: "content.xml", Text: `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE office:document-content PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "office.dtd">` +
				`<office:document-content ` + oldSpace + `><office:script/><office:font-decls/><office:automatic-styles>` + c.styles + `</office:automatic-styles><office:body>` + c.old + `</office:body></office:document-content>`},
			zipxmltest.Part{Name: "META-INF/manifest.xml", Text: `<manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest"/>`},
			zipxmltest.Part{Name: "meta.xml", Text: `<office:document-meta ` + oldSpace + `><office:meta><dc:title>Old</dc:title></office:meta></office:document-meta>`},
		)
		kind, packed, _ := build([]zipxmltest.Part{{Name: "automatic", Text: c.newStyles}, {Name: c.kind, Text: c.new}, {Name: "meta", Text: "<dc:title>Old</dc:title>"}})
		if got, want := doctreetest.Show(t, read(t, kind, old, 0)), doctreetest.Show(t, read(t, kind, packed, 0)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, want)
		}
	}
}
