// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/dom"
	"example.com/curlew/parse/internal/doc"
	"example.com/curlew/parse/internal/xls"
)

// Detection is the result of [Detect]: the kind of a document and the
// evidence for it.
type Detection struct {
	Kind       Kind    // empty if unknown
	Confidence float64 // 0..1
	Declared   Kind    // the kind that name and media type declare; empty if they declare none
	Evidence   string  // the reason for the kind, for people to read
	Encrypted  bool    // the container says that its content is encrypted; Kind may be empty
	Err        error   // an error of Source.Data; all other fields are zero

	also   Kind // a second kind that the bytes could be read as; empty if there is none
	inXML  bool // an Office document that is one XML file
	locked bool // an encrypted Office container that a password opens
	broken bool // a container that is truncated or unreadable
}

// disagrees reports whether the declared kind differs enough from the
// detected kind for a warning.
func (d Detection) disagrees() bool {
	if d.Declared == "" || d.Declared == d.Kind {
		return false
	}
	if d.Declared == XML && d.inXML {
		return false
	}
	// Servers and systems declare anything readable as text.
	return d.Declared != Text || !d.Kind.isText() || d.Kind == HTML
}

// Bytes that detection reads from the start and the end of every document.
// It reads more only of container directories and of possible JSON.
const (
	headSize = 4 << 10
	tailSize = 64 << 10
)

// Detect finds out the kind of src. It reads the first 4 KiB, the last 64
// KiB, the directory of a container and, if the document begins and ends
// like JSON, all of it. The first rule that applies decides: a signature at
// the start, the parts of a container, the syntax of HTML, XML or mail, and
// then, for text, the declared name and type. Text that is valid JSON is
// JSON if it is declared as text or not at all. If src.Data panics, the error
// of the Detection is [ErrCorrupt].
func Detect(src Source) (d Detection) {
	defer func() {
		if v := recover(); v != nil { // src.Data may be code of the caller
			d = Detection{Err: fmt.Errorf("%w: reading its data panicked: %v", ErrCorrupt, v)}
		}
	}()
	if err := src.measure(Unlimited); err != nil {
		return Detection{Err: err}
	}
	if src.Size <= 0 || src.Data == nil {
		return Detection{Evidence: "empty"}
	}
	x := exhibit{src: src}
	var err error
	if x.tail, err = x.bytes(src.Size-tailSize, tailSize); err == nil {
		if x.head = x.tail[:min(len(x.tail), headSize)]; src.Size > tailSize {
			x.head, err = x.bytes(0, headSize)
		}
	}
	if err != nil {
		return Detection{Err: err}
	}
	said := declared(src)
	for _, test := range []func(*exhibit, declaration) Detection{
		bySignature, byContainer, byMarkup, byMail, byLatePDF, byLateZip, byText,
	} {
		if d = test(&x, said); d.Kind != "" || d.Evidence != "" {
			break
		}
	}
	if d.Evidence == "" {
		d.Evidence = cmp.Or(foreign(x.head), "no known signature, not text")
	}
	d.Declared, d.also = said.kind, x.also(d.Kind)
	return d
}

// foreign names the kind of a document that cannot be read, by its signature. It
// returns "" for others.
func foreign(head []byte) string {
	for _, s := range []struct{ sign, name string }{
		{"\xFFWPC", "WordPerfect document"},
		{"\xDB\xA5", "Word 2 document"},
		{"\x9B\xA5", "Word 1 document"},
		{"\xED\xDE\xAD\x0B", "presentation of PowerPoint 2 to 4"},
		{"WordPro\x00", "Lotus Word Pro document"},
		{"HWP Document File", "HWP document"},
		{"\xFE\x32\x00", "Word for Macintosh document"},
		{"\xFE\x34\x00", "Word for Macintosh document"},
		{"\xFE\x37\x00", "Word for Macintosh document"},
		{" T\x02\x00\x00\x00", "Microsoft Works database"},
		{"\x01\xFE", "Microsoft Works document"},
		{"\xFF\x00\x02\x00\x04\x04", "Microsoft Works spreadsheet"},
		{"\x00\x00\x1A\x00", "Lotus 1-2-3 worksheet"},
		{"\x00\x00\x02\x00\x06\x04", "Lotus 1-2-3 worksheet"},
		{"\x00\x00\x02\x00\x04\x04", "Lotus 1-2-3 worksheet"},
		{"\x00\x00\x02\x00\x01\x10", "Quattro Pro worksheet"},
		{"\x00\x00\x02\x00\x02\x10", "Quattro Pro worksheet"},
		{"\x00\x00\x02\x00\x20\x51", "Quattro Pro worksheet"},
		{"!BDN", "Outlook folder file (PST)"},
		{"AC10", "AutoCAD drawing"},
		{"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D\xAE\xB1\x53\x78\xD0\x29\x96\xD3", "OneNote section"},
		{"\xA1\x2F\xFF\x43\xD9\xEF\x76\x4C\x9E\xE2\x10\xEA\x57\x22\x76\x5F", "OneNote notebook"},
		{"MSCF\x00\x00\x00\x00", "CAB archive"},
		{"\x00\x01\x00\x00Standard Jet DB", "Microsoft Access database"},
		{"\x00\x01\x00\x00Standard ACE DB", "Microsoft Access database"},
		{"SQLite format 3\x00", "SQLite database"},
		{"ITSF\x03\x00\x00\x00", "compiled HTML help (CHM)"},
		{"AT&TFORM", "DjVu document"},
		{"\x1F\x8B", "gzip archive"},
		{"BZh", "bzip2 archive"},
		{"\xFD7zXZ\x00", "xz archive"},
		{"7z\xBC\xAF\x27\x1C", "7-Zip archive"},
		{"Rar!\x1A\x07", "RAR archive"},
		{"\x28\xB5\x2F\xFD", "Zstandard archive"},
		{"\x04\x22\x4D\x18", "LZ4 archive"},
		{"PAR1", "Parquet file"},
		{"ARROW1\x00\x00", "Arrow file"},
		{"Obj\x01", "Avro file"},
		{"ORC", "ORC file"},
		{"\x89HDF\r\n\x1A\n", "HDF5 file"},
		{"\x93NUMPY", "NumPy array"},
		{"MATLAB 5.0 MAT-file", "MATLAB file"},
		{"<stata_dta>", "Stata file"},
		{"$FL2@(#) ", "SPSS file"},
		{"\xCF\xAD\x12\xFE", "folder file of Outlook Express (DBX)"},
		{"ITOLITLS", "book of Microsoft Reader (LIT)"},
		{"\xC5\xD0\xD3\xC6", "PostScript picture (EPS)"},
		{"8BPS\x00", "Photoshop picture (PSD)"},
		{"\x00\x00\x01\x00", "icon"},
		{"L\x00\x00\x00\x01\x14\x02\x00", "Windows shortcut"},
		{"bplist00", "property list"},
		{"ID3", "sound or video"},
		{"OggS", "sound or video"},
		{"fLaC", "sound or video"},
		{"RIFF", "sound or video"},
		{"\x1A\x45\xDF\xA3", "sound or video"},
		{"\x00\x01\x00\x00\x00", "font"},
		{"OTTO", "font"},
		{"wOF", "font"},
		{"MZ", "program"},
		{"\x7FELF", "program"},
		{"\x00asm", "program"},
		{"\xCA\xFE\xBA\xBE", "program"},
		{"\xD7\xCD\xC6\x9A\x00\x00", "Windows metafile (WMF)"},
	} {
		if bytes.HasPrefix(head, []byte(s.sign)) {
			return s.name
		}
	}
	switch {
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return "tar archive"
	case len(head) > 8 && string(head[4:8]) == "ftyp":
		return "sound or video"
	case len(head) > 8 && string(head[4:8]) == "BOBO":
		return "AppleWorks document"
	case len(head) > 44 && string(head[40:44]) == " EMF":
		return "Windows metafile (EMF)"
	case len(head) > 68 && (string(head[60:68]) == "TEXtREAd" || string(head[60:68]) == "BOOKMOBI"):
		return "Palm or Mobipocket book"
	case isTable(head):
		return "dBASE table"
	}
	return ""
}

// isTable reports whether head is the start of a table of dBASE, Clipper or FoxPro: a
// version, a month and a day, and a header of as many fields as its length says.
func isTable(head []byte) bool {
	if len(head) < 64 || !strings.ContainsRune("\x03\x04\x0B\x30\x31\x32\x43\x63\x75", rune(head[0]&0x7F)) || head[2] == 0 || head[2] > 12 || head[3] == 0 || head[3] > 31 {
		return false
	}
	header, record := int(head[8])|int(head[9])<<8, int(head[10])|int(head[11])<<8
	return header >= 65 && header%32 <= 8 && record > 0 && strings.ContainsRune("CNDLMFBGPTYI", rune(head[43])) // the type of the first field
}

// also returns a second kind that a document of the given kind could be read
// as: a PDF whose header is within the first 1024 bytes, or a ZIP container
// whose central directory is at the end.
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

// exhibit holds the parts of a document that detection has read.
type exhibit struct {
	src        Source
	head, tail []byte
	text       string // of head; see start
}

// start returns the head as text; see [plain].
func (x *exhibit) start() string {
	if x.text == "" {
		x.text = plain(x.head)
	}
	return x.text
}

// bytes returns up to size bytes from offset at. It returns fewer at the end
// of the document. A negative offset counts as 0.
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
		{0, "\x78\x9F\x3E\x22", MSG}, // TNEF (winmail.dat)
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
	if xls.IsStream(x.head) {
		return Detection{Kind: XLS, Confidence: .98, Evidence: "records of Excel without a container"}
	}
	if doc.IsWrite(x.head) {
		return Detection{Kind: DOC, Confidence: .98, Evidence: "document of Windows Write or Word for DOS"}
	}
	// Word writes nothing before the signature, but mail programs and people
	// do.
	if strings.HasPrefix(strings.TrimLeft(x.start(), " \t\r\n\x00"), `{\rtf1`) {
		return Detection{Kind: RTF, Confidence: .98, Evidence: "signature after white space"}
	}
	// HEIF and AVIF files begin with an ftyp box that names their brand.
	if h := x.head; len(h) >= 12 && string(h[4:8]) == "ftyp" && slices.Contains(heifBrands[:], string(h[8:12])) {
		return Detection{Kind: Image, Confidence: 1, Evidence: "signature"}
	}
	// Two letters are too short for a signature. A BMP also has four zero
	// bytes and a known header size.
	if h := x.head; len(h) > 18 && string(h[:2]) == "BM" && string(h[6:10]) == "\x00\x00\x00\x00" &&
		slices.Contains([]byte{12, 40, 52, 56, 64, 108, 124}, h[14]) && string(h[15:18]) == "\x00\x00\x00" {
		return Detection{Kind: Image, Confidence: 1, Evidence: "signature"}
	}
	return Detection{}
}

// heifBrands are the major brands of still images and image sequences in
// HEIF (ISO/IEC 23008-12) and AVIF.
var heifBrands = [...]string{"avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}

// byContainer detects the kind of a ZIP or OLE container.
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

// plain returns part of a document as text without its byte order mark. It
// decodes UTF-16 if there is a byte order mark or if the text begins with an
// XML declaration in UTF-16 (XML 1.0, appendix F). It returns all other
// encodings unchanged.
func plain(b []byte) string {
	if text, ok := decoded(b); ok {
		return text
	}
	return string(b)
}

// decoded returns part of a document as text, if [plain] decodes it.
func decoded(b []byte) (text string, ok bool) {
	for _, start := range []string{"<\x00?\x00", "\x00<\x00?"} {
		if bytes.HasPrefix(b, []byte(start)) {
			text, _ := dom.Decode(b, "")
			return text, true
		}
	}
	for _, mark := range []string{"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			text, _ := dom.Decode(b, "")
			return text, true
		}
	}
	return "", false
}

// byLatePDF detects a PDF that has other bytes before its header.
func byLatePDF(x *exhibit, _ declaration) Detection {
	if !bytes.Contains(x.head[:min(len(x.head), 1024)], []byte("%PDF-")) {
		return Detection{}
	}
	if bytes.Contains(x.tail, []byte("startxref")) || bytes.Contains(x.head, []byte(" obj")) || bytes.Contains(x.tail, []byte(" obj")) {
		return Detection{Kind: PDF, Confidence: .9, Evidence: "signature after other bytes"}
	}
	return Detection{}
}

// byLateZip detects a ZIP container that has other bytes before its first
// entry.
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

// byText detects text, unless the document is declared as a binary kind.
func byText(x *exhibit, said declaration) Detection {
	if said.binary {
		return Detection{}
	}
	share := readable(x.head)
	switch {
	case said.kind == DOC && share == 1:
		said.kind = "" // *.doc was the name of texts before Word
	case said.kind != "" && !said.kind.isText():
		return Detection{}
	}
	if said.kind != "" && share == 0 && mostlyText(x.head) {
		share = .5
	}
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

// mostlyText reports whether UTF-8 has one control character, or at most one in twenty, as exports of
// databases have that pad fields with NULs.
func mostlyText(head []byte) bool {
	controls := 0
	for _, c := range head {
		if isControl(c) {
			controls++
		}
	}
	whole := strings.ToValidUTF8(string(head), "")
	return (controls == 1 || controls*20 <= len(head)) && (len(whole) == len(head) || len(head) == headSize && len(head)-len(whole) < utf8.UTFMax)
}

// isControl reports whether c is a control character that texts rarely contain.
func isControl(c byte) bool { return c < 0x20 && !strings.ContainsRune("\t\n\r\f\v\x1b", rune(c)) }

// readable returns 1 for UTF-8 or for UTF-16 with a byte order mark, 1/2 for
// text in other encodings, and 0 for binary data. It tolerates one control
// character in a thousand bytes.
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
		if isControl(c) {
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

// decodedWhole reports whether text has at least 95 % of the UTF-16 code
// units in head. Decoding drops control characters, and binary data has many
// of them.
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
		units++ // the byte order mark
	}
	return (units-lost)*100 >= (len(head)+1)/2*95
}

// charsetOf returns the encoding of head if it may be UTF-16, because it has
// a byte order mark or NUL bytes. Otherwise it returns "".
func charsetOf(head []byte) string {
	if !bytes.Contains(head, []byte{0}) && !bytes.HasPrefix(head, []byte("\xFF\xFE")) && !bytes.HasPrefix(head, []byte("\xFE\xFF")) {
		return ""
	}
	_, name := dom.Decode(head, "")
	return name
}

// isJSON reports whether the whole document is valid JSON. Unless scalars is
// set, it must be an object or an array.
func (x *exhibit) isJSON(scalars bool) bool {
	first := strings.TrimLeft(x.start(), " \t\r\n")
	last := bytes.TrimRight(x.tail, " \t\r\n\x00")
	if first == "" || len(last) == 0 {
		return false
	}
	if ends := string([]byte{first[0], last[len(last)-1]}); !scalars && ends != "{}" && ends != "[]" {
		return false
	}
	if x.src.Size > 50<<20 {
		return false
	}
	data := x.tail
	if x.src.Size > tailSize {
		var err error
		if data, err = x.bytes(0, int(x.src.Size)); err != nil {
			return false
		}
	}
	if text, ok := decoded(data); ok {
		data = []byte(text)
	}
	return json.Valid(data)
}
