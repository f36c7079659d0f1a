// SPDX-License-Identifier: Apache-2.0

//go:build linux

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

const fullInside = "CURLEW_FULL_INSIDE"

// TestFullDisk fills a real disk, an 8 MB tmpfs in its own mount namespace,
// while three crawls run, and then frees it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDiskInside$", "-test.v")
	cmd.Env = append(os.Environ(), fullInside+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case cmd.Process == nil:
		t.Skipf("the kernel makes no user and mount namespaces here: %v", err)
	case strings.Contains(text, "--- SKIP: TestFullDiskInside"):
		t.Skipf("the kernel forbids it inside the namespaces: %s", text)
	case err != nil || !strings.Contains(text, "--- PASS: TestFullDiskInside"):
		t.Errorf("%v\n%s", err, text)
	}
}

// slowWeb is a fakeWeb whose pages take a moment.
type slowWeb struct{ fakeWeb }

func (s slowWeb) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	time.Sleep(2 * time.Millisecond)
	return s.fakeWeb.Fetch(ctx, r)
}

// TestFullDiskInside is not a test by itself. It runs inside the namespaces of
// TestFullDisk.
func TestFullDiskInside(t *testing.T) {
	dir := os.Getenv(fullInside)
	if dir == "" {
		return
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("kernel: %v", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	cache, err := fetch.OpenFileCache(filepath.Join(dir, "cache"), &fetch.FileCacheOptions{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	for n := range 60 {
		if err := cache.Put(t.Context(), fetch.Key{byte(n)}, make([]byte, 10_000)); err != nil {
			t.Fatal(err)
		}
	}
	var yielded atomic.Int32
	files, err := job.OpenFiles(filepath.Join(dir, "data"), &job.FileOptions{Room: func() { yielded.Add(1); cache.Yield() }})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	ledger, err := account.OpenLedger(t.Context(), filepath.Join(dir, "ledger"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ledger.Close() }()
	log := &audit.File{Dir: filepath.Join(dir, "audit")}
	queue := &audit.Queue{Sink: log}

	const pages = 100
	web := fakeWeb{}
	for i := range pages {
		url := "http://a.test/"
		if i > 0 {
			url = fmt.Sprintf("http://a.test/%s", letters(i))
		}
		var links strings.Builder
		for to := 2*i + 1; to <= 2*i+2 && to < pages; to++ {
			fmt.Fprintf(&links, `<p><a href="/%s">to %s</a></p>`, letters(to), letters(to))
		}
		web[url] = fmt.Sprintf("<title>Page %s</title><p>%s</p>%s", letters(i), strings.Repeat(fmt.Sprintf("Text of page %s. ", letters(i)), 600), links.String())
	}
	service := &curlew.Service{Fetcher: slowWeb{web}, Store: files, Audit: queue, Limits: curlew.Limits{DiskFree: curlew.Unlimited}}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
	if err != nil {
		t.Fatal(err)
	}
	var ids [3]string
	for i := range ids {
		w, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/"}`)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Code, answer)
		}
		ids[i] = started.ID
	}
	look := func(id string) (st fullStatus) {
		t.Helper()
		w, answer := ask(t, h, "GET", "/v2/crawl/"+id+"?limit=1000", "")
		if err := json.Unmarshal([]byte(answer), &st); err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Code, answer)
		}
		return st
	}
	until := func(what string, done func() bool) {
		t.Helper()
		for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatal("no end of waiting until ", what)
			}
		}
	}
	ready := func() int {
		w := httptest.NewRecorder()
		httpapi.Health(service).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
		return w.Code
	}
	until("all wait", func() bool {
		for _, id := range ids {
			if st := look(id); st.Status != "scraping" {
				t.Fatalf("the disk was not full in time: %s with %d pages", st.Status, st.Completed)
			} else if !strings.Contains(st.Warning, "disk is full") {
				return false
			}
		}
		return true
	})
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d on a full disk", got)
	}
	// Fill the space that the cache may have freed meanwhile.
	f, err := os.Create(filepath.Join(dir, "more"))
	if err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 4096); ; {
		if _, err := f.Write(b); err != nil {
			break
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	w, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/"}`)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(answer, "SERVICE_BUSY") {
		t.Errorf("a new crawl on a full disk: %d %s", w.Code, answer)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for n := range 100 { // more than the rest of a block
		if err := spendOne(ended, ledger, n); !errors.Is(err, context.Canceled) {
			t.Fatalf("a commit of credits on a full disk: %v", err)
		}
	}
	time.Sleep(4 * time.Second) // the audit log retries meanwhile
	var before [3]fullStatus
	for i, id := range ids {
		before[i] = look(id)
	}
	if yielded.Load() == 0 {
		t.Error("the cache was not asked for room")
	}
	for _, name := range []string{"more", "ballast"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		until("the crawl is over", func() bool { return look(id).Status != "scraping" })
		st := look(id)
		seen := map[string]bool{}
		for n, d := range st.Data {
			if seen[d.Metadata.Title] {
				t.Errorf("%s comes twice", d.Metadata.Title)
			}
			seen[d.Metadata.Title] = true
			if n < len(before[i].Data) && d.Metadata.ScrapeID != before[i].Data[n].Metadata.ScrapeID {
				t.Errorf("document %d is another one than before", n)
			}
		}
		if st.Status != "completed" || len(seen) != pages || st.Completed != pages || st.CreditsUsed != pages || strings.Contains(st.Warning, "disk") {
			t.Errorf("%s with %d pages of %d, %d credits, %q", st.Status, len(seen), st.Completed, st.CreditsUsed, st.Warning)
		}
	}
	if err := errors.Join(spendOne(t.Context(), ledger, 100), ledger.Close()); err != nil {
		t.Errorf("a commit of credits after it: %v", err)
	}
	if ledger, err = account.OpenLedger(t.Context(), filepath.Join(dir, "ledger"), nil); err != nil {
		t.Fatal(err)
	}
	if b, err := ledger.Balance(t.Context(), "them"); err != nil || b.Spent != 101 {
		t.Errorf("%+v, %v: want 101 spent credits", b, err)
	}
	if got := ready(); got != http.StatusOK {
		t.Errorf("/readyz answers %d after it", got)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := queue.Close(t.Context()); err != nil {
		t.Error(err)
	}
	lines := map[string]int{}
	err = filepath.WalkDir(log.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if len(b) == 0 {
			t.Errorf("%s is empty", path)
		}
		for line := range strings.Lines(string(b)) {
			lines[line]++
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if len(lines) != 3*pages {
		t.Errorf("%d events in the audit log, want %d", len(lines), 3*pages)
	}
	for line, n := range lines {
		if n > 1 || !strings.HasSuffix(line, "}\n") {
			t.Errorf("%d times in the audit log: %s", n, line)
		}
	}
}

// spendOne spends a credit of the team them.
func spendOne(ctx context.Context, l *account.Ledger, n int) error {
	op := fmt.Sprint("op-", n)
	if _, err := l.Reserve(ctx, "them", op, 1, 1); err != nil {
		return err
	}
	return l.Commit(ctx, "them", op, 1)
}

type fullStatus struct {
	Status, Warning        string
	Completed, CreditsUsed int
	Data                   []struct {
		Metadata struct{ Title, ScrapeID string }
	}
}

// letters writes n in letters, because pages that differ only in digits may be
// taken for a crawler trap.
func letters(n int) string {
	return strings.Map(func(digit rune) rune { return digit + 'a' - '0' }, fmt.Sprint(n))
}
