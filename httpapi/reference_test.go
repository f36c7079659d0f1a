// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// target is the answer of upload-url.
type target struct {
	Data struct {
		UploadURL, UploadRef, Method, ExpiresAt string
		MaxSizeBytes                            int
		Headers                                 map[string]string
	}
}

func uploadURL(t *testing.T, h http.Handler, body string, header ...string) target {
	t.Helper()
	w, answer := ask(t, h, "POST", "/v2/parse/upload-url", body, header...)
	var got target
	if err := json.Unmarshal([]byte(answer), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("upload-url: %d %s", w.Code, answer)
	}
	return got
}

// put sends a file without a key, as a client does.
func put(t *testing.T, h http.Handler, url, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "PUT", url, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

func TestReference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{BaseURL: "https://api.test/x"})
		up := uploadURL(t, h, `{"filename":"a.md","contentType":"text/markdown","declaredSizeBytes":12}`)
		if d := up.Data; d.Method != "PUT" || d.MaxSizeBytes != 52428800 || d.ExpiresAt != "2000-01-01T00:10:00.000Z" || d.Headers == nil ||
			!strings.HasPrefix(d.UploadURL, "https://api.test/x/v2/parse/upload/") || !strings.HasSuffix(d.UploadURL, "?uploadRef="+d.UploadRef) {
			t.Errorf("%+v", d)
		}
		parse := func(header ...string) (int, string) {
			w, body := ask(t, h, "POST", "/v2/parse", `{"uploadRef":"`+up.Data.UploadRef+`","formats":["markdown"]}`, append([]string{"Content-Type", "application/json"}, header...)...)
			return w.Code, body
		}
		path := strings.TrimPrefix(up.Data.UploadURL, "https://api.test/x")
		for _, step := range []struct {
			name   string
			do     func() (int, string)
			status int
			body   string // part of it
		}{
			{"not uploaded", func() (int, string) { return parse() }, 400, "has not been uploaded"},
			{"another's", func() (int, string) { return parse("Authorization", "Bearer fc-other") }, 403, `"code":"FORBIDDEN"`},
			{"a bad signature", func() (int, string) { return put(t, h, path+"x", "# A") }, 400, "Invalid or expired"},
			{"no signature", func() (int, string) { return put(t, h, strings.Split(path, "?")[0], "# A") }, 400, "Invalid or expired"},
			{"another id", func() (int, string) {
				return put(t, h, "/v2/parse/upload/x?uploadRef="+up.Data.UploadRef, "# A")
			}, 404, `"code":"NOT_FOUND"`},
			{"too large", func() (int, string) { return put(t, h, path, strings.Repeat("x", 50<<20+1)) }, 400, "exceeds maximum size"},
			{"uploaded", func() (int, string) { return put(t, h, path, "# A\n\nText.") }, 200, `{"success":true}`},
			{"uploaded twice", func() (int, string) { return put(t, h, path, "# B") }, 409, `"success":false`},
			{"parsed", func() (int, string) { return parse() }, 200, `"markdown":"# A\n\nText.`},
			{"parsed twice", func() (int, string) { return parse() }, 400, "has been used"},
		} {
			if status, body := step.do(); status != step.status || !strings.Contains(body, step.body) {
				t.Errorf("%s: %d %.300s, want %d %s", step.name, status, body, step.status, step.body)
			}
		}

		late := uploadURL(t, h, `{"filename":"b.md"}`)
		path = strings.TrimPrefix(late.Data.UploadURL, "https://api.test/x")
		if status, body := put(t, h, path, "# B"); status != 200 {
			t.Error(status, body)
		}
		time.Sleep(10 * time.Minute)
		w, body := ask(t, h, "POST", "/v2/parse", `{"uploadRef":"`+late.Data.UploadRef+`"}`, "Content-Type", "application/json")
		if w.Code != 400 || !strings.Contains(body, "Invalid or expired") {
			t.Errorf("after its life: %d %s", w.Code, body)
		}
	})
}

// sharedUploads implements [job.Uploads] as far as a PUT needs it. Every Check fails with
// err, and every Fill succeeds.
type sharedUploads struct {
	job.Uploads
	err error
}

func (sharedUploads) Secret(context.Context) ([]byte, error) { return []byte("secret"), nil }
func (u sharedUploads) Check(context.Context, string) error  { return u.err }
func (sharedUploads) Add(context.Context, *job.Upload, job.UploadLimits) (time.Duration, error) {
	return 0, nil
}

func (sharedUploads) Fill(_ context.Context, _ string, file io.Reader, _ int64) error {
	_, err := io.Copy(io.Discard, file)
	return err
}

// TestRefusedBeforeReading sends files that another process has received before, or whose
// upload has expired. They are refused before a byte of them was read.
func TestRefusedBeforeReading(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		status int
		reads  bool
	}{
		{"new", nil, http.StatusOK, true},
		{"uploaded before", fmt.Errorf("postgres: %w", job.ErrUploaded), http.StatusConflict, false},
		{"expired", fmt.Errorf("postgres: %w", job.ErrNotFound), http.StatusNotFound, false},
		{"no database", fmt.Errorf("postgres: %w", job.ErrStorage), http.StatusServiceUnavailable, false},
	} {
		h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{BaseURL: "https://api.test", Uploads: sharedUploads{err: test.err}})
		up := uploadURL(t, h, `{"filename":"a.md"}`)
		body := strings.NewReader("# A")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPut, strings.TrimPrefix(up.Data.UploadURL, "https://api.test"), body))
		if read := body.Len() == 0; w.Code != test.status || read != test.reads {
			t.Errorf("%s: status %d, read %t, want %d, %t: %s", test.name, w.Code, read, test.status, test.reads, w.Body)
		}
	}
}

// TestReferenceLimit requests upload references without using them. A team gets
// at most ten per day.
func TestReferenceLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
		for range 10 {
			uploadURL(t, h, `{"filename":"a.md"}`)
			time.Sleep(time.Hour)
		}
		w, body := ask(t, h, "POST", "/v2/parse/upload-url", `{"filename":"a.md"}`)
		if w.Code != http.StatusTooManyRequests || !strings.Contains(body, "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED") || w.Header().Get("Retry-After") != "50400" {
			t.Errorf("the eleventh: %d %s %v", w.Code, body, w.Header())
		}
		uploadURL(t, h, `{"filename":"a.md"}`, "Authorization", "Bearer fc-other")
		time.Sleep(14 * time.Hour)
		uploadURL(t, h, `{"filename":"a.md"}`)
	})
}

func TestReferenceRefused(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	for _, body := range []string{
		`{}`, `{"filename":""}`, `{"filename":"a","x":1}`, `{"filename":"a","declaredSizeBytes":52428801}`, `{"filename":"a","contentType":""}`, `[]`,
		`{"filename":"` + strings.Repeat("a", 513) + `"}`,
	} {
		if w, answer := ask(t, h, "POST", "/v2/parse/upload-url", body); w.Code != http.StatusBadRequest {
			t.Errorf("%.50s: %d %s", body, w.Code, answer)
		}
	}
	h, _ = newHandler(t, oneSite, account.Policy{}, httpapi.Options{NoUploadReferences: true})
	if w, answer := ask(t, h, "POST", "/v2/parse/upload-url", `{"filename":"a"}`); w.Code != http.StatusServiceUnavailable || !strings.Contains(answer, "PARSE_UPLOAD_STORAGE_DISABLED") {
		t.Errorf("switched off: %d %s", w.Code, answer)
	}
}
