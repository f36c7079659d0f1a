// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"slices"

	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

// interp runs the operators of one page. It skips whatever it does not
// understand.
type interp struct {
	ctx  context.Context // of the one call of Document.Page that this interp serves
	doc  *Document
	file *object.File
	page *Page
	err  error // the cause that ended ctx

	res     object.Dict
	subs    map[object.Name]object.Dict // resolved dictionaries of res
	fonts   map[string]*font.Font       // loaded fonts of res
	gs      state
	stack   []state
	tm, tlm matrix
	path    path
	marks   []mark
	depth   int // nesting depth of forms
	steps   int
	seq     int
	seen    int     // number of glyphs up to and including the last letter that is inside its clip path
	edge    float64 // right side of the clip path of that letter
	offs    int     // number of open marked-content sequences that are off
	arts    int     // number of open artifacts
	field   bool
	stream  int                       // object number of the current form if it has marked-content IDs of its own; otherwise 0
	open    map[*object.Stream]bool   // forms being run
	ran     map[*object.Stream][]byte // forms that were run before, with their cached code, if any
	kept    int                       // bytes of cached code in ran
	again   int                       // cost of running forms and reading texts again
	letters int                       // bytes of text that the page keeps
	held    int                       // points of paths that the forms being run interrupt
	hidden  map[object.Ref]bool       // whether optional content groups are off
	faces   map[*font.Font]bool       // fonts of the page

	likely   int // number of glyphs for which space is made first
	lenient  int // number of open sections in which unknown operators are allowed
	noted    int // bytes of notes
	compared int // glyphs that were compared with the text of notes
}

// maxStack bounds the graphics state stack.
const maxStack = 1024

// pollEvery is the number of operators between two checks of ctx.
const pollEvery = 256

// run interprets content data with its resources.
func (in *interp) run(data []byte, res object.Dict, depth int) {
	saved, subs, fonts, oldDepth := in.res, in.subs, in.fonts, in.depth
	in.res, in.subs, in.fonts, in.depth = res, nil, nil, depth
	floor, marks := len(in.stack), len(in.marks)
	l := lexers.Get().(*lexer) //nolint:forcetypeassert // nothing else is put there
	defer l.release()
	l.data, l.ended = data, in.ended
	for in.err == nil {
		op := l.next()
		if op == nil {
			break
		}
		if in.steps++; in.steps%pollEvery == 0 && in.ended() {
			break
		}
		if string(op) == "BI" {
			in.inlineImage(l)
			continue
		}
		in.operator(l, op, floor)
	}
	in.page.Truncated = in.page.Truncated || l.cut
	in.page.Garbled += l.faults
	in.unmark(marks)
	if len(in.stack) > floor {
		in.gs = in.stack[floor]
		in.stack = in.stack[:floor]
	}
	in.res, in.subs, in.fonts, in.depth = saved, subs, fonts, oldDepth
}

// ended reports whether ctx has ended, which stops the page.
func (in *interp) ended() bool {
	if in.err == nil && in.ctx.Err() != nil {
		in.err = context.Cause(in.ctx)
	}
	return in.err != nil
}

// maxLetters bounds the text that a page keeps, in bytes. Codes, replacement
// texts and links may have long texts and be shown many times.
const maxLetters = 4 << 20

// letter reports whether the page may keep a text.
func (in *interp) letter(text string) bool {
	if in.letters += len(text); in.letters > maxLetters {
		in.page.Truncated = true
		return false
	}
	return true
}

// told returns a text string of the document. It returns "" if the page has
// used up its budget for repeated work, because a page may refer to one
// string many times.
func (in *interp) told(o object.Object) string {
	s, _ := in.file.Resolve(o).(object.String)
	if in.repeat(len(s) + runCost); in.spent() {
		in.page.Truncated = true
		return ""
	}
	return object.Text(string(s))
}

// sub returns a dictionary of the resources.
func (in *interp) sub(kind object.Name) object.Dict {
	d, ok := in.subs[kind]
	if !ok {
		if in.subs == nil {
			in.subs = map[object.Name]object.Dict{}
		}
		d = in.file.Dict(in.res[kind])
		in.subs[kind] = d
	}
	return d
}

// operator runs one operator. Text and path operators have their own
// functions.
func (in *interp) operator(l *lexer, op []byte, floor int) {
	a := l.args
	switch string(op) {
	case "q":
		if len(in.stack) < maxStack {
			in.stack = append(in.stack, in.gs)
		}
	case "Q":
		if n := len(in.stack); n > floor {
			in.gs = in.stack[n-1]
			in.stack = in.stack[:n-1]
		}
	case "cm":
		if m, ok := matrixOf(a); ok {
			in.gs.ctm = m.times(in.gs.ctm)
		}
	case "w":
		in.gs.line = number(a, 0)
	case "gs":
		in.extGState(in.file.Dict(in.sub("ExtGState")[name(a)]))
	case "Do":
		in.xobject(name(a))
	case "BMC", "BDC":
		in.mark(a)
	case "EMC":
		if n := len(in.marks); n > 0 {
			in.unmark(n - 1)
		}
	case "sh":
		in.page.Curves++
	default:
		if !in.text(l, op) && !in.color(op, a) {
			in.pathOp(op, a)
		}
	}
}

// color runs the colour operators.
func (in *interp) color(op []byte, a []operand) bool {
	switch string(op) {
	case "g":
		in.gs.fill = paint{color: rgb(number(a, 0), number(a, 0), number(a, 0))}
	case "G":
		in.gs.stroke = paint{color: rgb(number(a, 0), number(a, 0), number(a, 0))}
	case "rg":
		in.gs.fill = paint{color: rgb(number(a, 0), number(a, 1), number(a, 2))}
	case "RG":
		in.gs.stroke = paint{color: rgb(number(a, 0), number(a, 1), number(a, 2))}
	case "k":
		in.gs.fill = paint{color: cmyk(number(a, 0), number(a, 1), number(a, 2), number(a, 3))}
	case "K":
		in.gs.stroke = paint{color: cmyk(number(a, 0), number(a, 1), number(a, 2), number(a, 3))}
	case "cs":
		in.setSpace(&in.gs.fill, a)
	case "CS":
		in.setSpace(&in.gs.stroke, a)
	case "sc", "scn":
		in.setColor(&in.gs.fill, a)
	case "SC", "SCN":
		in.setColor(&in.gs.stroke, a)
	default:
		return false
	}
	return true
}

// number returns operand i, or 0 if there is none.
func number(a []operand, i int) float64 {
	if i < len(a) {
		return a[i].num
	}
	return 0
}

// name returns the last operand that is a name.
func name(a []operand) object.Name {
	for _, o := range slices.Backward(a) {
		if o.kind == isName {
			return object.Name(o.str)
		}
	}
	return ""
}

// matrixOf returns the last six operands.
func matrixOf(a []operand) (m matrix, ok bool) {
	if len(a) < 6 {
		return m, false
	}
	a = a[len(a)-6:]
	for i := range m {
		m[i] = a[i].num
	}
	return m, true
}
