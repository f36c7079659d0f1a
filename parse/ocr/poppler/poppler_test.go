// SPDX-License-Identifier: Apache-2.0

package poppler_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestProgram(t *testing.T) {
	if _, err := exec.LookPath("pdftoppm"); err != nil {
		t.Skip("the program pdftoppm is not installed")
	}
	parsetest.CheckRenderer(t, func(*testing.T) parse.Renderer { return new(poppler.Renderer) })
	t.Run("too much", func(t *testing.T) {
		r := poppler.Renderer{Output: 100}
		data := parsetest.Document()
		if _, err := r.Render(t.Context(), bytes.NewReader(data), int64(len(data)), 1, 100); !errors.Is(err, poppler.ErrProgram) {
			t.Errorf("a picture over the limit: %v", err)
		}
	})
}

func TestNone(t *testing.T) {
	r := poppler.Renderer{Path: filepath.Join(t.TempDir(), "none")}
	if _, err := r.Render(t.Context(), bytes.NewReader(nil), 0, 1, 100); !errors.Is(err, poppler.ErrProgram) {
		t.Errorf("no program: %v", err)
	}
}
