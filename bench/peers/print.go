// SPDX-License-Identifier: Apache-2.0

package peers

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

// patience bounds the time for the documents of one printer.
const patience = 20 * time.Minute

// LibreOffice writes a PDF file of each source into dir. It runs once for all,
// because its start takes seconds.
func LibreOffice(ctx context.Context, dir string, sources []string) error {
	profile, err := os.MkdirTemp("", "printer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	args := append([]string{"-env:UserInstallation=file://" + profile, "--headless", "--convert-to", "pdf:writer_pdf_Export", "--outdir", dir}, sources...)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said, err := exec.CommandContext(ctx, "soffice", args...).CombinedOutput() // #nosec G204 -- a fixed program
	if err != nil {
		return fmt.Errorf("soffice: %w: %s", err, said[max(0, len(said)-300):])
	}
	return nil
}

// Browser is a Chromium that is controlled by its DevTools protocol over
// pipes, so that one process prints all documents.
type Browser struct {
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
func (b *Browser) next() (message, error) {
	var m message
	data, err := b.in.ReadBytes(0)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m)
}

// call calls a method and stores its result. If event is not empty, it also
// waits for that event.
func (b *Browser) call(method string, params, result any, event string) error {
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

// Chromium starts a browser, calls print with it, and ends it. It runs without a
// sandbox, which root cannot use.
func Chromium(ctx context.Context, print func(*Browser) error) error {
	profile, err := os.MkdirTemp("", "printer-")
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
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+profile, "--remote-debugging-pipe") // #nosec G204 -- a fixed program
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, theirIn.Close(), theirOut.Close())
	}
	_, _ = theirIn.Close(), theirOut.Close()
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}()
	b := &Browser{out: ourOut, in: bufio.NewReader(ourIn)}
	if err := b.open(); err != nil {
		return err
	}
	return print(b)
}

// open opens a tab.
func (b *Browser) open() error {
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

// Print writes the HTML file source to the PDF file target.
func (b *Browser) Print(source, target string, tagged bool) error {
	source, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	if err := b.call("Page.navigate", map[string]any{"url": "file://" + source}, nil, "Page.loadEventFired"); err != nil {
		return err
	}
	var printed struct {
		Data []byte `json:"data"`
	}
	if err := b.call("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true, "generateTaggedPDF": tagged}, &printed, ""); err != nil {
		return err
	}
	return os.WriteFile(target, printed.Data, 0o600)
}

// Shown returns the text that the browser shows of the HTML file source, in which no script
// runs and for which nothing is loaded from the network. Links and controls are apart from
// the words beside them.
func (b *Browser) Shown(source string) (string, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return "", err
	}
	for method, params := range map[string]any{
		"Emulation.setScriptExecutionDisabled": map[string]any{"value": true},
		"Network.enable":                       nil,
		"Network.setBlockedURLs":               map[string]any{"urls": []string{"http://*", "https://*", "ws://*", "wss://*", "ftp://*"}},
	} {
		if err := b.call(method, params, nil, ""); err != nil {
			return "", err
		}
	}
	if err := b.call("Page.navigate", map[string]any{"url": "file://" + source}, nil, "Page.loadEventFired"); err != nil {
		return "", err
	}
	var shown struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	const read = `document.querySelectorAll("button, select, a, label, [aria-hidden=true]").forEach(e => { e.before(" "); e.after(" ") });
document.body && document.body.checkVisibility() ? document.body.innerText : ""`
	err = b.call("Runtime.evaluate", map[string]any{"expression": read, "returnByValue": true}, &shown, "")
	return shown.Result.Value, err
}
