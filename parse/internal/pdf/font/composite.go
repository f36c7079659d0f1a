// SPDX-License-Identifier: Apache-2.0

package font

import (
	"math"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/parse/internal/pdf/object"
)

// composite decodes the strings of a Type 0 font.
type composite struct {
	cmap     *CMap
	identity bool // codes are two-byte CIDs
	uni      *CMap
	set      *texts         // text by CID of the character collection; nil if unknown
	program  func() program // reads the font program at the first call
	usual    bool           // not embedded, with the glyphs in standard Macintosh order
	gids     []byte         // CIDToGIDMap; nil: the glyph index equals the CID
	vertical bool
	torn     bool // codes without text may have had one in the damaged part

	widths  []widthRange // sorted by lo
	heights []heightRange
	left    int        // how many more of maxWidths may be read
	width   float64    // DW in em
	down    [2]float64 // DW2 in em

	recent [256]atomic.Pointer[Glyph] // of codes of two bytes, by their last byte

	mu    sync.RWMutex // protects cache
	cache map[uint32]*Glyph
}

// widthRange has the widths of the CIDs lo to hi. If each is nil, all is the
// width of every CID.
type widthRange struct {
	lo, hi int
	each   []float64
	all    float64
}

// heightRange is the vertical metrics of CIDs: the advance and the x and y
// of the origin.
type heightRange struct {
	lo, hi int
	each   [][3]float64 // one for each CID, or a single one for all
}

// readComposite reads a Type 0 font into f.
func (l *Loader) readComposite(f *Font, d object.Dict) {
	c := &composite{uni: l.toUnicode(f, d), cache: map[uint32]*Glyph{}}
	var cid object.Dict
	if kids := l.File.Array(d["DescendantFonts"]); len(kids) > 0 {
		cid = l.File.Dict(kids[0])
	}
	f.Damaged = f.Damaged || cid == nil
	c.torn = f.Damaged
	descriptor := l.File.Dict(cid["FontDescriptor"])
	c.program = sync.OnceValue(func() program { return l.program(f, descriptor) })
	ordering := l.ordering(cid)
	switch v := l.File.Resolve(d["Encoding"]).(type) {
	case object.Name:
		c.identity = strings.HasPrefix(string(v), "Identity")
		c.vertical = strings.HasSuffix(string(v), "-V") || v == "V"
		if !c.identity {
			c.cmap = predefined(string(v))
		}
	case *object.Stream:
		data, _ := l.File.DataWithin(v, maxText) // of a damaged stream the first part may be enough
		c.cmap = ParseCMap(data, predefined)
		l.spend(f, c.cmap.size()+len(data)/8)
		if base := l.File.Name(v.Dict["UseCMap"]); base != "" && c.cmap.base == nil {
			c.cmap.base = predefined(string(base))
		}
		c.vertical = c.cmap.Vertical || l.File.Int(v.Dict["WMode"], 0) == 1
		if len(c.cmap.cids) == 0 && c.cmap.base == nil {
			c.identity = true
		}
	}
	if c.cmap == nil {
		c.identity = true
	}
	if texts, ok := collections[ordering]; ok {
		c.set = texts()
	}
	if s := l.File.Stream(cid["CIDToGIDMap"]); s != nil {
		c.gids, _ = l.File.DataWithin(s, 2*maxGlyphs) // of a damaged stream the first part may be enough
		l.spend(f, len(c.gids))
	}
	l.readMetrics(c, cid)
	l.spend(f, 8*(maxWidths-c.left))
	if c.identity && c.uni == nil && c.set == nil && c.program() == (program{}) {
		c.usual = c.usualOrder(coreFont(f))
	}
	f.Vertical = c.vertical
	f.composite = c
	f.Fixed = f.Fixed || fixed(c.ownWidths())
}

// ownWidths returns the widths in em that the font lists for CIDs, at most
// 256. It leaves out widths of 0.
func (c *composite) ownWidths() []float64 {
	var out []float64
	for _, r := range c.widths {
		for cid := r.lo; cid <= min(r.hi, r.lo+255) && len(out) < 256; cid++ {
			w := r.all
			if r.each != nil {
				w = r.each[cid-r.lo]
			}
			if w != 0 {
				out = append(out, w)
			}
		}
	}
	return out
}

// usualOrder reports whether a font that is not embedded has its glyphs in
// standard Macintosh order. It compares the widths with those of the
// standard font core. The system fonts that producers do not embed have this
// order.
func (c *composite) usualOrder(core string) bool {
	same, all := 0, 0
	mac := standardStrings().mac
	for _, r := range c.widths {
		for cid := max(r.lo, glyphSpace); cid <= min(r.hi, glyphSpace+94); cid++ {
			all++
			if math.Abs(c.widthOf(cid)-coreWidth(core, -1, mac[cid])) < .02 {
				same++
			}
		}
	}
	return same >= 3 && 10*same >= 8*all
}

// ordering returns the name of the character collection, such as Japan1.
func (l *Loader) ordering(cid object.Dict) string {
	info := l.File.Dict(cid["CIDSystemInfo"])
	return l.File.Text(info["Ordering"])
}

// readable returns the font program, or an empty one if reading it panics.
func (c *composite) readable() (p program) {
	defer func() {
		if recover() != nil { // a damaged font program must not make the page fail
			p = program{}
		}
	}()
	return c.program()
}

// maxWidths limits the numbers that are read from W and W2, since an array
// may refer to one list many times. Each of the 65,536 CIDs has one width
// and three vertical metrics. A range counts as rangeCost numbers.
const (
	maxWidths = 1 << 18
	rangeCost = 4
)

func (l *Loader) readMetrics(c *composite, d object.Dict) {
	c.left = maxWidths
	c.width = l.File.Float(d["DW"], 1000) / 1000
	w := l.File.Array(d["W"])
	for i := 0; i+1 < len(w) && c.left > 0; {
		lo := l.File.Int(w[i], 0)
		c.left -= rangeCost
		if each := l.File.Array(w[i+1]); each != nil {
			each = each[:min(len(each), max(c.left, 0))]
			c.left -= len(each)
			r := widthRange{lo: lo, hi: lo + len(each) - 1, each: make([]float64, len(each))}
			for i, v := range each {
				r.each[i] = l.File.Float(v, 1000*c.width) / 1000
			}
			c.widths = append(c.widths, r)
			i += 2
			continue
		}
		if i+2 >= len(w) {
			break
		}
		c.widths = append(c.widths, widthRange{lo: lo, hi: l.File.Int(w[i+1], 0), all: l.File.Float(w[i+2], 1000*c.width) / 1000})
		i += 3
	}
	sort.SliceStable(c.widths, func(i, j int) bool { return c.widths[i].lo < c.widths[j].lo })
	c.down = [2]float64{.88, -1}
	if v, ok := l.File.Floats(d["DW2"], 2); ok {
		c.down = [2]float64{v[0] / 1000, v[1] / 1000}
	}
	if c.vertical {
		l.readHeights(c, l.File.Array(d["W2"]))
	}
}

func (l *Loader) readHeights(c *composite, w object.Array) {
	for i := 0; i+1 < len(w) && c.left > 0; {
		lo := l.File.Int(w[i], 0)
		c.left -= rangeCost
		if each := l.File.Array(w[i+1]); each != nil {
			each = each[:min(len(each), max(c.left, 0))]
			c.left -= len(each)
			r := heightRange{lo: lo, hi: lo + len(each)/3 - 1}
			for k := 0; k+2 < len(each); k += 3 {
				r.each = append(r.each, [3]float64{
					l.File.Float(each[k], -1000) / 1000, l.File.Float(each[k+1], 0) / 1000, l.File.Float(each[k+2], 0) / 1000,
				})
			}
			c.heights = append(c.heights, r)
			i += 2
			continue
		}
		if i+4 >= len(w) {
			break
		}
		c.heights = append(c.heights, heightRange{lo: lo, hi: l.File.Int(w[i+1], 0), each: [][3]float64{{
			l.File.Float(w[i+2], -1000) / 1000, l.File.Float(w[i+3], 0) / 1000, l.File.Float(w[i+4], 0) / 1000,
		}}})
		i += 5
	}
	sort.SliceStable(c.heights, func(i, j int) bool { return c.heights[i].lo < c.heights[j].lo })
}

// maxCache is the maximum number of cached glyphs of a font. A glyph needs
// about 100 bytes.
const maxCache = 1 << 14

func (c *composite) next(s []byte) (*Glyph, int) {
	var code uint32
	n := 2
	switch {
	case c.cmap != nil && !c.identity, c.cmap != nil && len(c.cmap.spaces) > 0:
		code, n = c.cmap.Next(s)
	case len(s) < 2:
		code, n = uint32(s[0]), 1
	default:
		code = uint32(s[0])<<8 | uint32(s[1])
	}
	var recent *atomic.Pointer[Glyph]
	if n == 2 {
		recent = &c.recent[code&0xff]
		if g := recent.Load(); g != nil && g.Code == code {
			return g, n
		}
	}
	key := code | uint32(n-1)<<30
	c.mu.RLock()
	g := c.cache[key]
	c.mu.RUnlock()
	if g == nil {
		g = c.glyph(code, n)
		c.mu.Lock()
		if len(c.cache) >= maxCache {
			clear(c.cache) // they can be created again
		}
		c.cache[key] = g
		c.mu.Unlock()
	}
	if recent != nil {
		recent.Store(g)
	}
	return g, n
}

func (c *composite) glyph(code uint32, n int) *Glyph {
	cid := int(code)
	if !c.identity && c.cmap != nil {
		v, ok := c.cmap.CID(code)
		if !ok {
			v = 0
		}
		cid = int(v)
	}
	g := &Glyph{Code: code, Space: n == 1 && code == 32}
	g.Width = c.widthOf(cid)
	if c.vertical {
		w := g.Width
		g.Width, g.VX, g.VY = c.down[1], w/2, c.down[0]
		if h, ok := c.heightOf(cid); ok {
			g.Width, g.VX, g.VY = h[0], h[1], h[2]
		}
	}
	g.Text = c.text(code, cid)
	return g
}

func (c *composite) text(code uint32, cid int) string {
	if c.uni != nil {
		if t, ok := c.uni.Text(code); ok {
			return t
		}
	}
	if t := c.set.at(cid); t != "" {
		return t
	}
	gid := cid
	p := c.readable()
	if c.gids != nil {
		gid = be16(c.gids, 2*cid)
	} else if p.cff != nil && p.cff.cid {
		gid = p.cff.gids[cid]
	}
	if t := p.text(gid); t != "" {
		return t
	}
	if mac := standardStrings().mac; c.usual && cid >= glyphSpace && cid < len(mac) {
		return GlyphText(mac[cid])
	}
	if c.torn || c.uni == nil && c.set == nil {
		return "\ufffd"
	}
	return ""
}

func (c *composite) widthOf(cid int) float64 {
	i := sort.Search(len(c.widths), func(i int) bool { return c.widths[i].lo > cid })
	for back := 0; i > 0 && back < 4; back++ {
		i--
		if r := c.widths[i]; cid <= r.hi {
			if r.each != nil {
				return r.each[cid-r.lo]
			}
			return r.all
		}
	}
	return c.width
}

func (c *composite) heightOf(cid int) ([3]float64, bool) {
	i := sort.Search(len(c.heights), func(i int) bool { return c.heights[i].lo > cid })
	if i == 0 {
		return [3]float64{}, false
	}
	r := c.heights[i-1]
	if cid > r.hi || len(r.each) == 0 {
		return [3]float64{}, false
	}
	if len(r.each) == 1 {
		return r.each[0], true
	}
	return r.each[cid-r.lo], true
}
