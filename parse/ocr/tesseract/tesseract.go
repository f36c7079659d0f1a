// SPDX-License-Identifier: Apache-2.0

// Package tesseract recognises text in images with the program tesseract.
//
//	e := parse.Engine{OCR: &tesseract.Engine{}}
//
// The program runs once for each picture, without a shell and on one thread.
// It is killed when the context ends. It gets the picture on its standard
// input, so no file is written. If its orientation data (osd) is installed,
// it also reads pages that are sideways or upside down. Boxes refer to the
// picture as it was given.
package tesseract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/internal/program"
)

// ErrProgram means that the program is not installed or that it failed.
var ErrProgram = errors.New("tesseract failed")

// Engine is a [parse.OCR]. The zero value runs the tesseract found in PATH.
// It is safe for concurrent use and must not be copied after first use.
type Engine struct {
	Path     string // path of the program; empty means tesseract
	Language string // value for the option -l, such as eng+deu; empty means the document's language, if data for it is installed, and eng
	Output   int    // limit on the program's output in bytes; zero means 16 MiB, more is an error

	// Processes limits the processes of this engine that run at once; zero
	// means GOMAXPROCS.
	Processes int

	runner program.Runner

	mu    sync.Mutex
	known map[string]bool // languages with installed data; nil until the program has listed them. Guarded by mu
}

// Takes implements [parse.Taker]. It returns true for the formats that the
// image library of tesseract usually reads. If the library was built without
// one of them, recognition of such a picture fails.
func (e *Engine) Takes(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/jp2", "image/tiff", "image/webp", "image/gif", "image/bmp":
		return true
	}
	return false
}

// Recognize implements [parse.OCR]. The error wraps [ErrProgram] or the
// cause that ended ctx.
func (e *Engine) Recognize(ctx context.Context, p parse.Picture) (parse.Recognition, error) {
	args := []string{"stdin", "stdout", "-l", e.language(ctx, p), "--psm", "1"}
	if p.DPI >= 70 && p.DPI <= 2400 {
		args = append(args, "--dpi", strconv.Itoa(int(p.DPI)))
	}
	out, err := e.run(ctx, p.Data, append(args, "tsv")...)
	if err != nil {
		return parse.Recognition{}, err
	}
	return words(out), nil
}

// run runs the program and returns its output.
func (e *Engine) run(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := e.runner.Run(ctx, program.Command{
		Path: cmp.Or(e.Path, "tesseract"), Args: args, Input: bytes.NewReader(input), Output: cmp.Or(e.Output, 16<<20), Processes: e.Processes,
		Env: []string{"OMP_THREAD_LIMIT=1"}, // pages run in parallel; more threads in one process would only wait for each other
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrProgram, err)
	}
	return string(out), nil
}

// languages maps BCP 47 language codes to the program's names.
var languages = map[string]string{
	"ar": "ara", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
	"he": "heb", "hi": "hin", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor", "nl": "nld", "no": "nor", "pl": "pol",
	"pt": "por", "ro": "ron", "ru": "rus", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim",
}

func (e *Engine) language(ctx context.Context, p parse.Picture) string {
	if e.Language != "" {
		return e.Language
	}
	for _, tag := range p.Languages {
		base, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if name := languages[base]; name != "" && name != "eng" && e.has(ctx, name) {
			return name + "+eng"
		}
	}
	return "eng"
}

// has reports whether data for a language is installed.
func (e *Engine) has(ctx context.Context, name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		list, err := e.run(ctx, nil, "--list-langs")
		if err != nil {
			return false // try again next time
		}
		e.known = map[string]bool{}
		for l := range strings.Lines(list) {
			e.known[strings.TrimSpace(l)] = true
		}
	}
	return e.known[name]
}

// words parses the program's TSV output. Each row of level 5 is a word with
// its block, paragraph and line numbers, a box and a confidence from 0 to
// 100.
func words(tsv string) parse.Recognition {
	r := parse.Recognition{Confidence: -1}
	sum, letters := 0.0, 0
	lines := map[string]int{}
	for row := range strings.Lines(tsv) {
		f := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", 12)
		if len(f) < 12 || f[0] != "5" || strings.TrimSpace(f[11]) == "" {
			continue
		}
		var v [5]float64
		ok := true
		for i := range v {
			var err error
			v[i], err = strconv.ParseFloat(f[6+i], 64)
			ok = ok && err == nil
		}
		if !ok {
			continue
		}
		key := strings.Join(f[1:5], " ")
		if lines[key] == 0 {
			lines[key] = len(lines) + 1
		}
		w := parse.Word{Text: f[11], X0: v[0], Y0: v[1], X1: v[0] + v[2], Y1: v[1] + v[3], Line: lines[key], Confidence: -1}
		if v[4] >= 0 {
			w.Confidence = min(v[4], 100) / 100
			sum += w.Confidence * float64(len(w.Text))
			letters += len(w.Text)
		}
		r.Words = append(r.Words, w)
	}
	if letters > 0 {
		r.Confidence = sum / float64(letters)
	}
	return r
}
