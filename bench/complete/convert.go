// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	office   = "soffice"
	batch    = 16              // files that one process of LibreOffice converts
	together = 3 * time.Minute // for a batch
	alone    = 45 * time.Second
)

// store keeps the texts of conversions.
type store struct {
	keep string // folder of the texts
	dir  string // folder for everything else
}

// path returns the path of the text of a file, which depends on its content.
func (s store) path(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.keep, fmt.Sprintf("%x.txt", sha256.Sum256(append(data, filepath.Ext(file)...)))), nil
}

// text returns the text of a file by an independent conversion.
func (s store) text(ctx context.Context, c conversion, file string) (string, error) {
	path, err := s.path(file)
	if err != nil {
		return "", err
	}
	if text, err := os.ReadFile(path); err == nil {
		return string(text), nil
	}
	var text string
	if c.text != nil {
		text, err = c.text(ctx, file)
	} else if err = s.print(ctx, alone, []string{file}); err == nil {
		return s.printed(path, file)
	}
	if err != nil {
		return "", err
	}
	return text, os.WriteFile(path, []byte(text), 0o600)
}

// printed returns the text that print wrote of a file.
func (s store) printed(path, file string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s has no PDF", filepath.Base(file))
	}
	return string(text), nil
}

// printAll lets LibreOffice print the files that it has to, many at a time. Files that fail
// are left to text.
func (s store) printAll(ctx context.Context, files []string) {
	var left []string
	for _, file := range files {
		c, _ := conversionOf(file)
		path, err := s.path(file)
		if err != nil || c.text != nil {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			left = append(left, file)
		}
	}
	for some := range slices.Chunk(left, batch) {
		if err := s.print(ctx, together, some); err != nil {
			fmt.Fprintln(os.Stderr, "some are tried again one by one:", err)
		}
	}
}

// print keeps the texts of files as LibreOffice prints them. If it fails, it has printed some of them.
func (s store) print(ctx context.Context, limit time.Duration, files []string) error {
	out, err := os.MkdirTemp(s.dir, "print-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	args := []string{"-env:UserInstallation=file://" + filepath.Join(s.dir, "profile"), "--headless", "--convert-to", "pdf", "--outdir", out}
	for i, file := range files { // names of a batch must differ
		link := filepath.Join(out, fmt.Sprint(i)+filepath.Ext(file))
		if file, err = filepath.Abs(file); err == nil {
			err = os.Symlink(file, link)
		}
		if err != nil {
			return err
		}
		args = append(args, link)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	c := exec.CommandContext(ctx, office, args...) // #nosec G204 -- the programs of this benchmark
	c.WaitDelay = 5 * time.Second                  // its children keep its output open
	said, failed := c.CombinedOutput()
	if failed != nil {
		failed = fmt.Errorf("%w: %.200s", failed, said)
	}
	for i, file := range files {
		pdf := filepath.Join(out, fmt.Sprint(i)+".pdf")
		if _, err := os.Stat(pdf); err != nil {
			continue
		}
		text, err := output(context.WithoutCancel(ctx), "pdftotext", "-enc", "UTF-8", pdf, "-")
		path, missed := s.path(file)
		if err = errors.Join(err, missed); err == nil {
			err = os.WriteFile(path, []byte(strings.ToValidUTF8(text, "")), 0o600)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
