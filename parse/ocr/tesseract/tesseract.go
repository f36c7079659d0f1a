// SPDX-License-Identifier: Apache-2.0

// Package tesseract recognises text with the program of that name: image ->
// words.
//
//	e := parse.Engine{OCR: &tesseract.Engine{}}
//
// The program is run once a picture, without a shell, on one thread, and dies
// with its context. It gets no file: the picture goes to its standard input.
// A sheet that lies sideways or upside down is read too where the program has
// its data of orientation (osd); boxes are those of the picture as it was given.
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

// ErrProgram means that the program is not there or failed.
var ErrProgram = errors.New("tesseract failed")

// Engine is a [parse.OCR]. The zero value runs what the path finds. It is safe
// for concurrent use and not copied after its first.
type Engine struct {
	Path     string // of the program; empty means tesseract
	Language string // as -l takes it, such as eng+deu; empty means that of the document if there is data for it, and eng
	Output   int    // bytes of its answer; zero means 16 MiB, more is an error

	// Processes is how many run at once, whoever asks; zero means GOMAXPROCS.
	Processes int

	runner program.Runner

	mu    sync.Mutex
	known map[string]bool // guarded by mu; languages that the program has data for; nil until it was asked
}

// Takes implements [parse.Taker]: what the image library under the program
// usually reads. Where it was built without one of them, the picture fails.
func (e *Engine) Takes(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/jp2", "image/tiff", "image/webp", "image/gif", "image/bmp":
		return true
	}
	return false
}

// Recognize implements [parse.OCR]. The error wraps [ErrProgram] or the cause
// that ended ctx.
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

// run runs the program and returns what it wrote.
func (e *Engine) run(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := e.runner.Run(ctx, program.Command{
		Path: cmp.Or(e.Path, "tesseract"), Args: args, Input: bytes.NewReader(input), Output: cmp.Or(e.Output, 16<<20), Processes: e.Processes,
		Env: []string{"OMP_THREAD_LIMIT=1"}, // pages run side by side; threads of one wait for each other
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrProgram, err)
	}
	return string(out), nil
}

// languages are the program's names of some, by BCP 47.
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

// has reports whether the program has data for a language.
func (e *Engine) has(ctx context.Context, name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		list, err := e.run(ctx, nil, "--list-langs")
		if err != nil {
			return false // asked again the next time
		}
		e.known = map[string]bool{}
		for l := range strings.Lines(list) {
			e.known[strings.TrimSpace(l)] = true
		}
	}
	return e.known[name]
}

// words reads the program's table: a word a line, with block, paragraph and
// line numbers, a box and a confidence from 0 to 100.
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
