// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/memtest"
)

// uploadsInside is an environment variable of the re-executed test binary.
const uploadsInside = "CURLEW_UPLOADS"

const (
	uploadsAtOnce = 8
	uploadSize    = 50 << 20
	uploadsGrowth = 64 << 20 // allowed growth of the process
	fileHead      = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
)

// errCut ends the body of an upload before its last boundary.
var errCut = errors.New("cut")

// cutUpload is a request body with a file of n bytes. After the file it calls
// whole, and then fails.
type cutUpload struct {
	head  io.Reader
	left  int64
	whole func()
}

func (c *cutUpload) Read(p []byte) (int, error) {
	if n, _ := c.head.Read(p); n > 0 {
		return n, nil
	}
	n := int(min(int64(len(p)), c.left))
	if n == 0 {
		c.whole()
		return 0, errCut
	}
	clear(p[:n])
	c.left -= int64(n)
	return n, nil
}

// TestUploadsAtOnce sends eight uploads of 50 MiB at once to a process of their
// own. It measures the peak memory when all have arrived and none is parsed yet.
func TestUploadsAtOnce(t *testing.T) {
	if peakBytes() == 0 {
		t.Skip("the kernel has no /proc/self/status")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUploadsInside$", "-test.v") // #nosec G204 -- itself
	cmd.Env = append(os.Environ(), uploadsInside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestUploadsInside") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestUploadsInside is not a test by itself. It runs in the process of
// TestUploadsAtOnce.
func TestUploadsInside(t *testing.T) {
	if os.Getenv(uploadsInside) == "" {
		return
	}
	t.Setenv("TMPDIR", t.TempDir())
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	upload(t, h, 1<<10) // load what the first upload needs, which does not count
	before := peakBytes()

	var come, gone sync.WaitGroup
	come.Add(uploadsAtOnce)
	leave := make(chan struct{})
	for range uploadsAtOnce {
		gone.Go(func() {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/v2/parse", &cutUpload{
				head: strings.NewReader(fileHead), left: uploadSize, whole: func() { come.Done(); <-leave },
			})
			r.Header = http.Header{"Authorization": {"Bearer fc-test"}, "Content-Type": {"multipart/form-data; boundary=b"}}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusBadRequest {
				t.Errorf("a cut upload: %d %s", w.Code, w.Body)
			}
		})
	}
	come.Wait()
	after, held := peakBytes(), h.Uploading()
	close(leave)
	gone.Wait()
	// The multipart reader may keep back what could begin a boundary, but no
	// more.
	if held < uploadsAtOnce*(uploadSize-8<<10) {
		t.Errorf("%d bytes are held: the uploads were not there at once", held)
	}
	if grown := after - before; !memtest.Race && grown > uploadsGrowth {
		t.Errorf("the process grew from %d to %d bytes, by %d", before, after, grown)
	} else {
		t.Logf("the process grew by %d bytes", grown)
	}
	if left := h.Uploading(); left != 0 {
		t.Errorf("%d bytes are held after the end", left)
	}
}

// peakBytes returns the peak memory of this process, or 0 if the system does
// not report it.
func peakBytes() int64 {
	kib, _ := strconv.ParseInt(strings.TrimSuffix(peak(), " kB"), 10, 64)
	return kib << 10
}

// TestUploadRest sends a file that is one byte too large. Each kind of upload
// is answered without reading further.
func TestUploadRest(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	t.Setenv("TMPDIR", t.TempDir())
	_, target := ask(t, h, "POST", "/v2/parse/upload-url", `{"filename":"a.txt"}`)
	_, ref, _ := strings.Cut(target, `"uploadUrl":"http://example.com`)
	ref, _, _ = strings.Cut(ref, `"`)
	for _, test := range []struct{ method, path, head string }{
		{"POST", "/v2/parse", fileHead},
		{"PUT", ref, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, &cutUpload{
			head: strings.NewReader(test.head), left: uploadSize + 1, whole: func() { t.Errorf("%s: the rest is read", test.method) },
		})
		r.Header = http.Header{"Authorization": {"Bearer fc-test"}, "Content-Type": {"multipart/form-data; boundary=b"}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got, want := fmt.Sprint(w.Code, " ", w.Body), `400 {"success":false,"code":"BAD_REQUEST","error":"Uploaded file exceeds maximum size of 50MB."}`; got != want {
			t.Errorf("%s: %s, want %s", test.method, got, want)
		}
		if w.Header().Get("Connection") != "close" {
			t.Errorf("%s: the connection stays open", test.method)
		}
	}
	if n := h.Uploading(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
}
