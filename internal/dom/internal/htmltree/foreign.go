// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	a "golang.org/x/net/html/atom"
)

// parseForeignContent: see HTML 13.2.6.5.
func parseForeignContent(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		p.framesetOK = p.framesetOK && strings.TrimLeft(p.tok.data, whitespace) == ""
		p.addText(p.tok.data)
	case comment:
		p.addComment()
	case startTag:
		return p.startForeign()
	case endTag:
		return p.endForeign()
	}
	return true
}

// startForeign handles the current start tag in foreign content.
func (p *parser) startForeign() bool {
	if breakout[p.tok.data] || p.tok.atom == a.Font && hasFontAttr(p.tok.attr) {
		for i, e := range slices.Backward(p.oe) {
			if n := e.node; n.Namespace == "" || htmlIntegrationPoint(n) || mathMLTextIntegrationPoint(n) {
				p.oe = p.oe[:i+1]
				break
			}
		}
		return p.im(p)
	}
	namespace := p.oe.top().Namespace
	if namespace == "math" {
		adjustAttributeNames(p.tok.attr, mathMLAttributeAdjustments)
	} else {
		// Tag names are in lower case, but some names of SVG contain upper case
		// letters.
		if name := svgTagNameAdjustments[p.tok.data]; name != "" {
			p.tok.atom, p.tok.data = a.Lookup([]byte(name)), name
		}
		adjustAttributeNames(p.tok.attr, svgAttributeAdjustments)
	}
	adjustForeignAttributes(p.tok.attr)
	p.addElement(namespace)
	p.z.raw = "" // the content of a title in foreign content is markup
	if p.tok.closed {
		p.oe.pop()
	}
	return true
}

// hasFontAttr reports whether the attributes of a font element mean that it is
// HTML.
func hasFontAttr(attrs []html.Attribute) bool {
	return slices.ContainsFunc(attrs, func(t html.Attribute) bool { return t.Key == "color" || t.Key == "face" || t.Key == "size" })
}

// endForeign handles the current end tag in foreign content.
func (p *parser) endForeign() bool {
	for i, e := range slices.Backward(p.oe) {
		if strings.EqualFold(e.node.Data, p.tok.data) {
			p.oe = p.oe[:i]
			return true
		}
		if i > 0 && p.oe[i-1].is&foreign == 0 {
			break
		}
	}
	return p.im(p)
}

// inForeignContent: see HTML 13.2.6.
func (p *parser) inForeignContent() bool {
	if len(p.oe) == 0 {
		return false
	}
	top := &p.oe[len(p.oe)-1]
	if top.is&foreign == 0 {
		return false
	}
	n := top.node
	if mathMLTextIntegrationPoint(n) {
		if p.tok.kind == startTag && p.tok.atom != a.Mglyph && p.tok.atom != a.Malignmark {
			return false
		}
		if p.tok.kind == textToken {
			return false
		}
	}
	if n.Namespace == "math" && n.DataAtom == a.AnnotationXml && p.tok.kind == startTag && p.tok.atom == a.Svg {
		return false
	}
	if htmlIntegrationPoint(n) && (p.tok.kind == startTag || p.tok.kind == textToken) {
		return false
	}
	if p.tok.kind == endOfText {
		return false
	}
	return true
}

func adjustAttributeNames(aa []html.Attribute, nameMap map[string]string) {
	for i := range aa {
		if newName, ok := nameMap[aa[i].Key]; ok {
			aa[i].Key = newName
		}
	}
}

func adjustForeignAttributes(aa []html.Attribute) {
	for i, a := range aa {
		if a.Key == "" || a.Key[0] != 'x' {
			continue
		}
		switch a.Key {
		case "xlink:actuate", "xlink:arcrole", "xlink:href", "xlink:role", "xlink:show",
			"xlink:title", "xlink:type", "xml:lang", "xml:space", "xmlns:xlink":
			j := strings.Index(a.Key, ":")
			aa[i].Namespace = a.Key[:j]
			aa[i].Key = a.Key[j+1:]
		}
	}
}

func htmlIntegrationPoint(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.Namespace {
	case "math":
		if n.Data == "annotation-xml" {
			for _, a := range n.Attr {
				if a.Key == "encoding" {
					if strings.EqualFold(a.Val, "text/html") || strings.EqualFold(a.Val, "application/xhtml+xml") {
						return true
					}
				}
			}
		}
	case "svg":
		switch n.Data {
		case "desc", "foreignObject", "title":
			return true
		}
	}
	return false
}

func mathMLTextIntegrationPoint(n *html.Node) bool {
	if n.Namespace != "math" {
		return false
	}
	switch n.Data {
	case "mi", "mo", "mn", "ms", "mtext":
		return true
	}
	return false
}

// breakout: see HTML 13.2.6.5.
var breakout = map[string]bool{
	"b":          true,
	"big":        true,
	"blockquote": true,
	"body":       true,
	"br":         true,
	"center":     true,
	"code":       true,
	"dd":         true,
	"div":        true,
	"dl":         true,
	"dt":         true,
	"em":         true,
	"embed":      true,
	"h1":         true,
	"h2":         true,
	"h3":         true,
	"h4":         true,
	"h5":         true,
	"h6":         true,
	"head":       true,
	"hr":         true,
	"i":          true,
	"img":        true,
	"li":         true,
	"listing":    true,
	"menu":       true,
	"meta":       true,
	"nobr":       true,
	"ol":         true,
	"p":          true,
	"pre":        true,
	"ruby":       true,
	"s":          true,
	"small":      true,
	"span":       true,
	"strong":     true,
	"strike":     true,
	"sub":        true,
	"sup":        true,
	"table":      true,
	"tt":         true,
	"u":          true,
	"ul":         true,
	"var":        true,
}

// svgTagNameAdjustments: see HTML 13.2.6.5.
var svgTagNameAdjustments = map[string]string{
	"altglyph":            "altGlyph",
	"altglyphdef":         "altGlyphDef",
	"altglyphitem":        "altGlyphItem",
	"animatecolor":        "animateColor",
	"animatemotion":       "animateMotion",
	"animatetransform":    "animateTransform",
	"clippath":            "clipPath",
	"feblend":             "feBlend",
	"fecolormatrix":       "feColorMatrix",
	"fecomponenttransfer": "feComponentTransfer",
	"fecomposite":         "feComposite",
	"feconvolvematrix":    "feConvolveMatrix",
	"fediffuselighting":   "feDiffuseLighting",
	"fedisplacementmap":   "feDisplacementMap",
	"fedistantlight":      "feDistantLight",
	"feflood":             "feFlood",
	"fefunca":             "feFuncA",
	"fefuncb":             "feFuncB",
	"fefuncg":             "feFuncG",
	"fefuncr":             "feFuncR",
	"fegaussianblur":      "feGaussianBlur",
	"feimage":             "feImage",
	"femerge":             "feMerge",
	"femergenode":         "feMergeNode",
	"femorphology":        "feMorphology",
	"feoffset":            "feOffset",
	"fepointlight":        "fePointLight",
	"fespecularlighting":  "feSpecularLighting",
	"fespotlight":         "feSpotLight",
	"fetile":              "feTile",
	"feturbulence":        "feTurbulence",
	"foreignobject":       "foreignObject",
	"glyphref":            "glyphRef",
	"lineargradient":      "linearGradient",
	"radialgradient":      "radialGradient",
	"textpath":            "textPath",
}

// mathMLAttributeAdjustments: see HTML 13.2.6.1.
var mathMLAttributeAdjustments = map[string]string{
	"definitionurl": "definitionURL",
}

var svgAttributeAdjustments = map[string]string{
	"attributename":       "attributeName",
	"attributetype":       "attributeType",
	"basefrequency":       "baseFrequency",
	"baseprofile":         "baseProfile",
	"calcmode":            "calcMode",
	"clippathunits":       "clipPathUnits",
	"diffuseconstant":     "diffuseConstant",
	"edgemode":            "edgeMode",
	"filterunits":         "filterUnits",
	"glyphref":            "glyphRef",
	"gradienttransform":   "gradientTransform",
	"gradientunits":       "gradientUnits",
	"kernelmatrix":        "kernelMatrix",
	"kernelunitlength":    "kernelUnitLength",
	"keypoints":           "keyPoints",
	"keysplines":          "keySplines",
	"keytimes":            "keyTimes",
	"lengthadjust":        "lengthAdjust",
	"limitingconeangle":   "limitingConeAngle",
	"markerheight":        "markerHeight",
	"markerunits":         "markerUnits",
	"markerwidth":         "markerWidth",
	"maskcontentunits":    "maskContentUnits",
	"maskunits":           "maskUnits",
	"numoctaves":          "numOctaves",
	"pathlength":          "pathLength",
	"patterncontentunits": "patternContentUnits",
	"patterntransform":    "patternTransform",
	"patternunits":        "patternUnits",
	"pointsatx":           "pointsAtX",
	"pointsaty":           "pointsAtY",
	"pointsatz":           "pointsAtZ",
	"preservealpha":       "preserveAlpha",
	"preserveaspectratio": "preserveAspectRatio",
	"primitiveunits":      "primitiveUnits",
	"refx":                "refX",
	"refy":                "refY",
	"repeatcount":         "repeatCount",
	"repeatdur":           "repeatDur",
	"requiredextensions":  "requiredExtensions",
	"requiredfeatures":    "requiredFeatures",
	"specularconstant":    "specularConstant",
	"specularexponent":    "specularExponent",
	"spreadmethod":        "spreadMethod",
	"startoffset":         "startOffset",
	"stddeviation":        "stdDeviation",
	"stitchtiles":         "stitchTiles",
	"surfacescale":        "surfaceScale",
	"systemlanguage":      "systemLanguage",
	"tablevalues":         "tableValues",
	"targetx":             "targetX",
	"targety":             "targetY",
	"textlength":          "textLength",
	"viewbox":             "viewBox",
	"viewtarget":          "viewTarget",
	"xchannelselector":    "xChannelSelector",
	"ychannelselector":    "yChannelSelector",
	"zoomandpan":          "zoomAndPan",
}
