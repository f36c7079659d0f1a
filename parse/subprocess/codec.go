// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse"
)

// errAnswer means that the data of the other process is not valid.
var errAnswer = errors.New("answer of the reading process is malformed")

// maxDepth is the maximum depth of a tree. No reader makes deeper trees.
const maxDepth = 20_000

// Memory that a value takes besides its text, in bytes, on 64-bit systems.
const (
	sizeNode      = 112
	sizeAttribute = 48
	sizePage      = 48
	sizeWord      = 56
	sizeWarning   = 40
)

// writer encodes values as bytes. The reader type decodes them.
type writer struct{ b []byte }

func (w *writer) uint(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) int(n int)       { w.b = binary.AppendVarint(w.b, int64(n)) }
func (w *writer) text(s string)   { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) float(f float64) { w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(f)) }

func (w *writer) bool(v bool) {
	if v {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *writer) time(t time.Time) {
	b, err := t.MarshalBinary()
	if err != nil {
		b = nil // a zone offset that cannot be encoded; no reader makes one
	}
	w.text(string(b))
}

// list writes the length of a list, or that the list is nil.
func (w *writer) list(n int, isNil bool) {
	if isNil {
		w.uint(0)
		return
	}
	w.uint(uint64(n) + 1) // #nosec G115 -- a length
}

// tree writes a tree. Each node is followed by its children and a zero.
func (w *writer) tree(t *parse.Tree) {
	w.text(string(t.Kind))
	w.text(t.Charset)
	for _, s := range []string{t.Meta.Title, t.Meta.Author, t.Meta.Subject, t.Meta.Keywords, t.Meta.Language} {
		w.text(s)
	}
	w.time(t.Meta.Created)
	w.time(t.Meta.Modified)
	w.int(t.Meta.Pages)
	w.int(t.Meta.TotalPages)
	w.list(len(t.Pages), t.Pages == nil)
	for _, p := range t.Pages {
		w.int(p.Number)
		w.float(p.Width)
		w.float(p.Height)
		w.text(string(p.Status))
		w.bool(p.NeedsOCR)
	}
	w.list(len(t.Words), t.Words == nil)
	for _, word := range t.Words {
		w.int(word.Page)
		for _, f := range []float64{word.Box.X0, word.Box.Y0, word.Box.X1, word.Box.Y1} {
			w.float(f)
		}
		w.text(word.Text)
	}
	w.text(t.Verbatim)
	w.list(len(t.Warnings), t.Warnings == nil)
	for _, warning := range t.Warnings {
		w.text(warning.Code)
		w.int(warning.Page)
		w.text(warning.Text)
	}
	w.nodes(t.Root)
}

func (w *writer) nodes(root *html.Node) {
	for n := root; n != nil; {
		w.node(n)
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for {
			w.uint(0) // end of the children of n
			if n == root {
				return
			}
			if n.NextSibling != nil {
				n = n.NextSibling
				break
			}
			n = n.Parent
		}
	}
	w.uint(0) // there is no root
}

func (w *writer) node(n *html.Node) {
	w.uint(uint64(n.Type) + 1)
	w.uint(uint64(n.DataAtom))
	w.text(n.Data)
	w.text(n.Namespace)
	w.uint(uint64(len(n.Attr)))
	for i := range n.Attr {
		w.text(n.Attr[i].Namespace)
		w.text(n.Attr[i].Key)
		w.text(n.Attr[i].Val)
	}
}

// reader decodes what a writer encoded, or untrusted data. It keeps the
// first error; after that all values are zero.
type reader struct {
	s    string // unread data; decoded texts are substrings of it
	err  error
	room int64 // bytes of memory that decoded values may still take
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errAnswer
	}
	r.s = ""
}

// take subtracts n bytes from the memory left.
func (r *reader) take(n int64) {
	if r.room -= n; r.room < 0 && r.err == nil {
		r.err = &parse.LimitError{Name: "bytes of memory", Err: errMemory}
		r.s = ""
	}
}

func (r *reader) uint() uint64 {
	var n uint64
	for i := range min(binary.MaxVarintLen64, len(r.s)) {
		c := r.s[i]
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break // more than 64 bits
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.s = r.s[i+1:]
			return n
		}
	}
	r.fail()
	return 0
}

func (r *reader) int() int {
	n := r.uint()
	v := int64(n >> 1) // #nosec G115 -- half of it
	if n&1 != 0 {
		v = ^v
	}
	return int(v)
}

func (r *reader) bool() bool { return r.uint() == 1 }

func (r *reader) float() float64 {
	if len(r.s) < 8 {
		r.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64([]byte(r.s[:8])))
	r.s = r.s[8:]
	return f
}

func (r *reader) text() string {
	n := r.uint()
	if n > uint64(len(r.s)) {
		r.fail()
		return ""
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

func (r *reader) time() (t time.Time) {
	if s := r.text(); s != "" && t.UnmarshalBinary([]byte(s)) != nil {
		r.fail()
		return time.Time{}
	}
	return t
}

// list reads the length of a list and whether it is nil. An item takes at
// least least bytes of data, and size bytes of memory.
func (r *reader) list(least, size int) (n int, isNil bool) {
	u := r.uint()
	if u == 0 {
		return 0, true
	}
	if u-1 > uint64(len(r.s)/least) { // #nosec G115 -- not negative
		r.fail()
		return 0, true
	}
	n = int(u - 1) // #nosec G115 -- at most a length
	r.take(int64(n) * int64(size))
	if r.err != nil {
		return 0, true
	}
	return n, false
}

// tree reads a tree.
func (r *reader) tree() *parse.Tree {
	t := &parse.Tree{Kind: parse.Kind(r.text()), Charset: r.text()}
	for _, s := range []*string{&t.Meta.Title, &t.Meta.Author, &t.Meta.Subject, &t.Meta.Keywords, &t.Meta.Language} {
		*s = r.text()
	}
	t.Meta.Created = r.time()
	t.Meta.Modified = r.time()
	t.Meta.Pages = r.int()
	t.Meta.TotalPages = r.int()
	if n, isNil := r.list(19, sizePage); !isNil {
		t.Pages = make([]parse.Page, n)
	}
	for i := range t.Pages {
		t.Pages[i] = parse.Page{
			Number: r.int(), Width: r.float(), Height: r.float(), Status: parse.PageStatus(r.text()), NeedsOCR: r.bool(),
		}
	}
	if n, isNil := r.list(34, sizeWord); !isNil {
		t.Words = make([]parse.PlacedWord, n)
	}
	for i := range t.Words {
		w := &t.Words[i]
		w.Page = r.int()
		for _, f := range []*float64{&w.Box.X0, &w.Box.Y0, &w.Box.X1, &w.Box.Y1} {
			*f = r.float()
		}
		w.Text = r.text()
	}
	t.Verbatim = r.text()
	if n, isNil := r.list(3, sizeWarning); !isNil {
		t.Warnings = make([]parse.Warning, n)
	}
	for i := range t.Warnings {
		t.Warnings[i] = parse.Warning{Code: r.text(), Page: r.int(), Text: r.text()}
	}
	t.Root = r.nodes()
	return t
}

// nodes reads the nodes of a tree. Anything but one root, which is a
// document node, is an error.
func (r *reader) nodes() *html.Node {
	root := r.node()
	if root == nil || root.Type != html.DocumentNode {
		r.fail()
		return nil
	}
	depth := 1
	for at := root; depth > 0; {
		n := r.node()
		if r.err != nil {
			return nil
		}
		if n == nil {
			at = at.Parent
			depth--
			continue
		}
		if depth++; depth > maxDepth || n.Type == html.DocumentNode {
			r.fail()
			return nil
		}
		at.AppendChild(n)
		at = n
	}
	return root
}

// node reads a node. It returns nil for the zero at the end of a list of
// children.
func (r *reader) node() *html.Node {
	t := r.uint()
	if t == 0 {
		return nil
	}
	r.take(sizeNode)
	n := &html.Node{Type: html.NodeType(t - 1)} // #nosec G115 -- checked below
	a := r.uint()
	if t-1 > uint64(html.RawNode) || a > math.MaxUint32 {
		r.fail()
		return nil
	}
	n.DataAtom = atom.Atom(a)
	n.Data, n.Namespace = r.text(), r.text()
	// The atom must match the name, because consumers of the tree check only
	// the atom.
	if n.DataAtom != 0 && n.DataAtom.String() != n.Data {
		r.fail()
		return nil
	}
	count := r.uint()
	if count > uint64(len(r.s)/3) {
		r.fail()
		return nil
	}
	if count == 0 {
		return n
	}
	r.take(int64(count) * sizeAttribute) // #nosec G115 -- at most a length
	if r.err != nil {
		return nil
	}
	n.Attr = make([]html.Attribute, count)
	for i := range n.Attr {
		n.Attr[i] = html.Attribute{Namespace: r.text(), Key: r.text(), Val: r.text()}
	}
	return n
}

// end returns the first error, or an error if data is left.
func (r *reader) end() error {
	if r.err == nil && r.s != "" {
		r.fail()
	}
	return r.err
}

// sentinels are the causes that are encoded by their index. Both sides have
// the same order because they are the same program.
var sentinels = []error{parse.ErrUnsupported, errPassword, parse.ErrEncrypted, parse.ErrCorrupt, parse.ErrOCRRequired}

// errPassword is a cause of [parse.ErrEncrypted].
var errPassword = fmt.Errorf("%w: %w", parse.ErrEncrypted, parse.ErrPassword)

// asLimit encodes a [parse.LimitError] in place of an index of sentinels.
const asLimit = 255

// failure writes an error of parse.Engine.Parse.
func (w *writer) failure(err error) {
	e, ok := errors.AsType[*parse.Error](err)
	if !ok {
		e = &parse.Error{Err: err}
	}
	w.text(string(e.Kind))
	w.int(e.Page)
	if l, ok := errors.AsType[*parse.LimitError](e.Err); ok {
		w.uint(asLimit)
		w.text(l.Name)
		w.uint(uint64(max(0, l.Value)))
		text := ""
		if l.Err != nil {
			text = l.Err.Error()
		}
		w.text(text)
		return
	}
	class := 0
	for i, s := range sentinels {
		if errors.Is(e.Err, s) || s == errPassword && errors.Is(e.Err, parse.ErrPassword) { //nolint:errorlint // an entry of the list
			class = i + 1
			break
		}
	}
	w.uint(uint64(class)) // #nosec G115 -- an index
	w.text(e.Err.Error())
}

// failure reads an error. The host knows the name of the document, so the
// child does not send it.
func (r *reader) failure(name string) error {
	e := &parse.Error{Name: name, Kind: parse.Kind(r.text()), Page: r.int()}
	switch class := r.uint(); {
	case class == asLimit:
		l := &parse.LimitError{Name: r.text(), Value: int64(r.uint() & math.MaxInt64)} // #nosec G115 -- masked
		if text := r.text(); text != "" {
			l.Err = errors.New(text)
		}
		e.Err = l
	case class > uint64(len(sentinels)):
		r.fail()
	case class == 0:
		e.Err = errors.New(r.text())
	default:
		e.Err = &cause{r.text(), sentinels[class-1]}
	}
	if err := r.end(); err != nil {
		return fmt.Errorf("%w: %w", parse.ErrCorrupt, err)
	}
	return e
}

// cause has the text of an error in the child and wraps its sentinel.
type cause struct {
	text string
	is   error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.is }
