// SPDX-License-Identifier: Apache-2.0

package subprocess_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/parse"
	"example.com/curlew/parse/subprocess"
)

func TestMain(m *testing.M) {
	subprocess.Main()
	leak.Main(m)
}

// samples returns the documents of the golden tests.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	dir := golden.Testdata("parse")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string][]byte{}
	for _, f := range files {
		if f.IsDir() || strings.HasSuffix(f.Name(), ".golden") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		docs[f.Name()] = data
	}
	return docs
}

func source(name string, data []byte) parse.Source {
	return parse.Source{Name: name, Data: bytes.NewReader(data), Size: int64(len(data)), URL: "https://a.test/" + name}
}

// flat returns all nodes of a tree in a fixed order.
func flat(root *html.Node) (lines []html.Node) {
	depth := 0
	for n := root; n != nil; {
		lines = append(lines, html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr},
			html.Node{Data: strings.Repeat(">", min(depth, 100))})
		switch {
		case n.FirstChild != nil:
			n = n.FirstChild
			depth++
			continue
		case n == root:
			return lines
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			depth--
		}
		if n == root {
			return lines
		}
		n = n.NextSibling
	}
	return lines
}

// same fails the test if two results differ.
func same(t *testing.T, name string, here, there *parse.Tree, errHere, errThere error) {
	t.Helper()
	if errHere != nil || errThere != nil {
		if errHere == nil || errThere == nil || errHere.Error() != errThere.Error() {
			t.Errorf("%s: %v here, %v in a child", name, errHere, errThere)
			return
		}
		for _, is := range []error{parse.ErrUnsupported, parse.ErrEncrypted, parse.ErrPassword, parse.ErrCorrupt, parse.ErrLimit, parse.ErrOCRRequired} {
			if errors.Is(errHere, is) != errors.Is(errThere, is) {
				t.Errorf("%s: one of %v and %v is %v", name, errHere, errThere, is)
			}
		}
		a, _ := errors.AsType[*parse.Error](errHere)
		b, ok := errors.AsType[*parse.Error](errThere)
		if !ok || a.Name != b.Name || a.Kind != b.Kind || a.Page != b.Page {
			t.Errorf("%s: %+v here, %+v in a child", name, a, b)
		}
		return
	}
	a, b := *here, *there
	a.Root, b.Root = nil, nil
	if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(parse.Tree{})); diff != "" {
		t.Errorf("%s (-here +in a child):\n%s", name, diff)
	}
	if diff := cmp.Diff(flat(here.Root), flat(there.Root), cmpopts.EquateEmpty(), cmp.AllowUnexported(html.Node{})); diff != "" {
		t.Errorf("%s (-here +in a child):\n%.3000s", name, diff)
	}
}

// TestSame reads every sample in this process and in a child and compares
// the results.
func TestSame(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no child processes on " + runtime.GOOS)
	}
	runner := &subprocess.Runner{}
	here := parse.Engine{OCR: scribe{}}
	there := here
	there.Isolate = runner
	docs := samples(t)
	docs["nothing.bin"] = []byte{1, 2, 3, 0, 255}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 80, 20))); err != nil {
		t.Fatal(err)
	}
	docs["picture.png"] = picture.Bytes()
	docs["blank.txt"] = []byte(" \n")
	docs["bytes.txt"] = []byte("a\xff\x00b\xe4 c")
	var mu sync.Mutex
	kinds := map[parse.Kind]int{}
	t.Run("documents", func(t *testing.T) {
		for name, data := range docs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, o := range []parse.Options{{}, {Password: "secret", Hidden: parse.HiddenMarked, Changes: parse.ChangesMarked, PDF: parse.PDFOptions{Words: true, Extras: true, MaxPages: 2}}} {
					a, errA := here.Parse(t.Context(), source(name, data), &o)
					b, errB := there.Parse(t.Context(), source(name, data), &o)
					same(t, name, a, b, errA, errB)
					if a != nil {
						mu.Lock()
						kinds[a.Kind]++
						mu.Unlock()
					}
				}
			})
		}
	})
	if len(kinds) < 15 {
		t.Errorf("only %d kinds were read: %v", len(kinds), kinds)
	}
}

// scribe recognises the same words in every picture.
type scribe struct{}

func (scribe) Recognize(_ context.Context, p parse.Picture) (parse.Recognition, error) {
	if len(p.Data) == 0 {
		return parse.Recognition{}, errors.New("no picture")
	}
	return parse.Recognition{Confidence: 0.5, Words: []parse.Word{
		{Text: p.MIME, X0: 1, Y0: 2, X1: 30, Y1: 12, Line: 1, Confidence: 0.25}, {Text: "wörd", X0: 32, Y0: 2, X1: 60, Y1: 12, Line: 1, Confidence: -1},
	}}, nil
}

func (scribe) Takes(mime string) bool { return mime == "image/webp" }

// painter checks its arguments and returns an error.
type painter struct{}

func (painter) Render(_ context.Context, pdf io.ReaderAt, size int64, page int, _ float64) (parse.Picture, error) {
	head := make([]byte, 5)
	if _, err := pdf.ReadAt(head, 0); err != nil || string(head) != "%PDF-" || size < 100 || page < 1 {
		return parse.Picture{}, errors.New("no PDF")
	}
	return parse.Picture{}, errors.New("painted nothing")
}

// TestDraws makes the host draw pages for a child.
func TestDraws(t *testing.T) {
	here := parse.Engine{OCR: scribe{}, Render: painter{}}
	there := here
	there.Isolate = new(subprocess.Runner)
	n := 0
	for name, data := range samples(t) {
		if filepath.Ext(name) != ".pdf" || n == 5 {
			continue
		}
		n++
		o := parse.Options{PDF: parse.PDFOptions{Mode: parse.ForceOCR}}
		a, errA := here.Parse(t.Context(), source(name, data), &o)
		b, errB := there.Parse(t.Context(), source(name, data), &o)
		same(t, name, a, b, errA, errB)
	}
}

// bomb returns a document of many short paragraphs, which takes much memory.
func bomb(n int) []byte {
	return []byte("<!doctype html>" + strings.Repeat("<p a=1 b=2><b>x</b>", n))
}

// TestBounds exceeds each bound. Only that document may fail, and the next one
// must be read.
func TestBounds(t *testing.T) {
	deadline, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("late"))
	defer cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		runner *subprocess.Runner
		data   []byte
		want   error
		text   string
	}{
		"memory":   {t.Context(), &subprocess.Runner{Memory: 32 << 20}, bomb(400_000), parse.ErrLimit, "memory"},
		"CPU":      {t.Context(), &subprocess.Runner{CPU: time.Second, Memory: 8 << 30}, bomb(2_500_000), parse.ErrLimit, "CPU"},
		"deadline": {deadline, &subprocess.Runner{}, bomb(2_500_000), nil, "late"},
	} {
		if memtest.Race && name == "memory" {
			continue // the race detector needs address space of its own
		}
		engine := parse.Engine{Isolate: test.runner, Limits: parse.Limits{Nodes: parse.Unlimited}}
		_, err := engine.Parse(test.ctx, source("b.html", test.data), nil)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v, want %v, %q", name, err, test.want, test.text)
		}
		if e, ok := errors.AsType[*parse.Error](err); !ok || e.Name != "b.html" {
			t.Errorf("%s: error %#v is no *parse.Error of the document", name, err)
		}
		if tree, err := engine.Parse(t.Context(), source("c.html", []byte("<p>x")), nil); err != nil || tree.Root == nil {
			t.Errorf("%s: the next document: %v", name, err)
		}
	}
}

// TestGone reads with a ctx that has ended, from a source that fails, and
// beyond the size limit.
func TestGone(t *testing.T) {
	engine := parse.Engine{Isolate: new(subprocess.Runner)}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	if _, err := engine.Parse(ctx, source("a.txt", []byte("x")), nil); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
	broken := parse.Source{Name: "a.txt", Data: failing{}, Size: 10}
	if _, err := engine.Parse(t.Context(), broken, nil); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want that of the source", err)
	}
	if _, err := (&parse.Engine{Isolate: new(subprocess.Runner), Limits: parse.Limits{Input: 3}}).Parse(t.Context(), source("a.txt", []byte("four")), nil); !errors.Is(err, parse.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errBroken }

// BenchmarkDocument compares reading in this process and in a child.
func BenchmarkDocument(b *testing.B) {
	for name, data := range map[string][]byte{"small": []byte("<p>Text."), "large": bomb(20_000)} {
		for place, isolate := range map[string]parse.Isolator{"here": nil, "own": new(subprocess.Runner)} {
			b.Run(name+"/"+place, func(b *testing.B) {
				engine := parse.Engine{Isolate: isolate}
				for b.Loop() {
					if _, err := engine.Parse(b.Context(), source("a.html", data), nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
