// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ooxml"
)

// symbol handles a control symbol.
func (d *reader) symbol(s string) {
	switch s {
	case "*":
		d.star = true
		return
	case "~":
		d.flush()
		d.text("\u00A0")
	case "_":
		d.flush()
		d.text("-")
	case "{", "}", `\`:
		d.raw = append(d.raw, s...)
	case "-", ":", "|":
	}
}

// characters are control words that stand for characters.
var characters = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": "", "zwj": "\u200D", "zwnj": "\u200C",
}

// word handles a control word.
func (d *reader) word(t token) {
	if d.state.place != inText && endsBlock(t.word) {
		d.misplaced()
	}
	if s, ok := characters[t.word]; ok && s != "" {
		if s == "\t" && d.typed() {
			return
		}
		d.text(s)
		return
	}
	if d.destination(t) || d.state.target == toNothing {
		return
	}
	switch d.state.target {
	case toFonts:
		d.fontWord(t)
	case toStyles:
		d.styleWord(t)
	case toInfo, toBuffer:
		switch t.word {
		case "u":
			d.unicode(t.number)
		case "uc":
			d.state.uc = max(0, min(t.number, 16))
		case "emfblip", "wmetafile":
			d.drawn = true
		case "fftype", "ffres", "ffdefres":
			if d.field != nil {
				d.field.set(t.word, t.number)
			}
		}
	default:
		if !d.look(t) && !d.table(t) {
			d.block(t)
		}
	}
}

func (d *reader) fontWord(t token) {
	switch t.word {
	case "f":
		d.defining = t.number
		d.buffer.Reset()
		if len(d.fonts) < maxFonts {
			d.fonts[t.number] = font{}
		}
	case "fcharset":
		d.refont(func(f *font) { f.page = cfb.FontPage(t.number) })
	case "cpg":
		d.refont(func(f *font) { f.page = t.number })
	case "fmodern":
		d.refont(func(f *font) { f.mono = true })
	case "u":
		d.unicode(t.number)
	}
}

// refont changes the font that is being defined.
func (d *reader) refont(change func(f *font)) {
	f, ok := d.fonts[d.defining]
	if !ok && len(d.fonts) >= maxFonts {
		return
	}
	change(&f)
	d.fonts[d.defining] = f
}

func (d *reader) styleWord(t token) {
	switch t.word {
	case "s":
		d.defining = t.number
		d.buffer.Reset()
		if len(d.sheet) < maxSheet {
			d.sheet[t.number] = styleOf{base: -1}
		}
	case "sbasedon":
		d.restyle(func(st *styleOf) { st.base = t.number })
	case "i":
		d.restyle(func(st *styleOf) { st.italic = !t.given || t.number != 0 })
	case "cs", "ts", "ds":
		d.defining = -1 - t.number // not a paragraph style
		d.buffer.Reset()
	case "outlinelevel":
		d.restyle(func(st *styleOf) { st.outline = t.number + 1 })
	case "u":
		d.unicode(t.number)
	}
}

// restyle changes the paragraph style that is being defined.
func (d *reader) restyle(change func(st *styleOf)) {
	st, ok := d.sheet[d.defining]
	if d.defining < 0 || !ok && len(d.sheet) >= maxSheet {
		return
	}
	change(&st)
	d.sheet[d.defining] = st
}

// destination handles a control word that sets the target of its group, and
// reports whether it is one.
func (d *reader) destination(t token) bool {
	star := d.star
	if d.state.target == toNothing {
		return star
	}
	if d.state.math != nil && d.mathWord(t) {
		return true
	}
	buffer := func(ends func(string)) {
		d.state.unread()
		d.state.target, d.state.what = toBuffer, t.word
		d.buffer.Reset()
		d.state.ends = func() { ends(strings.TrimSpace(d.buffer.String())) }
	}
	if isTable(t.word) {
		d.state.place = inTable
	}
	if d.fieldWord(t.word, buffer) {
		return true
	}
	switch t.word {
	case "fonttbl":
		d.state.target = toFonts
	case "stylesheet":
		d.state.target = toStyles
	case "info":
		d.state.target = toInfo
	case "title", "author", "subject", "keywords", "doccomm", "creatim", "revtim":
		if d.state.target != toInfo {
			return false
		}
		d.info(t.word, buffer)
	case "colortbl", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "themedata", "colorschememapping", "latentstyles",
		"datastore", "xmlnstbl", "mmathPr", "filetbl", "objname", "nonshppict", "listpicture",
		"blipuid", "panose", "falt", "fontemb", "bkmkend", "xe", "tc", "rxe", "atnid", "atnref", "atrfstart", "atrfend", "atnicn", "pnseclvl",
		"datafield", "pgptbl", "operator", "company", "manager", "category",
		"comment", "mmathPict", "moMathParaPr", "hlinkbase", "htmltag", "mhtmltag":
		d.state.unread()
		d.state.target = toNothing
	case "shprslt", "background", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn", // they may have paragraphs
		"pgdsctbl": // LibreOffice repeats headers and footers in it
		d.state.target = toNothing
	case "listtext", "pntext":
		buffer(func(s string) { d.out.number, d.out.listed = s, t.word == "listtext" })
	case "bkmkstart":
		buffer(func(name string) {
			if name != "" && d.state.target == toBuffer {
				d.out.line.Node(d.b.Element(atom.Span, "id", name), doctree.Style{})
			}
		})
	case "atnauthor":
		buffer(func(s string) { d.author = s })
	case "atndate":
		buffer(d.dated)
	case "sn":
		buffer(func(s string) { d.property = s })
	case "sv":
		buffer(func(s string) {
			switch d.property {
			case "wzDescription":
				d.alt = s
			case "gtextUNICODE": // WordArt
				d.out.line.Text(" "+doctree.Clean(s)+" ", doctree.Style{})
			}
		})
	case "shp":
		outer := d.alt
		d.alt, d.image = "", nil
		d.state.ends = func() {
			d.described()
			d.alt, d.image = outer, nil
		}
	case "object":
		d.program = ""
		d.state.ends = func() { d.replaced = false }
	case "objdata":
		d.state.target = toNothing
		d.object()
	case "objclass":
		buffer(func(s string) { d.program = s })
	case "pict":
		d.drawn = false
		d.state.unread()
		d.state.target = toBuffer // its groups are read, but not its bytes
		d.state.ends = d.picture
	case "shptxt":
		d.alt = "" // Word describes a text box by its text
		d.side(t.word)
	case "footnote", "annotation", "dptxbxtext", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		d.side(t.word)
	case "moMathPara":
		d.state.display = true
	case "moMath":
		d.math()
	case "nonesttables": // for programs without nested tables
		d.state.target = toNothing
	case "nesttableprops":
		defs, next, heads := d.defs, d.next, d.heads
		d.state.ends = func() { d.defs, d.next, d.heads = defs, next, heads }
	case "upr":
		d.state.upr = true
	case "ud", "shppict", "shpinst", "result", "do", "picprop", "sp", "mmath", "pn", "pntxta", "pntxtb", "cs", "rtf":
		if t.word == "pn" || t.word == "pntxta" || t.word == "pntxtb" {
			d.state.target = toNothing
		}
		return t.word != "cs" && t.word != "rtf"
	default:
		if star {
			d.state.unread()
			d.state.target = toNothing
		}
		return star
	}
	return true
}

// dated sets the date of the current comment. s is a signed number.
func (d *reader) dated(s string) {
	n, err := strconv.ParseInt(s, 10, 64)
	li, date := d.out.flow.Into, cfb.Moment(n&0xFFFFFFFF)
	if err == nil && date != "" && doctree.Attr(li, "data-note") != "" && doctree.Attr(li, "data-date") == "" {
		li.Attr = append(li.Attr, html.Attribute{Key: "data-date", Val: date})
	}
}

// info reads a property of the document.
func (d *reader) info(word string, buffer func(func(string))) {
	m := &d.doc.Meta
	switch word {
	case "creatim", "revtim":
		d.state.target = toNothing
		at := date(d.s.data[d.s.at:])
		if word == "creatim" {
			m.Created = at
		} else {
			m.Modified = at
		}
	case "title":
		buffer(func(s string) { m.Title = s })
	case "author":
		buffer(func(s string) { m.Author = s })
	case "subject":
		buffer(func(s string) { m.Subject = s })
	case "keywords":
		buffer(func(s string) { m.Keywords = s })
	default:
		buffer(func(s string) { m.Description = s })
	}
}

// date reads \yr \mo \dy \hr \min at the beginning of data.
func date(data []byte) time.Time {
	s := scanner{data: data[:min(len(data), 200)]}
	part := map[string]int{"mo": 1, "dy": 1}
	for t := s.next(); t.kind == word; t = s.next() {
		part[t.word] = t.number
	}
	if part["yr"] < 1 || part["yr"] > 9999 {
		return time.Time{}
	}
	return time.Date(part["yr"], time.Month(part["mo"]), part["dy"], part["hr"], part["min"], part["sec"], 0, time.UTC)
}

// picture adds an image to the line.
func (d *reader) picture() {
	said := doctree.Describe(d.alt)
	d.alt = ""
	if d.unseen() {
		return
	}
	d.image = d.out.line.Picture(&d.b, said, "")
	d.field.shows()
	if !d.drawn || d.replaced || d.pictures.Full() {
		return
	}
	if box := d.pictures.Text(&d.b, d.s.hexBefore(d.passed)); box != nil {
		d.out.aside = append(d.out.aside, box)
	}
}

// described adds the description of the shape that ends, unless its picture has it.
func (d *reader) described() {
	said := doctree.Describe(d.alt)
	switch {
	case said.Text == "" || d.unseen():
	case d.image != nil && d.image.Attr[0].Val == "": // it stands behind the picture
		d.image.Attr[0].Val = said.Text
	default:
		d.out.line.Picture(&d.b, said, "")
	}
}

// side begins a note, a comment, a text box, a header or a footer. Each has
// an output of its own.
func (d *reader) side(word string) {
	if d.outer >= maxNested {
		d.state.target = toNothing
		d.deep.Others++
		return
	}
	var into *html.Node
	ends := func() {}
	switch {
	case word == "footnote":
		ref, li := d.notes.Add(&d.b, "")
		d.out.line.Node(ref, doctree.Style{})
		into, ends = li, func() { doctree.Unwrap(li) }
	case word == "annotation":
		var attrs []string
		if d.author != "" {
			attrs = append(attrs, "data-author", d.author)
		}
		d.author = ""
		ref, li := d.notes.Add(&d.b, "comment", attrs...)
		d.out.line.Node(ref, doctree.Style{})
		into, ends = li, func() { doctree.Unwrap(li) }
	case strings.HasPrefix(word, "header"), strings.HasPrefix(word, "footer"):
		tag := atom.Header
		if strings.HasPrefix(word, "footer") {
			tag = atom.Footer
		}
		margin := d.running.Begin(&d.b, tag)
		into, ends = margin, func() { d.running.Add(margin) }
	default:
		into = d.b.Element(atom.Aside, "data-role", "textbox")
		box, out := into, d.out
		ends = func() {
			if box.FirstChild != nil {
				out.aside = append(out.aside, box)
			}
		}
	}
	outer := d.out
	d.outer++
	d.out = &output{flow: &doctree.Flow{B: &d.b, Into: into}}
	d.state.para, d.state.look, d.state.target = paragraph{}, doctree.Style{}, toText
	d.state.ends = func() {
		d.endParagraph()
		d.closeTables(0)
		d.out = outer
		d.outer--
		ends()
	}
}

// look handles a control word for character formatting, and reports whether
// it is one.
func (d *reader) look(t token) bool {
	on := !t.given || t.number != 0
	s := &d.state.look
	switch t.word {
	case "b":
		s.Bold = on
	case "i":
		s.Italic = on
	case "ul", "uld", "uldb", "ulw", "uldash", "uldashd", "uldashdd", "ulth", "ulwave":
		s.Underline = on
	case "ulnone":
		s.Underline = false
	case "strike", "striked":
		s.Strike = on
	case "super":
		s.Sup, s.Sub = on, false
	case "sub":
		s.Sub, s.Sup = on, false
	case "nosupersub":
		s.Sup, s.Sub = false, false
	case "up":
		s.Sup, s.Sub = !t.given || t.number > 0, false
	case "dn":
		s.Sub, s.Sup = !t.given || t.number > 0, false
	case "highlight":
		s.Mark = t.number != 0
	case "v":
		d.state.hidden = on
	case "deleted":
		d.state.deleted = on
	case "f":
		d.state.font = t.number
		s.Code = d.fonts[t.number].mono
	case "plain":
		d.state.look, d.state.hidden, d.state.deleted, d.state.font = doctree.Style{}, false, false, 0
	case "u":
		d.unicode(t.number)
	case "uc":
		d.state.uc = max(0, min(t.number, 16))
	case "ansicpg":
		d.page = t.number
	case "mac":
		d.page = 10000
	case "pc":
		d.page = 437
	case "pca":
		d.page = 850
	default:
		return false
	}
	return true
}

// show adds text to the line. It replaces characters of symbol fonts.
func (d *reader) show(s string) {
	d.field.shows()
	look := d.state.look
	look.Href = d.state.link
	if d.state.hidden {
		look = d.options.Hidden.Style(look)
	}
	for i := len(d.stack) - 1; i >= 0 && look.Href == ""; i-- {
		look.Href = d.stack[i].link
	}
	switch name := d.fonts[d.state.font].name; name {
	case "symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings":
		var b strings.Builder
		for _, r := range s {
			if r <= ' ' {
				b.WriteRune(r)
				continue
			}
			b.WriteString(ooxml.Symbol(name, r))
		}
		s = b.String()
	}
	d.out.line.Text(s, look)
}

// block handles a control word for paragraphs.
func (d *reader) block(t token) {
	p := &d.state.para
	switch t.word {
	case "par", "sect":
		if !p.drop {
			d.endParagraph()
		}
	case "page", "column":
		d.out.line.Text(" ", doctree.Style{})
	case "pard":
		*p = paragraph{}
	case "s":
		p.style = t.number
	case "outlinelevel":
		p.outline = t.number + 1
	case "intbl":
		p.inTable = true
	case "itap":
		p.nesting = max(0, min(t.number, maxNested))
	case "ilvl":
		p.level = t.number
	case "ls":
		p.list = true
	case "li", "lin":
		p.left = t.number
	case "fi":
		p.first = t.number
	case "brdrt", "brdrb":
		p.ruled = true
	case "brdrl", "brdrr", "box", "brdrnil", "brdrnone":
		p.ruled = false
	case "dropcapt":
		p.drop = t.number == 1 || t.number == 2
	case "qc":
		p.side = "center"
	case "qr":
		p.side = "right"
	case "ql", "qj", "qd":
		p.side = ""
	case "rtlpar":
		p.rtl = true
	case "ltrpar":
		p.rtl = false
	}
}
