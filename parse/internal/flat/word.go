// SPDX-License-Identifier: Apache-2.0

package flat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
)

// words maps the namespaces of a document of Word 2003 to prefixes. Authors may add
// elements of their own schemas around the content. These elements are in other namespaces.
var words = zipxml.Vocabulary{
	"http://schemas.microsoft.com/office/word/2003/wordml":       "w",
	"http://schemas.microsoft.com/office/word/2003/auxHint":      "wx",
	"http://schemas.microsoft.com/aml/2001/core":                 "aml",
	"urn:schemas-microsoft-com:vml":                              "v",
	"urn:schemas-microsoft-com:office:office":                    "o",
	"http://schemas.openxmlformats.org/officeDocument/2006/math": "m", // written by Word 2007 and later
	"http://schemas.microsoft.com/office/word/2003/wordml/sp2":   "wsp",
	"http://schemas.microsoft.com/schemaLibrary/2003/core":       "sl",
	"urn:schemas-microsoft-com:office:word":                      "w10",
	"uuid:C2F41010-65B3-11d1-A29F-00AA00C14882":                  "dt",
	"urn:schemas-microsoft-com:office:smarttags":                 "st1",
}

const spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
	` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
	` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"` +
	` xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`

// word is a document of Word 2003 being turned into a package.
type word struct {
	*file
	document part
	sides    map[string]*part  // the other parts by name: styles, notes, headers and footers
	margins  int               // headers and footers
	media    map[string]string // parts by the name of a picture
	embedded *cfb.Storage      // the objects of other programs; nil if there are none
	opened   map[string]string // parts by the name of an object
	current  *part
	runs     int  // open elements of runs
	bodied   bool // there is a body
	wrote    int  // bytes of all parts
	err      error
}

// part is a part being written, with its relationships.
type part struct {
	text, relations strings.Builder
	count           int               // of relationships, and of notes
	pictures        map[string]string // relationships by the name of a picture
}

// Word turns a document of Word 2003 in XML (WordprocessingML 2003) into a package. The
// error wraps [zipxml.ErrMalformed] if the file has no body, or [zipxml.ErrLimit], or is
// the cause that ended ctx.
func Word(ctx context.Context, data []byte) (*Package, error) {
	w := &word{file: newFile(len(data)), sides: map[string]*part{}, media: map[string]string{}, opened: map[string]string{}}
	w.current = &w.document
	if err := w.read(ctx, zipxml.NewScanner(string(data), words)); err != nil {
		return nil, err
	}
	if !w.bodied {
		return nil, fmt.Errorf("%w: no body", zipxml.ErrMalformed)
	}
	if err := w.end(); err != nil {
		return nil, err
	}
	return w.close()
}

// read reads the file block by block.
func (w *word) read(ctx context.Context, s *zipxml.Scanner) error {
	body := false
	for {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return w.err
		}
		if err == nil && t.Kind == zipxml.Start {
			switch name := t.Name; {
			case name == "w:body":
				body, w.bodied = true, true
			case name == "w:wordDocument", name == "w:cfChunk", strings.HasPrefix(name, "wx:"):
			case body, name == "w:docOleData", name == "w:styles", name == "w:lists", name == "w:docPr", name == "o:DocumentProperties":
				var e *zipxml.Element
				if e, err = s.Tree(ctx, t); e != nil {
					w.piece(e, body)
				}
				s.Reuse()
			default:
				err = s.Skip(ctx)
			}
		}
		switch {
		case errors.Is(err, zipxml.ErrMalformed):
			w.torn = true
			return w.err
		case err != nil:
			return err
		case w.err != nil:
			return w.err
		case t.Kind == zipxml.End && t.Name == "w:body":
			body = false
		}
	}
}

// piece writes an element of the document or of its body.
func (w *word) piece(e *zipxml.Element, body bool) {
	switch {
	case body:
		w.element(e)
	case e.Name == "w:docOleData":
		w.objects(e)
	case e.Name == "w:styles":
		w.side("styles", func() { w.children(e) })
	case e.Name == "w:lists":
		w.side("numbering", func() { w.lists(e) })
	case e.Name == "w:docPr":
		if even := e.Get("w:evenAndOddHeaders"); even != nil {
			w.side("settings", func() { w.element(even) })
		}
	default:
		w.properties(e)
	}
}

// side writes into another part than the current one.
func (w *word) side(name string, write func()) {
	outer := w.current
	if w.sides[name] == nil {
		w.sides[name] = &part{}
	}
	w.current = w.sides[name]
	write()
	w.current = outer
}

// put writes XML into the current part.
func (w *word) put(texts ...string) {
	for _, t := range texts {
		if w.wrote += len(t); w.wrote > w.most && w.err == nil {
			w.err = &zipxml.LimitError{Name: "bytes of parts", Value: int64(w.most)}
		}
		if w.err == nil {
			w.current.text.WriteString(t)
		}
	}
}

func (w *word) children(e *zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		if w.err == nil {
			w.element(c)
		}
	}
}

// around writes an element with the children of e.
func (w *word) around(e *zipxml.Element, name string, attrs ...string) {
	w.put("<", name)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			w.put(" ", attrs[i], `="`, escape.Replace(attrs[i+1]), `"`)
		}
	}
	w.put(">")
	w.children(e)
	w.put("</", name, ">")
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// element writes an element in its later form.
func (w *word) element(e *zipxml.Element) {
	switch e.Name {
	case "":
		w.put(escape.Replace(e.Text))
	case "w:hlink":
		w.around(e, "w:hyperlink", "r:id", w.link(e.Attr("w:dest")), "w:anchor", e.Attr("w:bookmark"))
	case "aml:annotation":
		w.annotation(e)
	case "w:listPr":
		w.around(e, "w:numPr")
	case "w:ilfo":
		w.around(e, "w:numId", "w:val", e.Attr("w:val"))
	case "w:footnotePr", "w:endnotePr":
	case "w:footnote":
		w.note(e, "footnotes", "w:footnote")
	case "w:endnote":
		w.note(e, "endnotes", "w:endnote")
	case "w:hdr":
		w.margin(e, "header")
	case "w:ftr":
		w.margin(e, "footer")
	case "w:pict":
		w.picture(e)
	case "w:binData":
		w.binary(e)
	case "o:OLEObject":
		w.around(nil, e.Name, "Type", e.Attr("Type"), "ProgID", e.Attr("ProgID"), "r:id", w.object(e.Attr("ObjectID")))
	case "v:imagedata":
		w.around(e, "v:imagedata", "r:id", w.image(e.Attr("src")), "o:title", e.Attr("o:title"))
	default:
		w.copy(e)
	}
}

// copy writes an element that Office Open XML has too. Of others it writes the content.
func (w *word) copy(e *zipxml.Element) {
	prefix, local, _ := strings.Cut(e.Name, ":")
	if prefix != "w" && prefix != "v" && prefix != "o" && prefix != "m" {
		w.children(e)
		return
	}
	name := prefix + ":" + later(local)
	w.put("<", name)
	for _, a := range e.Attrs {
		if prefix, local, ok := strings.Cut(a.Name, ":"); !ok || prefix == "w" || prefix == "o" || prefix == "v" || prefix == "m" || prefix == "xml" {
			key := a.Name
			if prefix == "w" {
				key = "w:" + later(local)
			}
			w.put(" ", key, `="`, escape.Replace(a.Value), `"`)
		}
	}
	first := true
	if e.Name == "w:r" {
		w.runs++
	}
	for c := e.First(); c != nil; c = c.Next() {
		if first {
			w.put(">")
			first = false
		}
		if w.err == nil {
			w.element(c)
		}
	}
	if e.Name == "w:r" {
		w.runs--
	}
	if first {
		w.put("/>")
		return
	}
	w.put("</", name, ">")
}

// later returns the later form of a name: h-ansi is hAnsi, and vmerge is vMerge.
func later(name string) string {
	switch name {
	case "vmerge":
		return "vMerge"
	case "hmerge":
		return "hMerge"
	case "listStyleLink":
		return "numStyleLink"
	}
	head, tail, ok := strings.Cut(name, "-")
	if !ok || tail == "" {
		return name
	}
	return head + strings.ToUpper(tail[:1]) + later(tail[1:])
}

// annotation writes a tracked change, a comment or a bookmark.
func (w *word) annotation(e *zipxml.Element) {
	content := e.Get("aml:content")
	by := []string{"w:id", e.Attr("aml:id"), "w:author", e.Attr("aml:author"), "w:date", e.Attr("aml:createdate")}
	switch e.Attr("w:type") {
	case "Word.Insertion":
		w.around(content, "w:ins", by...)
	case "Word.Deletion":
		w.around(content, "w:del", by...)
	case "Word.Comment":
		w.note(content, "comments", "w:comment", by[2:]...)
	case "Word.Bookmark.Start":
		w.around(nil, "w:bookmarkStart", "w:id", e.Attr("aml:id"), "w:name", e.Attr("w:name"))
	case "Word.Formatting", "Word.Numbering": // hold the properties before the change
	default:
		w.children(content)
	}
}

// note writes a note, which stands in the text, into its part, and a reference to it.
func (w *word) note(e *zipxml.Element, part, name string, attrs ...string) {
	id := ""
	w.side(part, func() {
		w.current.count++
		id = "n" + strconv.Itoa(w.current.count)
		runs := w.runs
		w.runs = 0
		w.around(e, name, append(attrs, "w:id", id)...)
		w.runs = runs
	})
	if w.runs == 0 {
		w.put("<w:r>")
	}
	w.around(nil, name+"Reference", "w:id", id)
	if w.runs == 0 {
		w.put("</w:r>")
	}
}

// margin writes a header or footer of a section into a part of its own.
func (w *word) margin(e *zipxml.Element, name string) {
	w.margins++
	target := name + strconv.Itoa(w.margins)
	w.side(target, func() { w.children(e) })
	kind := e.Attr("w:type")
	if kind == "odd" || kind == "" {
		kind = "default"
	}
	w.around(nil, "w:"+name+"Reference", "w:type", kind, "r:id", w.relate(name, target+".xml", false))
}

// picture writes a picture, or an object of another program.
func (w *word) picture(e *zipxml.Element) {
	for c := e.Named("w:binData"); c != nil; c = c.Same() { // the shapes before it may use it
		w.binary(c)
	}
	name := "w:pict"
	if e.Get("o:OLEObject") != nil {
		name = "w:object"
	}
	w.around(e, name)
}

// binary adds the bytes of a picture.
func (w *word) binary(e *zipxml.Element) {
	name := e.Attr("w:name")
	if name == "" || w.media[name] != "" || w.err != nil {
		return
	}
	target := "media/image" + strconv.Itoa(len(w.media)+1) + path.Ext(path.Clean("/"+name))
	w.media[name] = target
	w.err = w.add("word/"+target, "", w.decode(e.Content()))
}

// image returns the ID of the relationship to a picture, or "".
func (w *word) image(name string) string {
	target := w.media[name]
	if target == "" {
		if strings.HasPrefix(name, "http:") || strings.HasPrefix(name, "https:") {
			return w.relate("image", name, true)
		}
		return ""
	}
	if id := w.current.pictures[name]; id != "" {
		return id
	}
	if w.current.pictures == nil {
		w.current.pictures = map[string]string{}
	}
	id := w.relate("image", target, false)
	w.current.pictures[name] = id
	return id
}

// link returns the ID of the relationship to a URL, or "".
func (w *word) link(url string) string {
	if url == "" {
		return ""
	}
	return w.relate("hyperlink", url, true)
}

// relate adds a relationship to the current part and returns its ID.
func (w *word) relate(kind, target string, external bool) string {
	p := w.current
	p.count++
	id := "r" + strconv.Itoa(p.count)
	mode := ""
	if external {
		mode = ` TargetMode="External"`
	}
	text := relationship(id, kind, target, mode)
	if w.wrote += len(text); w.wrote <= w.most {
		p.relations.WriteString(text)
	}
	return id
}

// lists writes the definitions of lists.
func (w *word) lists(e *zipxml.Element) {
	for d := e.Named("w:listDef"); d != nil; d = d.Same() {
		w.put(`<w:abstractNum w:abstractNumId="`, escape.Replace(d.Attr("w:listDefId")), `">`)
		for c := d.First(); c != nil; c = c.Next() {
			if c.Name == "w:lvl" {
				w.level(c)
				continue
			}
			w.element(c)
		}
		w.put("</w:abstractNum>")
	}
	for l := e.Named("w:list"); l != nil; l = l.Same() {
		w.put(`<w:num w:numId="`, escape.Replace(l.Attr("w:ilfo")), `"><w:abstractNumId w:val="`, escape.Replace(l.Get("w:ilst").Attr("w:val")), `"/>`)
		for o := l.Named("w:lvlOverride"); o != nil; o = o.Same() {
			w.put(`<w:lvlOverride w:ilvl="`, escape.Replace(o.Attr("w:ilvl")), `">`)
			for c := o.First(); c != nil; c = c.Next() {
				if c.Name == "w:lvl" {
					w.level(c)
					continue
				}
				w.element(c)
			}
			w.put("</w:lvlOverride>")
		}
		w.put("</w:num>")
	}
}

// level writes a level of a list.
func (w *word) level(e *zipxml.Element) {
	w.put(`<w:lvl w:ilvl="`, escape.Replace(e.Attr("w:ilvl")), `">`)
	if e.Get("w:nfc") == nil {
		w.put(`<w:numFmt w:val="decimal"/>`)
	}
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name == "w:nfc" {
			format := "decimal"
			if n := c.Int("w:val", 0); n == 255 {
				format = "none"
			} else if n >= 0 && n < len(formats) {
				format = formats[n]
			}
			w.put(`<w:numFmt w:val="`, format, `"/>`)
			continue
		}
		w.element(c)
	}
	w.put("</w:lvl>")
}

// formats are the formats of numbers by their number ([MS-OSHARED] 2.2.1.3, MSONFC).
var formats = [...]string{
	"decimal", "upperRoman", "lowerRoman", "upperLetter", "lowerLetter", "ordinal", "cardinalText", "ordinalText", "hex", "chicago",
	"ideographDigital", "japaneseCounting", "aiueo", "iroha", "decimalFullWidth", "decimalHalfWidth", "japaneseLegal", "japaneseDigitalTenThousand",
	"decimalEnclosedCircle", "decimalFullWidth2", "aiueoFullWidth", "irohaFullWidth", "decimalZero", "bullet", "ganada", "chosung",
	"decimalEnclosedFullstop", "decimalEnclosedParen", "decimalEnclosedCircleChinese", "ideographEnclosedCircle", "ideographTraditional", "ideographZodiac",
}

// properties writes the properties of the document.
func (w *word) properties(e *zipxml.Element) {
	var core strings.Builder
	for _, p := range []struct{ from, to string }{
		{"Title", "dc:title"},
		{"Author", "dc:creator"},
		{"Subject", "dc:subject"},
		{"Description", "dc:description"},
		{"Keywords", "cp:keywords"},
		{"Created", "dcterms:created"},
		{"LastSaved", "dcterms:modified"},
	} {
		if text := e.Get("o:" + p.from).Content(); text != "" {
			core.WriteString("<" + p.to + ">" + escape.Replace(text) + "</" + p.to + ">")
		}
	}
	w.property("core", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">`+core.String()+"</cp:coreProperties>")
	w.property("app", `<p:p xmlns:p="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><p:Pages>`+escape.Replace(e.Get("o:Pages").Content())+"</p:Pages></p:p>")
}

// property adds a part with properties.
func (w *word) property(name, text string) {
	if w.err == nil && !w.names["docprops/"+name+".xml"] {
		w.err = w.add("docProps/"+name+".xml", "", []byte(text))
	}
}

// end adds the parts that were written.
func (w *word) end() error {
	w.current = &w.document
	for _, name := range slices.Sorted(maps.Keys(w.sides)) {
		root := "w:" + name
		switch kind := strings.TrimRight(name, "0123456789"); kind {
		case "header":
			root = "w:hdr"
		case "footer":
			root = "w:ftr"
		default:
			w.relate(kind, name+".xml", false)
		}
		if err := w.finish(name, root, "", w.sides[name]); err != nil {
			return err
		}
	}
	if err := w.finish("document", "w:document", "w:body", &w.document); err != nil {
		return err
	}
	root := relationship("d", "officeDocument", "word/document.xml", "")
	if w.names["docprops/core.xml"] {
		root += relationship("c", "core-properties", "docProps/core.xml", "") + relationship("a", "extended-properties", "docProps/app.xml", "")
	}
	return w.add("_rels/.rels", "", []byte(relationshipsOf(root)))
}

// finish adds a part and its relationships.
func (w *word) finish(name, root, inner string, p *part) error {
	open, end := "<"+root+spaces+">", "</"+root+">"
	if inner != "" {
		open, end = open+"<"+inner+">", "</"+inner+">"+end
	}
	if err := w.add("word/"+name+".xml", "", []byte(open+p.text.String()+end)); err != nil {
		return err
	}
	if p.relations.Len() == 0 {
		return nil
	}
	return w.add("word/_rels/"+name+".xml.rels", "", []byte(relationshipsOf(p.relations.String())))
}

func relationshipsOf(text string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + text + "</Relationships>"
}

func relationship(id, kind, target, mode string) string {
	return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + escape.Replace(target) + `"` + mode + `/>`
}
