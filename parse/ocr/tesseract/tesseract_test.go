// SPDX-License-Identifier: Apache-2.0

package tesseract_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/tesseract"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestProgram(t *testing.T) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("the program tesseract is not installed")
	}
	if testing.Short() {
		t.Skip("runs a program: skipped with -short")
	}
	parsetest.CheckOCR(t, func(*testing.T) parse.OCR { return new(tesseract.Engine) })
}

// script returns the path of a shell script that replaces the program.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no scripts on windows")
	}
	path := filepath.Join(t.TempDir(), "tesseract")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTable(t *testing.T) {
	e := tesseract.Engine{Path: script(t, `printf 'level\tpage\n1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t10\t20\t30\t40\t96.5\tab\n5\t1\t1\t1\t1\t2\t50\t20\t30\t40\t-1\tc\n5\t1\t1\t1\t2\t1\t10\t70\t30\t40\t50\td\n5\t1\t1\t1\t2\t2\tx\t70\t30\t40\t50\te\n5\t1\t1\t1\t2\t2\t1\t70\t30\t40\t50\t \n'`)}
	r, err := e.Recognize(t.Context(), parse.Picture{})
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Word{
		{Text: "ab", X0: 10, Y0: 20, X1: 40, Y1: 60, Line: 1, Confidence: .965},
		{Text: "c", X0: 50, Y0: 20, X1: 80, Y1: 60, Line: 1, Confidence: -1},
		{Text: "d", X0: 10, Y0: 70, X1: 40, Y1: 110, Line: 2, Confidence: .5},
	}
	if d := cmp.Diff(want, r.Words); d != "" {
		t.Error(d)
	}
	if r.Confidence < .8 || r.Confidence > .82 {
		t.Errorf("confidence %v", r.Confidence)
	}
}

func TestArguments(t *testing.T) {
	echo := script(t, `[ "$1" = --list-langs ] && printf 'List\ndeu\neng\n' && exit; printf '5\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t%s' "$*"`)
	for _, c := range []struct {
		e    *tesseract.Engine
		p    parse.Picture
		want string
	}{
		{&tesseract.Engine{Path: echo}, parse.Picture{}, "stdin stdout -l eng --psm 1 tsv"},
		{&tesseract.Engine{Path: echo}, parse.Picture{DPI: 300, Languages: []string{"fr-FR", "de-AT"}}, "stdin stdout -l deu+eng --psm 1 --dpi 300 tsv"},
		{&tesseract.Engine{Path: echo}, parse.Picture{DPI: 9e9, Languages: []string{"; rm"}}, "stdin stdout -l eng --psm 1 tsv"},
		{&tesseract.Engine{Path: echo, Language: "fra"}, parse.Picture{Languages: []string{"de"}}, "stdin stdout -l fra --psm 1 tsv"},
	} {
		r, err := c.e.Recognize(t.Context(), c.p)
		if err != nil || len(r.Words) != 1 || r.Words[0].Text != c.want {
			t.Errorf("ran %+v, %v, want %q", r.Words, err, c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	for what, e := range map[string]*tesseract.Engine{
		"no program":      {Path: filepath.Join(t.TempDir(), "none")},
		"it fails":        {Path: script(t, "echo broken >&2; exit 3")},
		"too much":        {Path: script(t, "cat /dev/zero"), Output: 1000},
		"too much to say": {Path: script(t, "head -c 100000 /dev/zero >&2; exit 1")},
	} {
		_, err := e.Recognize(t.Context(), parse.Picture{})
		if !errors.Is(err, tesseract.ErrProgram) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", what, err)
		}
		if what == "it fails" && !strings.Contains(err.Error(), "broken") {
			t.Errorf("%s: it does not say why: %v", what, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	e := tesseract.Engine{Path: script(t, "exec sleep 100")}
	if _, err := e.Recognize(ctx, parse.Picture{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an endless program: %v", err)
	}
}
