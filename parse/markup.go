// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"encoding/xml"
	"strings"

	"golang.org/x/net/html/atom"
)

// htmlTags are the tags that an HTML document may begin with (WHATWG MIME
// Sniffing 7.1). The first sureTags of them occur only in HTML.
var htmlTags = [...]string{
	"!doctype html", "html", "head", "body", "script", "style", "title", "iframe",
	"h1", "div", "font", "table", "a", "b", "br", "p",
}

const sureTags = 4

// byMarkup detects HTML and XML by their first tag.
func byMarkup(x *exhibit, said declaration) Detection {
	text := strings.TrimLeft(x.start(), " \t\r\n\f")
	if !strings.HasPrefix(text, "<") {
		return Detection{}
	}
	// Declared text is HTML only by a sure tag: a README may begin with a
	// div, and a feed with a comment.
	texty := said.kind != HTML && said.kind != Text && said.kind.isText()
	for i, tag := range htmlTags {
		if i >= sureTags && texty {
			break
		}
		if len(text) > 1+len(tag) && strings.EqualFold(text[1:1+len(tag)], tag) && strings.ContainsRune(" \t\r\n\f>/", rune(text[1+len(tag)])) {
			return Detection{Kind: HTML, Confidence: .98, Evidence: "begins as HTML"}
		}
	}
	if strings.HasPrefix(text, "<!--") && !texty {
		rest := afterProlog(text)
		if root := rootName(rest); root == "" || strings.EqualFold(root, "html") || !x.closes(root) {
			return Detection{Kind: HTML, Confidence: .9, Evidence: "begins as HTML"}
		}
	}
	return byXML(x, text, said)
}

// byXML detects XML by its declaration, or by a root element whose end tag
// ends the document. It also detects XHTML, and Office documents that are one XML file:
// flat OpenDocument files, Flat OPC, and documents of Word 2003 and Excel 2003.
func byXML(x *exhibit, text string, said declaration) Detection {
	declared := strings.HasPrefix(text, "<?xml")
	rest := afterProlog(text)
	root := rootName(rest)
	_, local, ok := strings.Cut(root, ":")
	if !ok {
		local = root
	}
	switch {
	case strings.EqualFold(local, "html") || declared && strings.HasPrefix(strings.ToLower(rest), "<!doctype html"):
		return Detection{Kind: HTML, Confidence: .98, Evidence: "XHTML"}
	case local == "Workbook" && strings.Contains(rest, `"urn:schemas-microsoft-com:office:spreadsheet"`):
		return Detection{Kind: XLS, Confidence: .98, Evidence: "Excel 2003 XML", inXML: true}
	case local == "wordDocument" && strings.Contains(rest, `"http://schemas.microsoft.com/office/word/2003/wordml"`):
		return Detection{Kind: DOC, Confidence: .98, Evidence: "Word 2003 XML", inXML: true}
	case local == "package" && strings.Contains(rest, `"http://schemas.microsoft.com/office/2006/xmlPackage"`):
		if kind := x.packageKind(); kind != "" {
			return Detection{Kind: kind, Confidence: .98, Evidence: "Flat OPC", inXML: true}
		}
	case local == "document" && strings.Contains(rest, "urn:oasis:names:tc:opendocument:xmlns:office:1.0"):
		if kind := odfKind(mimetypeOf(rest)); kind != "" {
			return Detection{Kind: kind, Confidence: .98, Evidence: "flat ODF", inXML: true}
		}
	}
	weak := said.kind == Markdown || said.kind == HTML && ofHTML(local) // a root element is no proof here
	if declared || root != "" && (said.kind == XML || !weak && x.closes(root)) {
		return Detection{Kind: XML, Confidence: .95, Evidence: "XML"}
	}
	return Detection{}
}

// maxPackage is the size of the largest Flat OPC whose parts are searched for the main one.
const maxPackage = 50 << 20

// packageKind returns the kind of a package that is one XML file, by the content type of
// its main part. It returns "" if there is none.
func (x *exhibit) packageKind() Kind {
	if kind := mainKind(x.start()); kind != "" || x.src.Size > maxPackage || x.src.Size <= headSize {
		return kind
	}
	all, err := x.bytes(0, int(x.src.Size))
	if err != nil {
		return ""
	}
	return mainKind(plain(all))
}

// mainKind returns the kind that the content type of a main part in text tells.
func mainKind(text string) Kind {
	for {
		before, after, ok := strings.Cut(text, "main+xml")
		if !ok {
			return ""
		}
		before = before[max(0, len(before)-100):]
		if kind := ooxmlKind(before[strings.LastIndexAny(before, `"'`)+1:]); kind != "" {
			return kind
		}
		text = after
	}
}

// ofHTML reports whether name is an HTML element or a custom element.
func ofHTML(name string) bool {
	return atom.Lookup([]byte(strings.ToLower(name))) != 0 || strings.Contains(name, "-")
}

// closes reports whether the document ends with the end tag of root.
func (x *exhibit) closes(root string) bool {
	text := strings.TrimRight(plain(x.tail), " \t\r\n\x00")
	end, ok := strings.CutSuffix(text, ">")
	if !ok {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(end, " \t\r\n"), "</"+root)
}

// afterProlog skips XML declarations, comments, processing instructions and
// doctypes before the root element. It stops at an HTML doctype.
func afterProlog(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f")
		var end string
		switch {
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		case strings.HasPrefix(text, "<!") && !strings.HasPrefix(strings.ToLower(text), "<!doctype html"):
			end = ">"
			if dtd := strings.IndexByte(text, '['); dtd >= 0 && dtd < strings.IndexByte(text, '>') {
				end = "]>"
			}
		default:
			return text
		}
		_, rest, ok := strings.Cut(text, end)
		if !ok {
			return ""
		}
		text = rest
	}
}

// rootName returns the name of the tag at the start of text, or "" if there
// is none.
func rootName(text string) string {
	name, ok := strings.CutPrefix(text, "<")
	if !ok {
		return ""
	}
	end := strings.IndexAny(name, " \t\r\n/>")
	if end <= 0 || strings.ContainsAny(name[:end], "<&\"'=()[]{}!?;,@#$%*+|\\^`~") || '0' <= name[0] && name[0] <= '9' || name[0] == '-' {
		return ""
	}
	if strings.Contains(name[:end], ":/") || strings.HasSuffix(name[:end], ":") {
		return "" // <https://…> is a link in Markdown
	}
	return name[:end]
}

// mimetypeOf returns the office:mimetype attribute of the root element in
// text.
func mimetypeOf(text string) string {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			if a.Name.Local == "mimetype" {
				return a.Value
			}
		}
		return ""
	}
}
