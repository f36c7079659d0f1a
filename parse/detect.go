// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// Detection says what a document is, and by which evidence.
type Detection struct {
	Kind       Kind    // empty where nothing fits
	Confidence float64 // 0..1
	Declared   Kind    // what name and type say; empty where they say nothing
	Evidence   string  // for people
	Encrypted  bool    // the container says so; Kind may be empty then
	Err        error   // of Source.Data; the rest is empty then

	also   Kind // what the bytes could be read as besides; empty for nothing
	locked bool // a container of Office that a password opens
	broken bool // a container that is cut or otherwise beyond reading
}

// disagrees reports whether what is declared is worth a warning.
func (d Detection) disagrees() bool {
	if d.Declared == "" || d.Declared == d.Kind {
		return false
	}
	// Text is what servers and systems call anything that is readable.
	return d.Declared != Text || !d.Kind.isText() || d.Kind == HTML
}

// What detection reads of a document, besides the directory of a container and
// what may be JSON as a whole.
const (
	headSize = 4 << 10
	tailSize = 64 << 10
)

// Detect reads what it must of src and no more: the first 4 KiB, the last 64,
// the directory of a container; all of what begins and ends as JSON does. The
// first of these decides: a signature at the start, the parts of a container,
// the signs of HTML, XML and mail, then, for text without a declaration or
// with one of text, JSON by its syntax and all else by declaration.
func Detect(src Source) Detection {
	if err := src.measure(Unlimited); err != nil {
		return Detection{Err: err}
	}
	if src.Size <= 0 || src.Data == nil {
		return Detection{Evidence: "empty"}
	}
	x := exhibit{src: src}
	var err error
	if x.head, err = x.bytes(0, headSize); err == nil {
		x.tail, err = x.bytes(src.Size-tailSize, tailSize)
	}
	if err != nil {
		return Detection{Err: err}
	}
	said := declared(src)
	var d Detection
	for _, test := range []func(*exhibit, declaration) Detection{
		bySignature, byContainer, byMarkup, byMail, byLatePDF, byLateZip, byText,
	} {
		if d = test(&x, said); d.Kind != "" || d.Evidence != "" {
			break
		}
	}
	if d.Evidence == "" {
		d.Evidence = "no known signature, not text"
	}
	d.Declared, d.also = said.kind, x.also(d.Kind)
	return d
}

// also returns what a document of kind is besides: a PDF that begins soon after
// its start, or a container whose directory stands at its end.
func (x *exhibit) also(kind Kind) Kind {
	if kind != "" && kind != PDF && bytes.Contains(x.head[:min(len(x.head), 1024)], []byte("%PDF-")) && bytes.Contains(x.tail, []byte("startxref")) {
		return PDF
	}
	switch kind {
	case PDF, RTF, Image, HTML, DOC, XLS, PPT, MSG:
		if bytes.Contains(x.tail, []byte("PK\x05\x06")) {
			return byZip(x).Kind
		}
	}
	return ""
}

// exhibit is what detection has of a document.
type exhibit struct {
	src        Source
	head, tail []byte
}

// bytes returns up to size bytes from offset at, less where the document ends;
// a negative offset is 0.
func (x *exhibit) bytes(at int64, size int) ([]byte, error) {
	at = max(at, 0)
	size = int(max(min(int64(size), x.src.Size-at), 0))
	b := make([]byte, size)
	n, err := x.src.Data.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

func bySignature(x *exhibit, _ declaration) Detection {
	for _, s := range []struct {
		at   int
		sign string
		kind Kind
	}{
		{0, "%PDF-", PDF},
		{0, `{\rtf`, RTF},
		{0, "\x89PNG\r\n\x1A\n", Image},
		{0, "\xFF\xD8\xFF", Image}, // JPEG
		{0, "GIF87a", Image},
		{0, "GIF89a", Image},
		{8, "WEBP", Image},
		{0, "II*\x00", Image}, // TIFF
		{0, "MM\x00*", Image},
		{0, "\x00\x00\x00\x0CjP  \r\n\x87\n", Image}, // JPEG 2000
		{0, "\xFF\x4F\xFF\x51", Image},
	} {
		if len(x.head) < s.at || !bytes.HasPrefix(x.head[s.at:], []byte(s.sign)) {
			continue
		}
		if s.sign == "WEBP" && !bytes.HasPrefix(x.head, []byte("RIFF")) {
			continue
		}
		return Detection{Kind: s.kind, Confidence: 1, Evidence: "signature"}
	}
	// Word writes nothing before it, mail programs and people do.
	if strings.HasPrefix(strings.TrimLeft(plain(x.head), " \t\r\n\x00"), `{\rtf1`) {
		return Detection{Kind: RTF, Confidence: .98, Evidence: "signature after white space"}
	}
	// HEIF and its kin: a box of brands before all others.
	if h := x.head; len(h) >= 12 && string(h[4:8]) == "ftyp" && slices.Contains(heifBrands[:], string(h[8:12])) {
		return Detection{Kind: Image, Confidence: 1, Evidence: "signature"}
	}
	// Two letters are no signature: BMP has four zeros and the size of a header.
	if h := x.head; len(h) > 18 && string(h[:2]) == "BM" && string(h[6:10]) == "\x00\x00\x00\x00" &&
		slices.Contains([]byte{12, 40, 52, 56, 64, 108, 124}, h[14]) && string(h[15:18]) == "\x00\x00\x00" {
		return Detection{Kind: Image, Confidence: 1, Evidence: "signature"}
	}
	return Detection{}
}

// heifBrands are the major brands of still and moving pictures in HEIF (ISO/IEC
// 23008-12) and AVIF.
var heifBrands = [...]string{"avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}

// byContainer looks into ZIP and OLE files.
func byContainer(x *exhibit, said declaration) Detection {
	switch {
	case bytes.HasPrefix(x.head, []byte(oleMagic)):
		return byOLE(x, said)
	case bytes.HasPrefix(x.head, []byte("PK\x03\x04")) || bytes.HasPrefix(x.head, []byte("PK\x05\x06")) ||
		bytes.HasPrefix(x.head, []byte("PK\x01\x02")):
		return byZip(x)
	}
	return Detection{}
}

// htmlTags begin HTML (WHATWG MIME Sniffing 7.1), the sure ones first.
var htmlTags = [...]string{
	"!doctype html", "html", "head", "body", "script", "style", "title", "iframe",
	"h1", "div", "font", "table", "a", "b", "br", "p",
}

const sureTags = 4

// byMarkup knows HTML and XML by how they begin.
func byMarkup(x *exhibit, said declaration) Detection {
	text := strings.TrimLeft(plain(x.head), " \t\r\n\f")
	if !strings.HasPrefix(text, "<") {
		return Detection{}
	}
	// A README may begin with a div, and feeds with a comment.
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

// byXML knows XML by its declaration, or by a root element that the document
// ends with.
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
	case local == "document" && strings.Contains(rest, "urn:oasis:names:tc:opendocument:xmlns:office:1.0"):
		if kind := odfKind(mimetypeOf(rest)); kind != "" {
			return Detection{Kind: kind, Confidence: .98, Evidence: "flat ODF"}
		}
	}
	weak := said.kind == Markdown || said.kind == HTML && ofHTML(local) // then a root element proves nothing
	if declared || root != "" && (said.kind == XML || !weak && x.closes(root)) {
		return Detection{Kind: XML, Confidence: .95, Evidence: "XML"}
	}
	return Detection{}
}

// ofHTML reports whether an element of that name stands in HTML, one that its
// author made up included.
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

// plain returns a piece of a document as text without its mark, UTF-16
// decoded, everything else byte for byte. Without a mark it is UTF-16 where it
// begins as XML does in it (XML 1.0, appendix F).
func plain(b []byte) string {
	for _, start := range []string{"<\x00?\x00", "\x00<\x00?"} {
		if bytes.HasPrefix(b, []byte(start)) {
			text, _ := dom.Decode(b, "")
			return text
		}
	}
	for _, mark := range []string{"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			text, _ := dom.Decode(b, "")
			return text
		}
	}
	return string(b)
}

// afterProlog skips declarations, comments and instructions before the root;
// it stops at a doctype of HTML.
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

// rootName returns the name of the tag that text begins with, or "".
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
		return "" // <https://…>, as Markdown writes it
	}
	return name[:end]
}

// mimetypeOf returns the office:mimetype of the root element at text.
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

// byLatePDF knows a PDF with bytes before it.
func byLatePDF(x *exhibit, _ declaration) Detection {
	if !bytes.Contains(x.head[:min(len(x.head), 1024)], []byte("%PDF-")) {
		return Detection{}
	}
	if bytes.Contains(x.tail, []byte("startxref")) || bytes.Contains(x.head, []byte(" obj")) || bytes.Contains(x.tail, []byte(" obj")) {
		return Detection{Kind: PDF, Confidence: .9, Evidence: "signature after other bytes"}
	}
	return Detection{}
}

// byLateZip knows a ZIP container with bytes before it.
func byLateZip(x *exhibit, _ declaration) Detection {
	if !bytes.Contains(x.tail, []byte("PK\x05\x06")) {
		return Detection{}
	}
	if d := byZip(x); d.Kind != "" {
		d.Confidence = .9
		return d
	}
	return Detection{}
}

// byText takes what reads as text, unless it is declared to be no text.
func byText(x *exhibit, said declaration) Detection {
	if said.binary || said.kind != "" && !said.kind.isText() {
		return Detection{}
	}
	share := readable(x.head)
	if share == 0 || share < 1 && said.kind == "" {
		return Detection{}
	}
	d := Detection{Kind: said.kind, Confidence: .8, Evidence: "text, by declaration"}
	switch {
	case said.kind != HTML && x.isJSON(said.kind == JSON):
		d = Detection{Kind: JSON, Confidence: .95, Evidence: "decodes as JSON"}
	case said.kind == "":
		d = Detection{Kind: Text, Confidence: .6, Evidence: "text"}
	}
	return d
}

// readable returns 1 for UTF-8 or marked UTF-16 without control characters to
// speak of, 1/2 for other bytes of which that is true, and 0 for no text.
func readable(head []byte) float64 {
	text := string(head)
	if name := charsetOf(head); strings.HasPrefix(name, "utf-16") {
		text, _ = dom.Decode(head, "")
		if !decodedWhole(text, head) {
			return 0
		}
	}
	controls := 0
	for _, c := range []byte(text) {
		if c < 0x20 && !strings.ContainsRune("\t\n\r\f\v\x1b", rune(c)) {
			controls++
		}
	}
	switch cut := strings.ToValidUTF8(text, ""); {
	case controls*1000 >= max(len(text), 1000):
		return 0
	case strings.Contains(text, "\x00"):
		return 0
	case len(text)-len(cut) < utf8.UTFMax && (len(cut) == len(text) || len(head) == headSize):
		return 1
	case controls == 0:
		return .5
	}
	return 0
}

// decodedWhole reports whether text has nearly all the units of the UTF-16 in
// head: decoding drops controls, of which bytes that are no text have many.
func decodedWhole(text string, head []byte) bool {
	units, lost := 0, 0
	for _, r := range text {
		units++
		switch {
		case r > 0xFFFF:
			units++
		case r == utf8.RuneError:
			lost++
		}
	}
	if head[0] >= 0xFE {
		units++ // the mark
	}
	return (units-lost)*100 >= (len(head)+1)/2*95
}

// charsetOf returns the encoding of head where NULs or a mark may make it
// UTF-16.
func charsetOf(head []byte) string {
	if !bytes.Contains(head, []byte{0}) && !bytes.HasPrefix(head, []byte("\xFF\xFE")) && !bytes.HasPrefix(head, []byte("\xFE\xFF")) {
		return ""
	}
	_, name := dom.Decode(head, "")
	return name
}

// isJSON reports whether all of the document is JSON. Without a declaration it
// has to be an object or an array.
func (x *exhibit) isJSON(scalars bool) bool {
	first := strings.TrimLeft(plain(x.head), " \t\r\n")
	last := strings.TrimRight(string(x.tail), " \t\r\n\x00")
	if first == "" || last == "" {
		return false
	}
	if ends := string([]byte{first[0], last[len(last)-1]}); !scalars && ends != "{}" && ends != "[]" {
		return false
	}
	if x.src.Size > 50<<20 {
		return false
	}
	data, err := x.bytes(0, int(x.src.Size))
	if err != nil {
		return false
	}
	if text := plain(data); len(text) != len(data) {
		data = []byte(text)
	}
	return json.Valid(data)
}
