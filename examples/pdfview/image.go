// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	_ "image/jpeg" // the format that pdftoppm is asked for
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// draw adds images of the pages, rendered by pdftoppm, as backgrounds. A page
// that the reader rotated because its text is vertical gets no image, because
// the orientation would differ.
func (d *document) draw(ctx context.Context, name, password string) error {
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pdfview-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if name, err = filepath.Abs(name); err != nil { // an absolute path does not start with a dash
		return err
	}
	args := []string{"-r", "108", "-jpeg", "-cropbox", "-l", strconv.Itoa(len(d.Sheets))}
	if password != "" {
		args = append(args, "-upw", password)
	}
	cmd := exec.CommandContext(ctx, program, append(args, name, filepath.Join(dir, "p"))...) // #nosec G204 -- found above, no shell
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pdftoppm: %w: %s", err, bytes.TrimSpace(out[:min(len(out), 200)]))
	}
	drawn, err := filepath.Glob(filepath.Join(dir, "p-*.jpg"))
	if err != nil {
		return err
	}
	byPage := map[int]string{} // pdftoppm pads the numbers with zeros
	for _, f := range drawn {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "p-"), ".jpg"))
		if err == nil {
			byPage[n] = f
		}
	}
	for _, s := range d.Sheets {
		if byPage[s.Number] == "" {
			continue
		}
		data, err := os.ReadFile(byPage[s.Number])
		if err != nil {
			return err
		}
		size, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if (size.Width > size.Height) == (s.Width > s.Height) {
			s.Image = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(data)) // #nosec G203 -- made here
		}
	}
	return nil
}
