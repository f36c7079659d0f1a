// SPDX-License-Identifier: Apache-2.0

package content

import (
	"bytes"

	"example.com/curlew/parse/internal/pdf/object"
)

// xobject runs a form or records an image.
func (in *interp) xobject(name object.Name) {
	o := in.sub("XObject")[name]
	s := in.file.Stream(o)
	if s == nil {
		if in.file.Missing(o) {
			in.page.Damaged++
		}
		return
	}
	off := in.off(s.Dict["OC"])
	switch in.file.Name(s.Dict["Subtype"]) {
	case "Image":
		if !off && in.offs == 0 {
			mask, _ := in.file.Resolve(s.Dict["ImageMask"]).(bool)
			in.image(s, mask)
		}
	case "Form", "":
		if off {
			in.offs++
			defer func() { in.offs-- }()
		}
		num := -1
		if ref, ok := o.(object.Ref); ok {
			num = ref.Num
		}
		in.form(s, num)
	}
}

// maxImages bounds the images of a page.
const maxImages = 20_000

// image records an image. It fills the unit square.
func (in *interp) image(s *object.Stream, mask bool) {
	if len(in.page.Images) >= maxImages {
		in.page.Truncated = true
		return
	}
	in.seq++
	b := in.gs.ctm.box(Box{0, 0, 1, 1}).Intersect(in.gs.clip)
	if !b.Empty() {
		in.page.Images = append(in.page.Images, Image{
			Box: b, Matrix: in.gs.ctm, Seq: in.seq, MCID: in.mcid(), Mask: mask, Color: in.gs.fill.color, Stream: s,
		})
	}
}

// form runs a form. num is its object number, or -1 if unknown.
func (in *interp) form(s *object.Stream, num int) {
	if in.depth >= in.doc.Limits.Forms || in.open[s] {
		return
	}
	if !in.mayRun(s) {
		return
	}
	in.enter(s)
	saved, tm, tlm, open, stream := in.gs, in.tm, in.tlm, in.path, in.stream
	in.path = path{}
	in.held += len(open.points)
	if s.Dict["StructParents"] != nil {
		in.stream = num
	}
	if s.Dict["Group"] != nil {
		in.gs.group = in.gs.alpha
	}
	if m, ok := in.file.Floats(s.Dict["Matrix"], 6); ok {
		in.gs.ctm = matrix(m).times(in.gs.ctm)
	}
	if b, ok := in.file.Floats(s.Dict["BBox"], 4); ok {
		in.gs.clip = in.gs.clip.Intersect(in.gs.ctm.box(Box{min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])}))
	}
	res := in.file.Dict(s.Dict["Resources"])
	if res == nil {
		res = in.res
	}
	in.runStream(s, in.code(s), res)
	in.gs, in.tm, in.tlm, in.path, in.stream = saved, tm, tlm, open, stream
	in.held -= len(open.points)
	delete(in.open, s)
}

// Forms that show each other many times could take forever. maxAgain bounds
// the bytes of forms that one page runs again, and maxAgainAll those of all
// pages. Besides that, each page has freeAgain, which is more than pages
// with bitmap fonts need. A run costs its bytes plus runCost, and each glyph
// that it shows costs glyphCost.
const (
	maxAgain    = 64 << 20
	maxAgainAll = 128 << 20
	freeAgain   = 2 << 20
	runCost     = 64
	glyphCost   = 64
)

// repeat records the cost of work that the page does again.
func (in *interp) repeat(cost int) {
	in.again += cost
	if over := min(cost, in.again-freeAgain); over > 0 {
		in.doc.again.Add(int64(over))
	}
}

// spent reports whether the page has used up its budget for repeated work.
func (in *interp) spent() bool {
	return in.again > maxAgain || in.again > freeAgain && in.doc.again.Load() > maxAgainAll
}

// mayRun reports whether a form or glyph stream may be run.
func (in *interp) mayRun(s *object.Stream) bool {
	if _, again := in.ran[s]; again && in.spent() {
		in.page.Truncated = true
		return false
	}
	return true
}

// Bounds in bytes on the code that is cached for the next run of the same
// stream.
const (
	maxCode = 64 << 10
	maxKept = 4 << 20
)

// code returns the decoded bytes of a form or glyph stream.
func (in *interp) code(s *object.Stream) []byte {
	if data := in.ran[s]; data != nil {
		return data
	}
	return in.data(s, in.file.Limits().Stream)
}

// runStream runs the code of a form or glyph stream and may cache it.
func (in *interp) runStream(s *object.Stream, code []byte, res object.Dict) {
	shown := len(in.page.Glyphs)
	if in.depth <= 0 { // nested streams are part of the outer one's cost
		may, shared := in.share(s)
		if !may {
			return
		}
		if shared {
			defer func() { in.doc.shared.Add(int64(sharedGlyph * (len(in.page.Glyphs) - shown))) }()
		}
	}
	if _, again := in.ran[s]; again {
		in.repeat(len(code) + runCost)
		in.run(code, res, in.depth+1)
		in.repeat(glyphCost * (len(in.page.Glyphs) - shown))
		return
	}
	if in.ran == nil {
		in.ran = map[*object.Stream][]byte{}
	}
	in.ran[s] = nil
	if len(code) > 0 && len(code) <= maxCode && in.kept+len(code) <= maxKept {
		in.kept += len(code)
		in.ran[s] = code
	}
	in.run(code, res, in.depth+1)
}

// inlineImage skips an inline image from BI to EI and records it.
func (in *interp) inlineImage(l *lexer) {
	d := longKeys(l.dict(0)) // ends before ID
	if bytes.HasPrefix(l.data[l.pos:], []byte("ID")) {
		l.pos += 2
	}
	if l.pos < len(l.data) && object.IsSpace(l.data[l.pos]) {
		l.pos++
	}
	data := l.data[l.pos:]
	size := inlineSize(data, d, in.file)
	l.pos += size
	if in.offs > 0 {
		return
	}
	if space := in.sub("ColorSpace")[in.file.Name(d["ColorSpace"])]; space != nil {
		d["ColorSpace"] = space
	}
	mask, _ := d["ImageMask"].(bool)
	// The page may keep the image, but not the content that it is part of.
	in.image(object.NewStream(d, bytes.Clone(bytes.TrimSuffix(data[:size], []byte("EI")))), mask)
}

// inlineKeys maps the abbreviated keys of inline images to the full ones
// (ISO 32000-1, table 93).
var inlineKeys = map[object.Name]object.Name{
	"BPC": "BitsPerComponent", "CS": "ColorSpace", "D": "Decode", "DP": "DecodeParms", "F": "Filter", "H": "Height", "IM": "ImageMask", "W": "Width",
}

// longKeys returns d with full keys.
func longKeys(d object.Dict) object.Dict {
	out := make(object.Dict, len(d))
	for k, v := range d {
		if long := inlineKeys[k]; long != "" {
			k = long
		}
		out[k] = v
	}
	return out
}

// inlineSize returns the length of inline image data including its EI.
// Without a filter the length follows from the image's size. Otherwise the
// data ends at the first EI between white space that is followed by text
// that looks like an operator.
func inlineSize(data []byte, d object.Dict, f *object.File) int {
	from := 0
	if d["Filter"] == nil {
		w, h := f.Int(d["Width"], 0), f.Int(d["Height"], 0)
		bits := f.Int(d["BitsPerComponent"], 1)
		comps := 1
		switch f.Name(d["ColorSpace"]) {
		case "RGB", "DeviceRGB":
			comps = 3
		case "CMYK", "DeviceCMYK":
			comps = 4
		}
		if w > 0 && h > 0 && w < 1<<16 && h < 1<<16 && bits <= 16 {
			if size := (w*bits*comps + 7) / 8 * h; size < len(data) {
				from = size
			}
		}
	}
	for i := from; i+1 < len(data); i++ {
		if data[i] != 'E' || data[i+1] != 'I' || i > 0 && i != from && !object.IsSpace(data[i-1]) {
			continue
		}
		if plausible(data[i+2:]) {
			return i + 2
		}
	}
	return len(data)
}

// plausible reports whether the bytes after EI look like content and not
// like image data.
func plausible(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	if !object.IsSpace(rest[0]) {
		return false
	}
	for _, c := range rest[:min(len(rest), 12)] {
		if c >= 0x7f || c < 0x20 && !object.IsSpace(c) {
			return false
		}
	}
	return true
}
