// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// printer makes PDF files of documents.
type printer struct {
	name    string
	program string
	print   func(ctx context.Context, dir string, docs []*sample) error
}

var printers = []printer{
	{"chromium", "chromium", func(ctx context.Context, dir string, docs []*sample) error { return chromium(ctx, dir, docs, false) }},
	{"chromium-tagged", "chromium", func(ctx context.Context, dir string, docs []*sample) error { return chromium(ctx, dir, docs, true) }},
	{"libreoffice", "soffice", libreoffice},
	{"latex", "pdflatex", latex},
}

// patience bounds the time for the documents of one printer.
const patience = 20 * time.Minute

// libreoffice converts all documents in one call, because its start takes
// seconds.
func libreoffice(ctx context.Context, dir string, docs []*sample) error {
	profile, err := os.MkdirTemp("", "styles-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	args := []string{"-env:UserInstallation=file://" + profile, "--headless", "--convert-to", "pdf:writer_pdf_Export", "--outdir", dir}
	for _, d := range docs {
		path := filepath.Join(dir, d.name+".fodt")
		if err := os.WriteFile(path, []byte(d.odf()), 0o600); err != nil {
			return err
		}
		args = append(args, path)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said, err := exec.CommandContext(ctx, "soffice", args...).CombinedOutput() // #nosec G204 -- a program of the list above
	if err != nil {
		return fmt.Errorf("soffice: %w: %s", err, said[max(0, len(said)-300):])
	}
	return nil
}

// browser is a Chromium that is controlled by its DevTools protocol over
// pipes, so that one process prints all documents.
type browser struct {
	out     io.Writer
	in      *bufio.Reader
	last    int
	session string
}

// message is a message of the protocol.
type message struct {
	ID      int    `json:"id,omitempty"`
	Method  string `json:"method,omitempty"`
	Session string `json:"sessionId,omitempty"`
	Params  any    `json:"params,omitempty"`

	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// next reads a message.
func (b *browser) next() (message, error) {
	var m message
	data, err := b.in.ReadBytes(0)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m)
}

// call calls a method and stores its result. If event is not empty, it also
// waits for that event.
func (b *browser) call(method string, params, result any, event string) error {
	b.last++
	data, err := json.Marshal(message{ID: b.last, Method: method, Session: b.session, Params: params})
	if err != nil {
		return err
	}
	if _, err := b.out.Write(append(data, 0)); err != nil {
		return err
	}
	for answered := false; !answered || event != ""; {
		m, err := b.next()
		switch {
		case err != nil:
			return err
		case m.Method != "" && m.Method == event:
			event = ""
		case m.ID != b.last || answered:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		default:
			answered = true
			if result != nil {
				if err := json.Unmarshal(m.Result, result); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// chromium prints documents. It runs without a sandbox, which root cannot use.
func chromium(ctx context.Context, dir string, docs []*sample, tagged bool) (err error) {
	profile, err := os.MkdirTemp("", "styles-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ourOut.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close())
	}
	defer ourIn.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+profile, "--remote-debugging-pipe") // #nosec G204 -- a program of the list above
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, theirIn.Close(), theirOut.Close())
	}
	_, _ = theirIn.Close(), theirOut.Close()
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}()
	b := &browser{out: ourOut, in: bufio.NewReader(ourIn)}
	if err := b.open(); err != nil {
		return err
	}
	for _, d := range docs {
		if err := b.print(dir, d, tagged); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

// open opens a tab.
func (b *browser) open() error {
	var target struct {
		ID string `json:"targetId"`
	}
	if err := b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target, ""); err != nil {
		return err
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := b.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached, ""); err != nil {
		return err
	}
	b.session = attached.Session
	return b.call("Page.enable", nil, nil, "")
}

func (b *browser) print(dir string, d *sample, tagged bool) error {
	path, err := filepath.Abs(filepath.Join(dir, d.name+".html"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(d.html()), 0o600); err != nil {
		return err
	}
	if err := b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil, "Page.loadEventFired"); err != nil {
		return err
	}
	var printed struct {
		Data []byte `json:"data"`
	}
	if err := b.call("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true, "generateTaggedPDF": tagged}, &printed, ""); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, d.name+".pdf"), printed.Data, 0o600)
}
