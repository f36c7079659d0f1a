// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"strings"

	"example.com/curlew/internal/zipxml"
)

// Words maps the namespaces of Office Open XML to prefixes. Transitional and
// Strict namespaces have the same prefix.
var Words = zipxml.Vocabulary{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":              "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                          "w",
	"http://schemas.openxmlformats.org/presentationml/2006/main":                "p",
	"http://purl.oclc.org/ooxml/presentationml/main":                            "p",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                     "a",
	"http://purl.oclc.org/ooxml/drawingml/main":                                 "a",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing":    "wp",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":                "wp",
	"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing":       "xdr",
	"http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing":                   "xdr",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":                  "pic",
	"http://purl.oclc.org/ooxml/drawingml/picture":                              "pic",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                    "c",
	"http://purl.oclc.org/ooxml/drawingml/chart":                                "c",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":                  "dgm",
	"http://purl.oclc.org/ooxml/drawingml/diagram":                              "dgm",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":                "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                            "m",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":       "r",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                   "r",
	"http://schemas.openxmlformats.org/package/2006/relationships":              "rel",
	"http://schemas.openxmlformats.org/package/2006/content-types":              "ct",
	"http://schemas.openxmlformats.org/package/2006/metadata/core-properties":   "cp",
	"http://purl.org/dc/elements/1.1/":                                          "dc",
	"http://purl.org/dc/terms/":                                                 "dcterms",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":               "mc",
	"http://schemas.microsoft.com/office/word/2010/wordml":                      "w14",
	"http://schemas.microsoft.com/office/word/2012/wordml":                      "w15",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":         "wps",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":         "wpg",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas":        "wpc",
	"http://schemas.microsoft.com/office/drawing/2008/diagram":                  "dsp",
	"http://schemas.microsoft.com/office/drawing/2010/main":                     "a14",
	"http://schemas.microsoft.com/office/drawing/2016/SVG/main":                 "asvg",
	"http://schemas.microsoft.com/office/drawing/2014/chartex":                  "cx",
	"http://schemas.microsoft.com/office/powerpoint/2010/main":                  "p14",
	"http://schemas.microsoft.com/office/powerpoint/2018/8/main":                "p188",
	"http://schemas.microsoft.com/office/powerpoint/2012/main":                  "p15",
	"http://schemas.microsoft.com/office/drawing/2017/decorative":               "adec",
	"urn:schemas-microsoft-com:vml":                                             "v",
	"urn:schemas-microsoft-com:office:office":                                   "o",
	"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": "app",
	"http://purl.oclc.org/ooxml/officeDocument/extendedProperties":              "app",
	"http://schemas.microsoft.com/office/visio/2012/main":                       "vs",
	"http://schemas.microsoft.com/office/2006/xmlPackage":                       "pkg",
}

// Alternative returns the content to use for an mc:AlternateContent: the
// first Choice whose required namespaces are all known, otherwise the
// Fallback, or nil if there is neither (ECMA-376 part 3, 7.5).
func Alternative(e *zipxml.Element) *zipxml.Element {
	for c := e.Named("mc:Choice"); c != nil; c = c.Same() {
		known := true
		for prefix := range strings.FieldsSeq(c.Attr("Requires")) {
			switch prefix {
			case "wps", "wpg", "wpc", "w14", "w15", "wp14", "a14", "p14", "p15", "c14", "v", "m", "dsp", "aink", "adec", "asvg", "c16r2", "p159", "wpi", "xdr14",
				"cx", "cx1", "cx2", "cx4":
			case "am3d", "psuz", "pslz":
				known = false
			default:
				known = e.Get("mc:Fallback") == nil
			}
		}
		if known {
			return c
		}
	}
	return e.Get("mc:Fallback")
}

// On reports whether a boolean property is present and not set to false.
func On(e *zipxml.Element) bool {
	if e == nil {
		return false
	}
	return Bool(Val(e), true)
}

// Val returns the val attribute of a property in WordprocessingML,
// mathematics or DrawingML.
func Val(e *zipxml.Element) string {
	for _, name := range [...]string{"w:val", "val", "m:val", "w14:val", "w15:val"} {
		if v, ok := e.Lookup(name); ok {
			return v
		}
	}
	return ""
}

// Bool parses a boolean value; other is the result for "".
func Bool(s string, other bool) bool {
	switch s {
	case "":
		return other
	case "0", "false", "off", "none":
		return false
	}
	return true
}
