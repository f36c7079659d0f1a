// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
)

// repeated is a reader of n equal bytes.
type repeated struct {
	n    int64
	read int64
}

func (r *repeated) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), r.n-r.read))
	if n == 0 {
		return 0, io.EOF
	}
	for i := range p[:n] {
		p[i] = 'a'
		if (r.read+int64(i))%80 == 79 {
			p[i] = '\n'
		}
	}
	r.read += int64(n)
	return n, nil
}

// upload sends a file of size bytes with options that request no form.
func upload(t *testing.T, h http.Handler, size int64) (*httptest.ResponseRecorder, *repeated) {
	t.Helper()
	file := &repeated{n: size}
	body := io.MultiReader(
		strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"formats\":[],\"timeout\":300000}\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"),
		file, strings.NewReader("\r\n--b--\r\n"),
	)
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v2/parse", body)
	r.Header.Set("Authorization", "Bearer fc-test")
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, file
}

func TestUpload(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	const most = 52_428_800
	if w, _ := upload(t, h, most); w.Code != http.StatusOK {
		t.Errorf("%d bytes: %d %.200s", most, w.Code, w.Body)
	}
	w, file := upload(t, h, most+10<<20)
	if want := `{"success":false,"code":"BAD_REQUEST","error":"Uploaded file exceeds maximum size of 50MB."}`; w.Code != 400 || w.Body.String() != want {
		t.Errorf("10 MiB more: %d %s, want 400 %s", w.Code, w.Body, want)
	}
	if file.read > most+1<<20 {
		t.Errorf("%d bytes were read of a file that is too large", file.read)
	}
	if w.Header().Get("Connection") != "close" {
		t.Error("the connection stays open")
	}
	if w, _ := upload(t, h, most+1); w.Code != 400 {
		t.Errorf("a byte more: %d", w.Code)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}

// TestUploadRetained checks that an upload of a team with zero data retention
// is never written to disk.
func TestUploadRetained(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // no file can be created here
	for _, test := range []struct {
		policy account.Policy
		want   int
	}{
		{account.Policy{ZeroRetention: account.RetentionForced}, 200},
		{account.Policy{ZeroRetention: account.RetentionAllowed}, 200},
		{account.Policy{}, 500},
	} {
		h, _ := newHandler(t, oneSite, test.policy, httpapi.Options{})
		if w, _ := upload(t, h, 2<<20); w.Code != test.want {
			t.Errorf("%+v: %d %s, want %d", test.policy.ZeroRetention, w.Code, w.Body, test.want)
		}
	}
	if _, err := os.Stat(os.Getenv("TMPDIR")); err == nil {
		t.Error("the directory was made")
	}
}

// TestUploadShape sends too many and too large parts.
func TestUploadShape(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	part := func(name, header, body string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n" + header + "\r\n" + body + "\r\n"
	}
	file := part("file", "", "Hello.")
	for name, test := range map[string]struct {
		body string
		want int
	}{
		"eight others":          {strings.Repeat(part("x", "", "y"), 8) + file, 200},
		"nine others":           {strings.Repeat(part("x", "", "y"), 9) + file, 400},
		"others of 64 KiB":      {part("x", "", strings.Repeat("y", 64<<10)) + file, 200},
		"others of more":        {part("x", "", strings.Repeat("y", 64<<10+1)) + file, 400},
		"options of 64 KiB":     {part("options", "", "{}"+strings.Repeat(" ", 64<<10-2)) + file, 200},
		"options of more":       {part("options", "", "{}"+strings.Repeat(" ", 64<<10)) + file, 400},
		"options twice":         {part("options", "", "{}") + part("options", "", "{}") + file, 400},
		"sixteen header fields": {part("file", fields(15), "Hello."), 200},
		"more header fields":    {part("file", fields(16), "Hello."), 400},
		"sent as it is":         {part("file", "Content-Transfer-Encoding: binary\r\n", "Hello."), 200},
		"in base64":             {part("file", "Content-Transfer-Encoding: BASE64 \r\n", "SGVsbG8u"), 400},
		"options quoted":        {part("options", "Content-Transfer-Encoding: quoted-printable\r\n", "{}") + file, 400},
		"options null":          {part("options", "", "null") + file, 400},
		"options empty":         {part("options", "", "") + file, 200},
	} {
		w, body := ask(t, h, "POST", "/v2/parse", test.body+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
		if w.Code != test.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, body, test.want)
		}
		if name == "options of more" && !strings.Contains(body, "64 KiB") {
			t.Errorf("%s: the limit is not named: %s", name, body)
		}
	}
}

// TestUploadCut truncates a request at every byte. No prefix may be accepted as
// complete.
func TestUploadCut(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	const (
		whole = "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{}\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nHello.\r\n--b--"
		want = `{"success":false,"code":"BAD_REQUEST","error":"Invalid multipart form-data request."}`
	)
	send := func(body string) (int, string) {
		w, answer := ask(t, h, "POST", "/v2/parse", body, "Content-Type", "multipart/form-data; boundary=b")
		return w.Code, answer
	}
	for n := range len(whole) {
		if status, answer := send(whole[:n]); status != 400 || answer != want {
			t.Errorf("%q: %d %s, want 400 %s", whole[:n], status, answer, want)
		}
	}
	if status, answer := send(whole); status != 200 {
		t.Errorf("the whole: %d %s", status, answer)
	}
	if status, answer := send(strings.ReplaceAll(whole, "--b", "--c")); status != 400 || answer != want {
		t.Errorf("another boundary: %d %s, want 400 %s", status, answer, want)
	}
}

func fields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "X-%d: y\r\n", i)
	}
	return b.String()
}

// TestUploadName checks that file names are returned but never used as paths.
func TestUploadName(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	for sent, want := range map[string][2]string{
		`filename="../../etc/passwd.txt"`:                 {"../../etc/passwd.txt", "file:///..%2F..%2Fetc%2Fpasswd.txt"},
		`filename="a b?.txt"`:                             {"a b?.txt", "file:///a%20b%3F.txt"},
		`filename*=UTF-8''%e2%82%ac.txt`:                  {"€.txt", "file:///%E2%82%AC.txt"},
		`filename*=UTF-8''a%01b.txt`:                      {"ab.txt", "file:///ab.txt"},
		`filename="` + strings.Repeat("x", 600) + `.txt"`: {strings.Repeat("x", 512), "file:///" + strings.Repeat("x", 512)},
	} {
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; " + sent + "\r\n\r\nHello.\r\n--b--\r\n"
		w, answer := ask(t, h, "POST", "/v2/parse", body, "Content-Type", "multipart/form-data; boundary=b")
		var d struct {
			Data struct {
				Metadata struct{ SourceURL, URL string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &d); err != nil || w.Code != 200 {
			t.Errorf("%.40s: %d %s", sent, w.Code, answer)
			continue
		}
		if got := d.Data.Metadata; got.SourceURL != want[0] || got.URL != want[1] {
			t.Errorf("%.40s: %+v, want %v", sent, got, want)
		}
	}
}

func FuzzMultipart(f *testing.F) {
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello.\r\n--b--\r\n"))
	f.Add("multipart/form-data; boundary=b", []byte("--b\nContent-Disposition: form-data; name=\"options\"\n\n{\"formats\":[\"html\"]}\n--b\nContent-Disposition: form-data; name=file; filename*=utf-8''%41\n\n<p>x\n--b--"))
	f.Add("multipart/form-data; boundary=\"b b\"", []byte("--b b\r\n\r\n\r\n--b b--"))
	f.Add("application/json", []byte(`{"uploadRef":"x"}`))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v2/parse", bytes.NewReader(body))
		r.Header = http.Header{"Authorization": {"Bearer fc-test"}, "Content-Type": {contentType}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 200, 400, 403, 422:
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("no JSON: %q", w.Body)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
