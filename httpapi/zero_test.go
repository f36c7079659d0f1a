// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/httpapi"
	"example.com/curlew/webhook"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/format"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
)

// canaries are strings that must not be stored. Each is used in one place.
func canaries() []string {
	var all []string
	for _, place := range []string{"path", "query", "header", "text", "title", "file", "upload", "prompt", "schema", "hook", "meta"} {
		all = append(all, "kanarienvogel-"+place)
	}
	return all
}

// TestZeroRetention sends canaries through every endpoint, with a durable
// store, an audit file, a log, a failing webhook and a crash. With zero data
// retention no file, log line or profile label contains one. Without it they
// are found.
func TestZeroRetention(t *testing.T) {
	for _, retained := range []bool{true, false} {
		t.Run(fmt.Sprint(retained), func(t *testing.T) {
			data, tmp := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", tmp)
			var log bytes.Buffer
			synctest.Test(t, func(t *testing.T) { throughAll(t, retained, data, &log) })
			kept := map[string]string{"the log": log.String(), "profile labels": profiles(t)}
			for _, dir := range []string{data, tmp} {
				err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					b, err := os.ReadFile(path)
					kept[path] = string(b)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			hits := map[string]int{}
			for where, text := range kept {
				for _, form := range []string{text, inflated(text)} {
					for _, c := range canaries() {
						if strings.Contains(form, c) || strings.Contains(form, base64.StdEncoding.EncodeToString([]byte(c))[:16]) {
							hits[c]++
							if retained {
								t.Errorf("%s holds %s", where, c)
							}
						}
					}
				}
			}
			if !retained && len(hits) < 7 {
				t.Errorf("without zero data retention only %v are found: the test sees nothing", hits)
			}
		})
	}
}

// throughAll sends the canaries to every endpoint.
func throughAll(t *testing.T, retained bool, data string, log io.Writer) {
	store, err := job.OpenFiles(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	snapshots, err := format.OpenFileSnapshots(filepath.Join(data, "snapshots"))
	if err != nil {
		t.Fatal(err)
	}
	file := &audit.File{Dir: filepath.Join(data, "audit")}
	n := webtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	service := &curlew.Service{
		Fetcher: fetchtest.New(t, []byte(`
-- http://a.test/kanarienvogel-path?q=kanarienvogel-query --
<title>kanarienvogel-title</title><main><p>Name: kanarienvogel-text</p><p>Price: 5</p></main>
`)),
		Store: store, Format: format.Engine{Snapshots: snapshots}, Audit: file, Webhooks: over(webhook.Config{}, n),
		Agent: &agent.Engine{Model: new(reader)}, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Logger: service.Logger, Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"fc-test": {ID: "team", Policy: account.Policy{ZeroRetention: account.RetentionAllowed}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	const page = "http://a.test/kanarienvogel-path?q=kanarienvogel-query"
	more := fmt.Sprintf(`,"zeroDataRetention":%t`, retained)
	hook := `,"webhook":{"url":"http://hook.test/kanarienvogel-hook","metadata":{"k":"kanarienvogel-meta"}}`
	options := `"formats":["markdown",{"type":"changeTracking","modes":["git-diff"]}],"headers":{"X-A":"kanarienvogel-header"}`
	for path, body := range map[string]string{
		"/v2/crawl":        `{"url":"` + page + `","scrapeOptions":{` + options + `}` + hook + more + `}`,
		"/v2/batch/scrape": `{"urls":["` + page + `"],` + options + hook + more + `}`,
		"/v2/scrape":       `{"url":"` + page + `",` + options + more + `}`,
		"/v2/agent":        `{"prompt":"kanarienvogel-prompt","urls":["` + page + `"],"strictConstrainToURLs":true,"schema":{"type":"object","description":"kanarienvogel-schema","properties":{"name":{"type":"string"}},"required":["name"]}` + hook + more + `}`,
	} {
		if w, answer := ask(t, h, "POST", path, body); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, answer)
		}
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", "kanarienvogel-file.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, strings.Repeat("kanarienvogel-upload ", 100_000)) // more than fits into memory
	_ = m.WriteField("options", `{`+strings.TrimPrefix(more, ",")+`}`)
	_ = m.Close()
	if w, answer := ask(t, h, "POST", "/v2/parse", form.String(), "Content-Type", m.FormDataContentType()); w.Code != http.StatusOK {
		t.Errorf("parse: %d %.300s", w.Code, answer)
	}
	time.Sleep(10 * time.Minute) // two attempts of the webhooks
	// Do not close the store before another process reads it, as after a crash.
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	n.Close()
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := snapshots.Close(); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// profiles returns the goroutine and heap profiles of the runtime.
func profiles(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for _, name := range []string{"goroutine", "heap", "allocs"} {
		if err := pprof.Lookup(name).WriteTo(&b, 1); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// inflated returns the decompressed text if text is gzip.
func inflated(text string) string {
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return ""
	}
	b, _ := io.ReadAll(z) // as much as can be decompressed
	return string(b)
}
