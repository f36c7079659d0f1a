// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// running starts a browser as an operator would, with the flags whose names with accepts, and
// returns its address.
func running(t testing.TB, with func(name string) bool) string {
	t.Helper()
	url, _ := runningUntil(t, with)
	return url
}

// runningUntil is like running, and returns a function that kills the browser too.
func runningUntil(t testing.TB, with func(name string) bool) (url string, kill func()) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium")
	}
	dir := t.TempDir()
	args := []string{"--no-sandbox", "--remote-debugging-port=0", "--user-data-dir=" + dir}
	for name, value := range chrome.Flags() {
		switch {
		case !with(name):
		case value == true:
			args = append(args, "--"+name)
		default:
			args = append(args, strings.Replace(fmt.Sprintf("--%s=%v", name, value), "EXCLUDE 127.0.0.1", "EXCLUDE 127.0.0.3", 1))
		}
	}
	c := exec.CommandContext(t.Context(), path, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	})
	t.Cleanup(kill)
	for range 600 {
		port, _, ok := strings.Cut(readFile(filepath.Join(dir, "DevToolsActivePort")), "\n")
		if ok {
			return "ws://127.0.0.1:" + port + "/", kill
		}
		time.Sleep(100 * time.Millisecond) // until another process has written the file
	}
	t.Fatal("the browser has no port")
	return "", nil
}

// readFile returns the content of a file, or "" if there is none.
func readFile(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// TestRemote shows pages in a browser that runs already.
func TestRemote(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	url := running(t, func(string) bool { return true })
	o := chrome.Options{URL: url, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Address: netip.MustParseAddr("127.0.0.3")}
	for range 2 { // the browser outlives the connection
		b, err := chrome.Start(t.Context(), &o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience, Screenshot: &render.Shot{}})
		if err != nil || !strings.Contains(string(p.HTML), "made by a script") || p.Screenshot == nil || p.Requests == 0 {
			t.Errorf("%+v, %v", p, err)
		}
		p, err = b.Render(t.Context(), &render.Request{URL: at + "/headers", Timeout: patience})
		if err != nil || !strings.Contains(string(p.HTML), "cookie ,") {
			t.Errorf("a page has cookies of another one: %s, %v", p.HTML, err)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	b, err := chrome.Start(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.ProveWithoutProxy(t.Context()); !errors.Is(err, chrome.ErrUnguarded) {
		t.Errorf("a browser whose traffic does not come: %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	o.URL = "ws://127.0.0.1:1/devtools/browser/secret"
	if b, err := chrome.Start(t.Context(), &o); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a browser that does not run: %v, %v", b, err)
	}
}
