// SPDX-License-Identifier: Apache-2.0

package odf

import "example.com/curlew/internal/zipxml"

// words maps the namespaces of OpenDocument, and of its predecessor OpenOffice 1, to
// prefixes, and names of OpenOffice 1 to those of OpenDocument.
var words = zipxml.Vocabulary{
	"urn:oasis:names:tc:opendocument:xmlns:office:1.0":                     "office",
	"urn:oasis:names:tc:opendocument:xmlns:style:1.0":                      "style",
	"urn:oasis:names:tc:opendocument:xmlns:text:1.0":                       "text",
	"urn:oasis:names:tc:opendocument:xmlns:table:1.0":                      "table",
	"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":                    "draw",
	"urn:oasis:names:tc:opendocument:xmlns:presentation:1.0":               "presentation",
	"urn:oasis:names:tc:opendocument:xmlns:chart:1.0":                      "chart",
	"urn:oasis:names:tc:opendocument:xmlns:meta:1.0":                       "meta",
	"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0":                   "manifest",
	"urn:oasis:names:tc:opendocument:xmlns:form:1.0":                       "form",
	"urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0":                  "number",
	"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0":          "fo",
	"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0":             "svg",
	"http://openoffice.org/2009/office":                                    "office",
	"http://openoffice.org/2010/draw":                                      "draw",
	"urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0": "loext",
	"urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0":     "field",
	"http://www.w3.org/1999/xlink":                                         "xlink",
	"http://purl.org/dc/elements/1.1/":                                     "dc",
	"http://www.w3.org/1998/Math/MathML":                                   "math",

	"http://openoffice.org/2000/office":       "office",
	"http://openoffice.org/2000/style":        "style",
	"http://openoffice.org/2000/text":         "text",
	"http://openoffice.org/2000/table":        "table",
	"http://openoffice.org/2000/drawing":      "draw",
	"http://openoffice.org/2000/presentation": "presentation",
	"http://openoffice.org/2000/chart":        "chart",
	"http://openoffice.org/2000/meta":         "meta",
	"http://openoffice.org/2001/manifest":     "manifest",
	"http://openoffice.org/2000/form":         "form",
	"http://openoffice.org/2000/datastyle":    "number",
	"http://www.w3.org/1999/XSL/Format":       "fo",
	"http://www.w3.org/2000/svg":              "svg",

	"office:script":           "office:scripts",
	"style:properties":        "style:text-properties",
	"style:text-underline":    "style:text-underline-style",
	"style:text-crossing-out": "style:text-line-through-style",
	"text:ordered-list":       "text:list",
	"text:unordered-list":     "text:list",
	"text:tab-stop":           "text:tab",
	"text:footnote":           "text:note",
	"text:endnote":            "text:note",
	"text:footnote-body":      "text:note-body",
	"text:endnote-body":       "text:note-body",
	"table:sub-table":         "table:table",
	"table:value-type":        "office:value-type",
	"table:value":             "office:value",
	"table:date-value":        "office:date-value",
	"table:time-value":        "office:time-value",
	"table:boolean-value":     "office:boolean-value",
	"table:string-value":      "office:string-value",
}
