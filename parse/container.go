// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/inflate"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/flat"
	"example.com/curlew/parse/internal/odf"
)

// Bounds on what detection reads of a container.
const (
	zipEntries   = 10_000  // entries of a ZIP central directory
	zipDirectory = 4 << 20 // bytes of a ZIP central directory
	zipPart      = 1 << 20 // decompressed bytes of one ZIP entry
	oleSectors   = 1 << 10 // sectors in the directory chain of an OLE file
	oleFAT       = 109     // FAT sectors listed in an OLE header
	oleEntry     = 128     // bytes of one OLE directory entry
)

var errContainer = errors.New("container is malformed")

// entry is one file in a ZIP container.
type entry struct {
	name       string
	method     uint16
	encrypted  bool
	at         int64 // offset of the local header
	compressed int64
}

// byZip detects the kind of a ZIP container from its central directory, or
// from the headers of its entries if there is no valid directory. Data before
// the first entry is ignored.
func byZip(x *exhibit) Detection {
	entries, err := x.zipEntries()
	recovered := err != nil
	if recovered {
		if found := zipxml.Recover(x.src.Data, x.src.Size); found != nil {
			x = &exhibit{src: Source{Data: found.Data, Size: found.Size}}
			if x.tail, err = x.bytes(found.Size-tailSize, tailSize); err == nil {
				entries, err = x.zipEntries()
			}
		}
	}
	if err != nil {
		return Detection{Evidence: "ZIP container without a directory", broken: true}
	}
	z := archive{x, entries, recovered}
	kind, evidence := z.kind()
	if kind == "" && recovered {
		return Detection{Evidence: "ZIP container without a directory and without the parts that tell its kind", broken: true}
	}
	if kind == "" {
		return Detection{Evidence: z.foreign()}
	}
	return Detection{Kind: kind, Confidence: .99, Evidence: "ZIP container: " + evidence, Encrypted: z.encrypted(kind)}
}

// foreign names the kind of an archive that cannot be read, by its parts.
func (z archive) foreign() string {
	for _, s := range []struct{ part, name string }{
		{"index/document.iwa", "Apple iWork document"},
		{"index.zip", "Apple iWork document"},
		{"index.xml", "Apple iWork document"},
		{"index.apxl", "Apple iWork document"},
		{"index.apxl.gz", "Apple iWork document"},
		{"presentation.apxl", "Apple iWork document"},
		{"presentation.apxl.gz", "Apple iWork document"},
		{"fixeddocseq.fdseq", "XPS document"},
		{"fixeddocumentsequence.fdseq", "XPS document"},
		{"androidmanifest.xml", "Android package"},
		{"meta-inf/manifest.mf", "Java archive"},
		{"doc.kml", "KMZ map"},
		{"contents/section0.xml", "HWPX document"},
	} {
		if z.has(s.part) {
			return "ZIP container: " + s.name
		}
	}
	switch name := string(z.read("mimetype")); {
	case strings.HasPrefix(name, "application/vnd.sun.xml."):
		return "ZIP container: document of OpenOffice 1"
	case strings.HasPrefix(name, "application/vnd.oasis.opendocument."):
		return "ZIP container: OpenDocument " + doctree.Clean(strings.TrimSpace(name[len("application/vnd.oasis.opendocument."):min(len(name), 80)]))
	}
	return "ZIP container of no known kind"
}

// zipEntries reads the central directory (APPNOTE 4.3.12), including the
// ZIP64 form. It returns names in lower case, because Office ignores case,
// and with forward slashes. If several entries have the same name, the first
// is kept.
func (x *exhibit) zipEntries() (map[string]entry, error) {
	end := bytes.LastIndex(x.tail, []byte("PK\x05\x06"))
	if end < 0 || len(x.tail)-end < 22 {
		return nil, errContainer
	}
	record := x.tail[end:]
	size, offset := int64(binary.LittleEndian.Uint32(record[12:])), int64(binary.LittleEndian.Uint32(record[16:]))
	endAt := x.src.Size - int64(len(x.tail)) + int64(end)
	if offset == 0xFFFFFFFF || size == 0xFFFFFFFF {
		locator, err := x.bytes(endAt-20, 20)
		if err != nil || len(locator) < 20 || string(locator[:4]) != "PK\x06\x07" {
			return nil, errContainer
		}
		endAt = int64(binary.LittleEndian.Uint64(locator[8:])) //nolint:gosec // checked by the next read
		if endAt < 0 || endAt > x.src.Size {
			return nil, errContainer
		}
		record, err = x.bytes(endAt, 56)
		if err != nil || len(record) < 56 || string(record[:4]) != "PK\x06\x06" {
			return nil, errContainer
		}
		size, offset = int64(binary.LittleEndian.Uint64(record[40:])), int64(binary.LittleEndian.Uint64(record[48:])) //nolint:gosec // checked below
	}
	if size < 0 || offset < 0 || size > x.src.Size {
		return nil, errContainer
	}
	// Bytes before the first entry, as in self-extracting files, shift all
	// offsets. The shift is negative if the first bytes of the file are missing.
	shift := endAt - size - offset
	if shift > 0 && bytes.HasPrefix(x.head, []byte("PK\x03\x04")) {
		return nil, errContainer // the directory of a container inside this one
	}
	if offset+shift < 0 {
		return nil, errContainer
	}
	dir, err := x.bytes(offset+shift, int(min(size, zipDirectory)))
	if err != nil {
		return nil, err
	}
	entries := map[string]entry{}
	for range zipEntries {
		if len(dir) < 46 || string(dir[:4]) != "PK\x01\x02" {
			break
		}
		u16 := func(at int) int { return int(binary.LittleEndian.Uint16(dir[at:])) }
		next := 46 + u16(28) + u16(30) + u16(32)
		if next > len(dir) {
			break
		}
		e := entry{
			name:       strings.ToLower(strings.ReplaceAll(string(dir[46:46+u16(28)]), `\`, "/")),
			method:     binary.LittleEndian.Uint16(dir[10:]),
			encrypted:  dir[8]&1 != 0,
			compressed: int64(binary.LittleEndian.Uint32(dir[20:])),
			at:         int64(binary.LittleEndian.Uint32(dir[42:])) + shift,
		}
		if _, ok := entries[e.name]; !ok {
			entries[e.name] = e
		}
		dir = dir[next:]
	}
	if len(entries) == 0 {
		return nil, errContainer
	}
	return entries, nil
}

// unpack makes a ZIP container of a document of Word, PowerPoint or Excel that is one XML
// file, and replaces a container without a valid directory by one with a directory of the
// entries that were found. The warnings say what is missing. It does nothing with other
// documents.
func (in *input) unpack(ctx context.Context) ([]Warning, error) {
	if !in.kind.isContainer() && in.kind != DOC || in.Size == 0 {
		return nil, nil
	}
	from := in.file()
	var head [odf.HeadSize]byte
	if n, _ := from.ReadAt(head[:], 0); odf.IsFlat(head[:n]) {
		return in.pack(ctx)
	}
	if in.kind == DOC {
		return nil, nil
	}
	return in.recover(from), nil
}

// pack makes a ZIP container of a document of Word, PowerPoint or Excel that is one XML
// file.
func (in *input) pack(ctx context.Context) ([]Warning, error) {
	var pack func(context.Context, []byte) (*flat.Package, error)
	x := exhibit{src: in.Source}
	if in.data != nil {
		x.src.Data, x.src.Size = bytes.NewReader(in.data), int64(len(in.data))
	}
	x.head, _ = x.bytes(0, headSize)
	switch root := afterProlog(x.start()); {
	case strings.Contains(root, "http://schemas.microsoft.com/office/2006/xmlPackage"):
		pack = flat.OPC
	case strings.Contains(root, "http://schemas.microsoft.com/office/word/2003/wordml"):
		pack = flat.Word
	default:
		return nil, nil
	}
	data, err := readAll(x.src)
	if err != nil {
		return nil, err
	}
	p, err := pack(ctx, data)
	if err != nil {
		return nil, err
	}
	in.data = nil
	in.Data, in.Size = bytes.NewReader(p.Data), int64(len(p.Data))
	in.whole = zipxml.Whole(in.Data, in.Size)
	var warnings []Warning
	for _, text := range p.Lost {
		warnings = append(warnings, Warning{Code: WarnPart, Text: text})
	}
	return warnings, nil
}

// recover replaces the ZIP container in from, if its directory is not valid, by one with a
// directory of the entries that were found, and returns the warning that says so.
func (in *input) recover(from io.ReaderAt) []Warning {
	if in.whole = zipxml.Whole(from, in.Size); in.whole != nil {
		return doubts(in.whole)
	}
	if in.data == nil {
		from = in.Data // which in replaces by what is found
	}
	found := zipxml.Recover(from, in.Size)
	if found == nil {
		return nil
	}
	in.Data, in.Size, in.data = found.Data, found.Size, nil
	text := fmt.Sprintf("The ZIP directory of the file is missing or damaged, for example because the file is cut off. Parts that were found without it: %d. Other parts may be missing.", found.Entries)
	if n := len(found.Cut); n > 0 {
		text += fmt.Sprintf(" Parts that are cut off: %d (%s).", n, listed(found.Cut))
	}
	if found.Stray > 0 {
		text += fmt.Sprintf(" Bytes that belong to no part: %d.", found.Stray)
	}
	return []Warning{{Code: WarnPart, Text: doctree.Clean(text)}}
}

// doubts returns warnings about parts of a container that are not read.
func doubts(container io.ReaderAt) (warnings []Warning) {
	again, unlisted := zipxml.Doubts(container)
	if n := len(again); n > 0 {
		warnings = append(warnings, Warning{Code: WarnPart, Text: fmt.Sprintf("Parts of the file that have the name of another part, which is read instead: %d (%s).", n, listed(again))})
	}
	if n := len(unlisted); n > 0 {
		warnings = append(warnings, Warning{Code: WarnPart, Text: fmt.Sprintf("Parts of the file that its ZIP directory does not list and that were not read: %d (%s).", n, listed(unlisted))})
	}
	return warnings
}

// maxNamed is the maximum number of parts that a warning names.
const maxNamed = 5

// listed returns the first of the names of parts as a text.
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if len(names) > maxNamed {
		text += ", …"
	}
	return doctree.Clean(text)
}

// archive is a ZIP container whose central directory has been read. Its
// methods ignore the case of names.
type archive struct {
	x         *exhibit
	entries   map[string]entry
	recovered bool // parts may be missing
}

// read returns the content of the entry name, up to zipPart bytes. It
// returns nil if the entry does not exist or cannot be read.
func (z archive) read(name string) []byte {
	e, ok := z.entries[strings.ToLower(name)]
	if !ok || e.encrypted || e.at < 0 {
		return nil
	}
	local, err := z.x.bytes(e.at, 30)
	if err != nil || len(local) < 30 || string(local[:4]) != "PK\x03\x04" {
		return nil
	}
	data := e.at + 30 + int64(binary.LittleEndian.Uint16(local[26:])) + int64(binary.LittleEndian.Uint16(local[28:]))
	if data > z.x.src.Size {
		return nil
	}
	var r io.Reader = io.NewSectionReader(z.x.src.Data, data, min(e.compressed, z.x.src.Size-data))
	switch e.method {
	case 0:
	case 8:
		z := inflate.NewReader(r)
		defer z.Close()
		r = z
	default:
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(r, zipPart)) // a damaged entry gives the bytes before the damage
	return b
}

// kind returns the kind of document in the archive and the part that shows
// it. It looks for a mimetype entry (OpenDocument, EPUB), then for Office
// relationships, then for the usual part names and manifests.
func (z archive) kind() (Kind, string) {
	if mediaType := strings.TrimSpace(string(z.read("mimetype"))); mediaType != "" {
		if mediaType == "application/epub+zip" {
			return EPUB, "mimetype"
		}
		if kind := odfKind(mediaType); kind != "" {
			return kind, "mimetype"
		}
	}
	if kind := z.officeKind(); kind != "" {
		return kind, "_rels/.rels"
	}
	for _, dir := range []struct {
		prefix, main string
		kind         Kind
	}{{"word/", "document.xml", DOCX}, {"ppt/", "presentation.xml", PPTX}, {"xl/", "workbook.xml", XLSX}, {"xl/", "workbook.bin", XLSX}} {
		if !z.has(dir.prefix+dir.main) && (!z.hasDir(dir.prefix) || !z.recovered && !z.has("[Content_Types].xml")) {
			continue
		}
		if z.has("xl/workbook.bin") && dir.kind == XLSX {
			return XLSB, "xl/workbook.bin"
		}
		return dir.kind, dir.prefix
	}
	if z.has("visio/document.xml") {
		return VSDX, "visio/document.xml"
	}
	for _, e := range elements(z.read("META-INF/manifest.xml"), "file-entry") {
		if e["full-path"] == "/" {
			if kind := odfKind(e["media-type"]); kind != "" {
				return kind, "META-INF/manifest.xml"
			}
		}
	}
	if z.has("META-INF/container.xml") {
		return EPUB, "META-INF/container.xml"
	}
	return "", ""
}

func (z archive) has(name string) bool {
	_, ok := z.entries[strings.ToLower(name)]
	return ok
}

func (z archive) hasDir(prefix string) bool {
	for name := range z.entries {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// officeKind follows the relationships of an Office Open XML package to its
// main part. It takes the kind from the content type of that part or,
// without one, from its root element.
func (z archive) officeKind() Kind {
	main := ""
	for _, e := range elements(z.read("_rels/.rels"), "Relationship") {
		if strings.HasSuffix(e["Type"], "/officeDocument") {
			main = path.Clean("/" + e["Target"])
			break
		}
	}
	if main == "" {
		return ""
	}
	types := z.read("[Content_Types].xml")
	for _, e := range elements(types, "Override") {
		if strings.EqualFold(path.Clean("/"+e["PartName"]), main) {
			if kind := ooxmlKind(e["ContentType"]); kind != "" {
				return kind
			}
		}
	}
	for _, e := range elements(types, "Default") {
		if strings.EqualFold("."+e["Extension"], path.Ext(main)) {
			if kind := ooxmlKind(e["ContentType"]); kind != "" {
				return kind
			}
		}
	}
	part := z.read(main[1:])
	return ooxmlKind(string(part[:min(len(part), headSize)]))
}

// encrypted reports whether the archive encrypts the parts that a reader of
// kind needs.
func (z archive) encrypted(kind Kind) bool {
	switch kind {
	case ODT, ODS, ODP:
		return bytes.Contains(z.read("META-INF/manifest.xml"), []byte("encryption-data"))
	case DOCX, XLSX, XLSB, PPTX, VSDX:
		return z.entries["[content_types].xml"].encrypted
	}
	return false
}

// elements returns the attributes, keyed by local name, of all elements with
// the given local name in doc. It stops at the first syntax that it cannot
// read. It scans start tags only, because a full XML parser would take
// longer than the rest of detection.
func elements(doc []byte, name string) (found []map[string]string) {
	text := string(doc)
	for {
		_, rest, ok := strings.Cut(text, "<")
		if !ok {
			return found
		}
		if after, comment := strings.CutPrefix(rest, "!--"); comment {
			_, text, _ = strings.Cut(after, "-->")
			continue
		}
		end := strings.IndexAny(rest, " \t\r\n/>")
		if end < 0 {
			return found
		}
		tag := rest[:end]
		if text = rest[end:]; local(tag) != name {
			continue
		}
		attrs := map[string]string{}
		for {
			text = strings.TrimLeft(text, " \t\r\n/")
			key, value, ok := strings.Cut(text, "=")
			value = strings.TrimLeft(value, " \t\r\n")
			if !ok || value == "" || strings.ContainsAny(key, "<>") || value[0] != '"' && value[0] != '\'' {
				break
			}
			quote := value[:1]
			if value, text, ok = strings.Cut(value[1:], quote); !ok {
				return found
			}
			attrs[local(strings.TrimSpace(key))] = zipxml.Unescape(value)
		}
		found = append(found, attrs)
	}
}

// local returns an XML name without its namespace prefix.
func local(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

const oleMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// byOLE detects the kind of an OLE container ([MS-CFB]) from the names of
// the streams in its root storage.
func byOLE(x *exhibit, said declaration) Detection {
	names, rooted, err := x.oleNames()
	if err != nil {
		return Detection{Evidence: "OLE container without a directory", broken: true}
	}
	for _, s := range []struct {
		name string
		kind Kind
	}{
		{"encryptedpackage", ""},
		{"worddocument", DOC},
		{"workbook", XLS},
		{"book", XLS},
		{"powerpoint document", PPT},
		{"__properties_version1.0", MSG},
	} {
		if !names[s.name] {
			continue
		}
		d := Detection{Kind: s.kind, Confidence: 1, Evidence: "OLE container: " + s.name}
		if s.kind == "" {
			d.Encrypted, d.locked = true, true
			switch said.kind {
			case DOCX, XLSX, XLSB, PPTX, VSDX:
				d.Kind, d.Confidence = said.kind, .5
			}
		}
		return d
	}
	for _, s := range []struct{ stream, name string }{
		{"matost", "Microsoft Works document"},
		{"quill", "Microsoft Publisher document"},
		{"visiodocument", "Microsoft Visio drawing"},
		{"pp40", "presentation of PowerPoint 4 or 95"},
		{"bodytext", "HWP document"},
		{"swxmlcontents", "SolidWorks document"},
		{"props9", "Microsoft Project plan"},
		{"props12", "Microsoft Project plan"},
		{"props14", "Microsoft Project plan"},
		{"sfxdocumentinfo", "StarOffice document"},
	} {
		if names[s.stream] {
			return Detection{Evidence: "OLE container: " + s.name}
		}
	}
	if names["contents"] { // versions 5 to 9 of Works, and other programs
		if start, err := x.bytes(0, 64<<10); err == nil && (bytes.Contains(start, []byte("CHNKWKS")) || bytes.Contains(start, []byte("CHNKINK "))) {
			return Detection{Evidence: "OLE container: Microsoft Works document"}
		}
	}
	if !rooted {
		return Detection{Evidence: "OLE container with a damaged directory", broken: true}
	}
	return Detection{Evidence: "OLE container of no known kind"}
}

// oleNames returns the names, in lower case, of the entries in the root
// storage of an OLE container. If the root storage cannot be read, it
// returns the names of all directory entries. rooted reports whether the first entry is a
// root storage, as it must be.
func (x *exhibit) oleNames() (names map[string]bool, rooted bool, err error) {
	if len(x.head) < 512 {
		return nil, false, errContainer
	}
	shift := binary.LittleEndian.Uint16(x.head[30:])
	if shift != 9 && shift != 12 {
		return nil, false, errContainer
	}
	size := 1 << shift
	sector := func(n uint32) []byte {
		b, err := x.bytes((int64(n)+1)*int64(size), size)
		if err != nil || len(b) < oleEntry {
			return nil
		}
		return b
	}
	// Read the directory by following its sector chain through the FAT
	// sectors that the header lists.
	var dir []byte
	at := binary.LittleEndian.Uint32(x.head[48:])
	for range oleSectors {
		b := sector(at)
		if b == nil {
			break
		}
		dir = append(dir, b...)
		table := int(at) / (size / 4)
		if table >= oleFAT {
			break
		}
		fat := sector(binary.LittleEndian.Uint32(x.head[76+4*table:]))
		place := int(at) % (size / 4) * 4
		if place+4 > len(fat) {
			break
		}
		at = binary.LittleEndian.Uint32(fat[place:])
	}
	entries := len(dir) / oleEntry
	if entries == 0 {
		return nil, false, errContainer
	}
	return oleRoot(dir, entries), dir[66] == 5, nil
}

// oleRoot returns the names in the tree of siblings below the root entry.
func oleRoot(dir []byte, entries int) map[string]bool {
	names := map[string]bool{}
	seen := make([]bool, entries)
	link := func(i, at int) uint32 { return binary.LittleEndian.Uint32(dir[i*oleEntry+at:]) }
	todo := []uint32{link(0, 76)} // the first child of the root
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if int64(n) >= int64(entries) || seen[n] {
			continue
		}
		seen[n] = true
		names[oleName(dir[int(n)*oleEntry:])] = true
		todo = append(todo, link(int(n), 68), link(int(n), 72))
	}
	if len(names) == 0 {
		for i := range entries {
			names[oleName(dir[i*oleEntry:])] = true
		}
	}
	return names
}

func oleName(e []byte) string { return strings.ToLower(cfb.UTF16(e[:64])) }
