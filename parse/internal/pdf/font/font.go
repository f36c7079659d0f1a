// SPDX-License-Identifier: Apache-2.0

// Package font reads the fonts of a PDF document and maps character codes to
// Unicode text and widths.
//
// The text of a code comes from the first of these sources that has it: the
// ToUnicode CMap, the glyph name in the encoding, the embedded font program,
// and the character collection of the predefined CMap. Glyph outlines are not read.
package font

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/parse/internal/pdf/object"
)

// Font decodes strings shown in one font. It is safe for concurrent use.
type Font struct {
	Name   string // PostScript name without the subset tag
	Bold   bool
	Italic bool
	Fixed  bool // all glyphs have the same width
	Serif  bool
	Math   bool // a font for formulas, in which italics are not emphasis

	Vertical bool // vertical writing mode

	// Ascent and Descent are those of the font descriptor in em. Descent is
	// negative. They are 0 if the descriptor has no plausible values.
	Ascent, Descent float64

	// Damaged reports that a part of the font which says what its codes mean
	// is missing in the file or can only be decoded in part.
	Damaged bool

	// Type3 is not nil if the glyphs are content streams.
	Type3 *Type3

	simple    *simple // exactly one of simple and composite is set
	composite *composite
	absent    bool // the file does not have the font

	size atomic.Int64 // bytes of the tables that were read
}

// Size returns the approximate size in bytes of the tables of f that were
// read so far.
func (f *Font) Size() int { return int(f.size.Load()) }

// Face returns a copy of f with the properties of the font but without the
// tables for its codes. Its use is to keep a font as long as the document
// without keeping its tables.
func (f *Font) Face() *Font {
	return &Font{
		Name: f.Name, Bold: f.Bold, Italic: f.Italic, Fixed: f.Fixed, Serif: f.Serif, Math: f.Math, Vertical: f.Vertical,
		Ascent: f.Ascent, Descent: f.Descent,
	}
}

// Glyph is the glyph of one character code.
type Glyph struct {
	Code  uint32
	Text  string  // zero or more characters
	Width float64 // advance in em; in a vertical font the downward advance, which is negative
	// VX and VY are the vector from the horizontal to the vertical origin of
	// the glyph, in em. They are only used in vertical fonts.
	VX, VY float64
	Space  bool // the single-byte code 32, to which word spacing applies
}

// unknown is any glyph of a font that the file does not have.
var unknown = Glyph{Text: "\ufffd", Width: .5}

// Type3 is a font whose glyphs are content streams.
type Type3 struct {
	Matrix    [6]float64
	Resources object.Dict // nil: the resources of the page

	procs object.Dict
	font  *simple
}

// Next returns the glyph of the first code of s, and the length of the code
// in bytes. s must not be empty.
func (f *Font) Next(s []byte) (*Glyph, int) {
	if f.absent && s[0] < ' ' && len(s) > 1 {
		return &unknown, 2 // a code of two bytes: control characters are not shown
	}
	if f.simple != nil {
		return f.simple.glyph(s[0]), 1
	}
	return f.composite.next(s)
}

// Loader reads the fonts of a document and caches them. It is safe for
// concurrent use.
type Loader struct {
	File *object.File

	mu    sync.Mutex // protects fonts
	fonts map[key]known
	plain sync.Map // *object.Stream to *[256]string: the encoding of a font program without tables, or nil

	live  atomic.Int64 // bytes of the tables of all fonts
	large sync.Mutex   // protects memory: only one large font program is read at a time
}

// Memory limits of fonts in bytes.
const (
	maxLive   = 64 << 20 // tables of cached fonts; beyond it the cache is emptied
	maxTables = 96 << 20 // tables in use; beyond it no more tables are read
	maxText   = 8 << 20  // a CMap
	smallFile = 4 << 20  // a font program that may be read concurrently with others
	maxFile   = 32 << 20 // a font program
)

// spend counts bytes of tables of f.
func (l *Loader) spend(f *Font, bytes int) {
	f.size.Add(int64(bytes))
	l.live.Add(int64(bytes))
}

// spent reports whether the tables have reached the limit, so that no more
// are read.
func (l *Loader) spent() bool { return l.live.Load() > maxTables }

// key identifies a font dictionary by its object reference, or by its
// address if it is a direct object.
type key struct {
	ref    object.Ref
	direct uintptr
}

// known is a font that was read. It keeps its dictionary alive, so that no
// other dictionary can get the same address.
type known struct {
	font *Font
	dict object.Object
}

// maxKnown is the maximum number of cached fonts, each of which needs 14 KB
// or more. When it is reached, the cache is emptied.
const maxKnown = 4096

// Load returns the font that o, a reference or a dictionary, describes. It
// never fails; missing properties are guessed.
func (l *Loader) Load(o object.Object) *Font {
	var at key
	switch v := o.(type) {
	case object.Ref:
		at.ref = v
	case object.Dict:
		at.direct = reflect.ValueOf(v).Pointer()
	default:
		o = nil
	}
	l.mu.Lock()
	k, ok := l.fonts[at]
	l.mu.Unlock()
	if ok {
		return k.font
	}
	f := l.read(l.File.Dict(o))
	if l.File.Missing(o) {
		f.Damaged, f.absent = true, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fonts == nil || len(l.fonts) >= maxKnown || l.live.Load() > maxLive {
		l.fonts = map[key]known{}
		l.live.Store(0)
	}
	l.fonts[at] = known{f, o}
	return f
}

func (l *Loader) read(d object.Dict) (f *Font) {
	f = &Font{}
	defer func() {
		if recover() != nil { // a damaged font program must not make the page fail
			f = &Font{Name: f.Name, simple: &simple{}}
		}
	}()
	f.Name = baseName(string(l.File.Name(d["BaseFont"])))
	descriptor := l.File.Dict(d["FontDescriptor"])
	if l.File.Name(d["Subtype"]) == "Type0" {
		if kids := l.File.Array(d["DescendantFonts"]); len(kids) > 0 {
			descriptor = l.File.Dict(l.File.Dict(kids[0])["FontDescriptor"])
		}
	}
	for _, key := range []object.Name{"FontFile", "FontFile2", "FontFile3"} {
		f.Damaged = f.Damaged || l.File.Missing(descriptor[key])
	}
	f.describe(l.File, descriptor)
	if l.File.Name(d["Subtype"]) == "Type0" {
		l.readComposite(f, d)
	} else {
		l.readSimple(f, d, descriptor)
	}
	return f
}

// baseName removes the subset tag, which is six letters and a plus sign.
func baseName(name string) string {
	if tag, rest, ok := strings.Cut(name, "+"); ok && len(tag) == 6 {
		return rest
	}
	return name
}

// Flags of a font descriptor (ISO 32000-1, table 123).
const (
	flagFixed     = 1 << 0
	flagSerif     = 1 << 1
	flagSymbolic  = 1 << 2
	flagItalic    = 1 << 6
	flagForceBold = 1 << 18
)

func (f *Font) describe(file *object.File, d object.Dict) {
	name := strings.ToLower(f.Name)
	flags := file.Int(d["Flags"], 0)
	f.Fixed = flags&flagFixed != 0 || containsAny(name, "courier", "mono", "nimbusmon", "consol", "typewriter", "lettergothic", "sourcecode", "firacode", "cmtt", "menlo")
	f.Serif = flags&flagSerif != 0 || containsAny(name, "times", "serif", "roman")
	f.Italic = flags&flagItalic != 0 || containsAny(name, "italic", "oblique", "slanted", "-it", "cmti") || file.Float(d["ItalicAngle"], 0) < -2
	f.Bold = flags&flagForceBold != 0 || file.Float(d["FontWeight"], 400) >= 600 ||
		containsAny(name, "bold", "black", "heavy", "-bd", "cmbx", "cmssbx", "cmb10", "sfbx", "sfbi", "sfbl", "sfsx", "sfso", "semibold", "demi") ||
		// The name is more reliable than the stem width, which programs that regenerate
		// fonts guess.
		d["FontWeight"] == nil && !f.Fixed && boldStem(file, d) && !containsAny(name, "regular", "roman", "book", "light", "thin", "medium")
	f.Math = f.Math || containsAny(name, "math", "cmmi", "cmsy", "cmex", "cmbsy", "msam", "msbm", "mtmi", "mtsy", "txmi", "pxmi", "txsy", "pxsy", "eufm", "eusm", "eurm", "rsfs")
	asc, desc := file.Float(d["Ascent"], 0)/1000, file.Float(d["Descent"], 0)/1000
	if desc > 0 {
		desc = -desc
	}
	if asc > .3 && asc < 1.5 && desc > -1 {
		f.Ascent, f.Descent = asc, desc
	}
}

// boldStem reports whether the stems of a font are as wide as those of bold letters. A width that is
// 15 % of the right edge of the font's box is a guess of Ghostscript. The stems of monospaced
// fonts are often given as twice as wide as they are.
func boldStem(file *object.File, d object.Dict) bool {
	stem := file.Float(d["StemV"], 0)
	if stem < 140 {
		return false
	}
	box, ok := file.Floats(d["FontBBox"], 4)
	return !ok || math.Abs(stem-math.Trunc(.15*box[2])) > 1
}

// leastFixed is the minimum number of glyphs with the same width from which
// a font is taken for a fixed-width font. In many proportional fonts all
// digits have the same width.
const leastFixed = 16

// fixed reports whether the widths are those of a fixed-width font. They are
// in em and do not include those of missing glyphs. Fonts of full-width
// ideographs do not count.
func fixed(widths []float64) bool {
	if len(widths) < leastFixed || widths[0] < .4 || widths[0] > .75 {
		return false
	}
	for _, w := range widths[1:] {
		if math.Abs(w-widths[0]) > .002 {
			return false
		}
	}
	return true
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// program is an embedded font program. Fields that it does not have are nil.
// An OpenType font may have both sfnt and cff.
type program struct {
	sfnt  *sfnt
	cff   *cff
	type1 *[256]string
}

func (l *Loader) program(f *Font, descriptor object.Dict) (p program) {
	defer func() { l.spend(f, p.size()) }()
	if l.spent() {
		return program{}
	}
	for _, key := range []object.Name{"FontFile2", "FontFile3", "FontFile"} {
		s := l.File.Stream(descriptor[key])
		if s == nil {
			continue
		}
		if known, ok := l.plain.Load(s); ok { // many fonts may share a large program
			if e, _ := known.(*[256]string); e != nil {
				return program{type1: e}
			}
			continue
		}
		data, _ := l.file(s) // of a damaged stream the first part may be enough
		if f := parseSFNT(data); f != nil {
			return program{sfnt: f, cff: f.cff}
		}
		if len(data) > 4 && data[0] == 1 && data[1] == 0 {
			if f := parseCFF(data); f != nil {
				return program{cff: f}
			}
		}
		e := type1Encoding(data)
		l.plain.Store(s, e)
		if e != nil {
			return program{type1: e}
		}
	}
	return program{}
}

// file returns the bytes of a font program.
func (l *Loader) file(s *object.Stream) ([]byte, error) {
	data, err := l.File.DataWithin(s, smallFile)
	if !errors.Is(err, object.ErrLimit) {
		return data, err
	}
	l.large.Lock()
	defer l.large.Unlock()
	return l.File.DataWithin(s, maxFile)
}

// entrySize is the approximate size of a map entry in bytes.
const entrySize = 40

// size returns the approximate size of a font program in memory, in bytes.
func (p program) size() int {
	n := 0
	if f := p.sfnt; f != nil {
		n += entrySize*(len(f.symbol)+len(f.mac)+len(f.unicode)+len(f.texts)) + 32*len(f.names) + 8*len(f.widths) + 8*len(f.blank)
	}
	if f := p.cff; f != nil {
		n += entrySize*len(f.gids) + 8*len(f.charset) + 32*len(f.strings)
	}
	return n
}

// text returns the text of the glyph with index gid.
func (p program) text(gid int) string {
	if p.sfnt != nil {
		return p.sfnt.text(gid)
	}
	if p.cff != nil {
		return GlyphText(p.cff.name(gid))
	}
	return ""
}

// toUnicode reads the ToUnicode CMap of d. It returns nil if there is none
// or if it is useless.
func (l *Loader) toUnicode(f *Font, d object.Dict) *CMap {
	s := l.File.Stream(d["ToUnicode"])
	if s == nil {
		f.Damaged = f.Damaged || l.File.Missing(d["ToUnicode"])
	}
	if s == nil || l.spent() {
		return nil
	}
	data, err := l.File.DataWithin(s, maxText) // of a damaged stream the first part may be enough
	f.Damaged = f.Damaged || errors.Is(err, object.ErrCorrupt)
	m := ParseCMap(data, predefined)
	l.spend(f, m.size()+len(data)/8) // the size of the stream counts too, because parsing it takes time
	if !m.HasText() {
		m.readAsText() // some producers write the operators for CIDs
	}
	if !m.HasText() || m.useless() {
		return nil
	}
	f.Math = f.Math || m.mathematical()
	return m
}
