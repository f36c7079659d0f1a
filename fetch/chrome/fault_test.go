// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// children returns the processes of a group whose command line has a text.
func children(t *testing.T, group int, text string) (all []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		_, fields, _ := strings.Cut(readFile(path), ") ")
		if f := strings.Fields(fields); len(f) < 3 || f[2] != strconv.Itoa(group) {
			continue
		}
		dir := filepath.Dir(path)
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && strings.Contains(readFile(dir+"/cmdline"), text) {
			all = append(all, pid)
		}
	}
	return all
}

// TestStopped stops processes of the browser, without ending them, while it shows a page. The
// page must end in its time, and the pages after it must be shown.
func TestStopped(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	for name, text := range map[string]string{"browser": "", "renderers": "--type=renderer", "network": "network.mojom"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, chrome.Options{})
			show(t, b, &render.Request{URL: at + "/"})
			stopped := 0
			_, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: 20 * time.Second, Gate: func(context.Context, render.Document) error {
				if stopped > 0 { // the page is tried again
					return nil
				}
				for _, pid := range children(t, b.Pid(), text) {
					if syscall.Kill(pid, syscall.SIGSTOP) == nil {
						stopped++
					}
				}
				return nil
			}})
			if stopped == 0 || err != nil && !errors.Is(err, fetch.ErrTimeout) && !errors.Is(err, render.ErrCrashed) {
				t.Fatalf("%v after %d processes were stopped, want ErrTimeout or ErrCrashed", err, stopped)
			}
			for range 3 { // the tab that is open ahead may belong to a stopped process
				var p *render.Page
				var err error
				if p, err = b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience}); err == nil && len(p.HTML) > 0 {
					return
				}
				t.Log(err)
			}
			t.Error("no page is shown afterwards")
		})
	}
}
