// SPDX-License-Identifier: Apache-2.0

// Package font reads the fonts of a PDF: codes -> Unicode text and widths.
//
// Text comes from the first source that answers: the ToUnicode map, the glyph
// names of the encoding, the embedded program, the predefined CMap's character
// collection (parse.md 5.3; ISO 32000-1, 9.10). Outlines are never looked at.
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

// Font reads the codes of one font. It is safe for concurrent use.
type Font struct {
	Name   string // PostScript name without its subset tag
	Bold   bool
	Italic bool
	Fixed  bool // all glyphs have one width
	Serif  bool
	Math   bool // of formulas: its slant is no emphasis

	Vertical bool // set from top to bottom

	// Ascent and Descent are those of the descriptor in em, Descent negative;
	// zero where it says nothing that can be believed.
	Ascent, Descent float64

	// Type3 is set where glyphs are content streams.
	Type3 *Type3

	simple    *simple // exactly one of the two is set
	composite *composite

	size atomic.Int64 // of the tables that were read
}

// Size is about how many bytes the tables of f need that were read so far.
func (f *Font) Size() int { return int(f.size.Load()) }

// Face returns what f says of all its glyphs, without the tables of their codes:
// for those who keep a font as long as a document.
func (f *Font) Face() *Font {
	return &Font{
		Name: f.Name, Bold: f.Bold, Italic: f.Italic, Fixed: f.Fixed, Serif: f.Serif, Math: f.Math, Vertical: f.Vertical,
		Ascent: f.Ascent, Descent: f.Descent,
	}
}

// Glyph is what one code shows.
type Glyph struct {
	Code  uint32
	Text  string  // none to several characters
	Width float64 // advance in em; of vertical fonts the advance downwards, negative
	// VX and VY place the glyph of a vertical font: from its horizontal to its
	// vertical origin, in em.
	VX, VY float64
	Space  bool // the single-byte code 32, which word spacing widens
}

// Type3 is a font whose glyphs are content streams.
type Type3 struct {
	Matrix    [6]float64
	Resources object.Dict // nil: those of the page

	procs object.Dict
	font  *simple
}

// Next returns what the first code of s shows, and its length in bytes. s must
// not be empty.
func (f *Font) Next(s []byte) (*Glyph, int) {
	if f.simple != nil {
		return f.simple.glyph(s[0]), 1
	}
	return f.composite.next(s)
}

// Loader reads fonts and keeps what they share. It is safe for concurrent use.
type Loader struct {
	File *object.File

	mu    sync.Mutex // guards fonts
	fonts map[key]known
	plain sync.Map // *object.Stream: *[256]string, the encoding of a program that has no tables; nil for none

	live  atomic.Int64 // bytes of the tables of fonts
	large sync.Mutex   // guards memory: one large program is read at a time
}

// Bounds of what fonts need, in bytes.
const (
	maxLive   = 64 << 20 // tables that are kept; fonts that come then are kept without those before
	maxTables = 96 << 20 // those of fonts that came before that; of what is more nothing is read
	maxText   = 8 << 20  // a map of codes
	smallFile = 4 << 20  // a program that may be read beside others
	maxFile   = 32 << 20 // a program
)

// spend notes tables of f.
func (l *Loader) spend(f *Font, bytes int) {
	f.size.Add(int64(bytes))
	l.live.Add(int64(bytes))
}

// spent says whether there are so many tables that no more are read.
func (l *Loader) spent() bool { return l.live.Load() > maxTables }

// key is the place of a font's dictionary: its number, or where it lies in
// memory.
type key struct {
	ref    object.Ref
	direct uintptr
}

// known is a font that was read, with its dictionary, lest another one comes to
// lie where that is.
type known struct {
	font *Font
	dict object.Object
}

// maxKnown is how many fonts are kept, of some 14 KB and more each; where there
// are more, all are read again that are asked for again.
const maxKnown = 4096

// Load returns the font that o, a reference or dictionary, describes. It never
// fails: what a font does not say is guessed.
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
		if recover() != nil { // a broken program must not cost the page
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
	f.describe(l.File, descriptor)
	if l.File.Name(d["Subtype"]) == "Type0" {
		l.readComposite(f, d)
	} else {
		l.readSimple(f, d, descriptor)
	}
	return f
}

// baseName cuts the tag of a subset: six capitals and a plus.
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
		containsAny(name, "bold", "black", "heavy", "-bd", "cmbx", "semibold", "demi") ||
		// Programs that make fonts anew guess the stem: a name knows better.
		file.Float(d["StemV"], 0) >= 140 && d["FontWeight"] == nil && !containsAny(name, "regular", "roman", "book", "light", "thin", "medium")
	f.Math = containsAny(name, "math", "cmmi", "cmsy", "cmex", "cmbsy", "msam", "msbm", "mtmi", "mtsy", "txmi", "pxmi", "txsy", "pxsy", "eufm", "eusm", "eurm", "rsfs")
	asc, desc := file.Float(d["Ascent"], 0)/1000, file.Float(d["Descent"], 0)/1000
	if desc > 0 {
		desc = -desc
	}
	if asc > .3 && asc < 1.5 && desc > -1 {
		f.Ascent, f.Descent = asc, desc
	}
}

// leastFixed is how many glyphs must have one width, and none another, to say
// that all have: the digits of many fonts do.
const leastFixed = 16

// fixed says whether widths, in em and without those of glyphs that a font does
// not have, are those of a font of one width. Full-width ideographs are not
// meant.
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

// program is an embedded font program; at most one field is set.
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
		if known, ok := l.plain.Load(s); ok { // a large program may serve many fonts
			if e, _ := known.(*[256]string); e != nil {
				return program{type1: e}
			}
			continue
		}
		data, _ := l.file(s) // what a damaged stream gave may do
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

// file returns the bytes of a program.
func (l *Loader) file(s *object.Stream) ([]byte, error) {
	data, err := l.File.DataWithin(s, smallFile)
	if !errors.Is(err, object.ErrLimit) {
		return data, err
	}
	l.large.Lock()
	defer l.large.Unlock()
	return l.File.DataWithin(s, maxFile)
}

// entrySize is about what an entry of a map needs, in bytes.
const entrySize = 40

// size is about how many bytes a program needs.
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

// text returns what the glyph with a number stands for.
func (p program) text(gid int) string {
	if p.sfnt != nil {
		return p.sfnt.text(gid)
	}
	if p.cff != nil {
		return GlyphText(p.cff.name(gid))
	}
	return ""
}

// toUnicode reads the ToUnicode map of d; nil where it has none that helps.
func (l *Loader) toUnicode(f *Font, d object.Dict) *CMap {
	s := l.File.Stream(d["ToUnicode"])
	if s == nil || l.spent() {
		return nil
	}
	data, _ := l.File.DataWithin(s, maxText) // what a damaged stream gave may do
	m := ParseCMap(data, predefined)
	l.spend(f, m.size()+len(data)/8) // the time that it took counts too
	if !m.HasText() {
		m.readAsText() // some producers write the ranges of the wrong kind
	}
	if !m.HasText() || m.useless() {
		return nil
	}
	return m
}
