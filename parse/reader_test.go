// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// shout returns a reader for documents that begin with SHOUT. It returns
// their text in capitals.
func shout(kind parse.Kind) parse.Reader {
	return parse.Reader{
		Kind:  kind,
		Match: func(head []byte) bool { return bytes.HasPrefix(head, []byte("SHOUT")) },
		Read:  readShout,
	}
}

func readShout(_ context.Context, src parse.Source) (*parse.Tree, error) {
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return nil, err
	}
	root, err := html.Parse(strings.NewReader("<p>" + html.EscapeString(strings.ToUpper(string(data)))))
	return &parse.Tree{Root: root, Warnings: []parse.Warning{{Code: parse.WarnPart, Text: "One of the reader's."}}}, err
}

func text(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// TestReaderDetection checks that Match decides, that names decide only
// about otherwise unrecognised text, and that detection of all other
// documents does not change.
func TestReaderDetection(t *testing.T) {
	named := parse.Reader{Kind: "note", Extensions: []string{".note"}, Types: []string{"text/x-note"}, Read: readShout}
	e := parse.Engine{Readers: []parse.Reader{shout("shout"), named}}
	for name, c := range map[string]struct {
		src  parse.Source
		want parse.Kind
	}{
		"match":                  {parse.Bytes("", []byte("SHOUT a")), "shout"},
		"match before name":      {parse.Bytes("a.note", []byte("SHOUT a")), "shout"},
		"extension":              {parse.Bytes("A.NOTE", []byte("quiet")), "note"},
		"extension of JSON":      {parse.Bytes("a.note", []byte(`{"a":1}`)), "note"},
		"extension of binary":    {parse.Bytes("a.note", []byte("\x00\x01\x02\x03")), "note"},
		"type":                   {parse.Source{ContentType: "Text/X-Note; charset=utf-8", Data: strings.NewReader("quiet")}, "note"},
		"extension of HTML":      {parse.Bytes("a.note", []byte("<!doctype html><p>a")), parse.HTML},
		"extension of RTF":       {parse.Bytes("a.note", []byte(`{\rtf1 a}`)), parse.RTF},
		"other text":             {parse.Bytes("a.txt", []byte("quiet")), parse.Text},
		"nothing that is empty":  {parse.Bytes("a.note", nil), ""},
		"an image stays unread":  {parse.Bytes("a.gif", []byte("GIF89a")), parse.Image},
		"size that is not known": {parse.Source{Name: "a.note", Data: readerAt{strings.NewReader("quiet")}}, "note"},
	} {
		d := e.Detect(c.src)
		if d.Kind != c.want {
			t.Errorf("%s: kind %q, want %q (%s)", name, d.Kind, c.want, d.Evidence)
		}
		tree, err := e.Parse(t.Context(), c.src, nil)
		switch {
		case c.want == "" || c.want == parse.Image:
			if err == nil {
				t.Errorf("%s: it was read", name)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case tree.Kind != c.want:
			t.Errorf("%s: read as %q, want %q", name, tree.Kind, c.want)
		}
	}
	tree, err := e.Parse(t.Context(), parse.Bytes("a.note", []byte("<!doctype html><p>a")), nil)
	if err != nil || len(tree.Warnings) != 1 || tree.Warnings[0].Code != parse.WarnDeclaredType {
		t.Errorf("HTML named as a note: %v, want a warning", err)
	}
}

// TestReaderWithin checks that readers also read documents inside documents
// of built-in kinds.
func TestReaderWithin(t *testing.T) {
	e := parse.Engine{Readers: []parse.Reader{shout("shout")}}
	const mail = "From: a@a.test\r\nTo: b@b.test\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
		"--x\r\nContent-Type: text/plain\r\n\r\nbody\r\n" +
		"--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin\r\n\r\nSHOUT within\r\n--x--\r\n"
	tree, err := e.Parse(t.Context(), parse.Bytes("a.eml", []byte(mail)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(tree.Root); tree.Kind != parse.EML || !strings.Contains(got, "SHOUT WITHIN") {
		t.Errorf("read as %s: %q", tree.Kind, got)
	}
}

// TestReaderReplaces checks that a reader of a built-in kind replaces the
// built-in reader.
func TestReaderReplaces(t *testing.T) {
	e := parse.Engine{Readers: []parse.Reader{{Kind: parse.RTF, Read: readShout}}}
	tree, err := e.Parse(t.Context(), parse.Bytes("", []byte(`{\rtf1 a}`)), nil)
	if err != nil || text(tree.Root) != `{\RTF1 A}` || tree.Kind != parse.RTF {
		t.Errorf("RTF was not read by the reader of the caller: %v", err)
	}
	tree, err = e.Parse(t.Context(), parse.Bytes("", []byte("anything")), &parse.Options{Kind: parse.RTF})
	if err != nil || text(tree.Root) != "ANYTHING" || len(tree.Warnings) != 1 {
		t.Errorf("forced kind was not read by the reader of the caller: %v", err)
	}
}

// TestReaderFaults checks that a faulty reader fails only its own document.
func TestReaderFaults(t *testing.T) {
	many := "<p>" + strings.Repeat("<br>", 100)
	for name, c := range map[string]struct {
		read func(context.Context, parse.Source) (*parse.Tree, error)
		want error
	}{
		"panic": {func(context.Context, parse.Source) (*parse.Tree, error) { panic("no") }, parse.ErrCorrupt},
		"error": {func(context.Context, parse.Source) (*parse.Tree, error) { return nil, errDisk }, errDisk},
		"nodes": {func(context.Context, parse.Source) (*parse.Tree, error) {
			root, err := html.Parse(strings.NewReader(many))
			return &parse.Tree{Root: root}, err
		}, parse.ErrLimit},
		"no function": {nil, parse.ErrUnsupported},
		"no tree":     {func(context.Context, parse.Source) (*parse.Tree, error) { return nil, nil }, nil},
		"no root":     {func(context.Context, parse.Source) (*parse.Tree, error) { return new(parse.Tree), nil }, nil},
		"element root": {func(context.Context, parse.Source) (*parse.Tree, error) {
			return &parse.Tree{Root: &html.Node{Type: html.ElementNode, Data: "p"}}, nil
		}, nil},
	} {
		e := parse.Engine{Limits: parse.Limits{Nodes: 50}, Readers: []parse.Reader{{Kind: "x", Extensions: []string{".x"}, Read: c.read}}}
		_, err := e.Parse(t.Context(), parse.Bytes("a.x", []byte("text")), nil)
		if wrapped, ok := errors.AsType[*parse.Error](err); !ok || wrapped.Kind != "x" || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	e := parse.Engine{Readers: []parse.Reader{{Kind: "x", Match: func([]byte) bool { panic("no") }, Read: readShout}}}
	if tree, err := e.Parse(t.Context(), parse.Bytes("a.txt", []byte("text")), nil); err != nil || tree.Kind != parse.Text {
		t.Errorf("Match that panics: %v", err)
	}
}

// elsewhere is an Isolator that counts its documents.
type elsewhere struct{ n atomic.Int32 }

func (i *elsewhere) Parse(ctx context.Context, e *parse.Engine, src parse.Source, o *parse.Options) (*parse.Tree, error) {
	i.n.Add(1)
	return e.Parse(ctx, src, o)
}

// TestReaderIsolation checks that documents of the caller's readers are read
// in this process, and all others by the Isolator.
func TestReaderIsolation(t *testing.T) {
	for name, want := range map[string]int32{"SHOUT a": 0, "quiet": 1} {
		i := new(elsewhere)
		e := parse.Engine{Isolate: i, Readers: []parse.Reader{shout("shout")}}
		for _, src := range []parse.Source{parse.Bytes("a", []byte(name)), {Name: "a", Data: readerAt{strings.NewReader(name)}}} {
			if _, err := e.Parse(t.Context(), src, nil); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		if got := i.n.Load(); got != 2*want {
			t.Errorf("%q: %d documents were read elsewhere, want %d", name, got, 2*want)
		}
	}
}
