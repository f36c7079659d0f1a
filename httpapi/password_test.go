// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/job"
)

// auditLog logs events.
type auditLog struct{ log *slog.Logger }

func (a auditLog) Write(ctx context.Context, events []audit.Event) error {
	a.log.InfoContext(ctx, "audit", "events", events)
	return nil
}

// TestPassword sends the password of a workbook in each place that takes it, and
// searches answers, log, audit events and stored files for it.
func TestPassword(t *testing.T) {
	const password = "kanaripassword"
	// excelize writes short streams that no other program can read, so pad the
	// data. ZIP readers look for the directory from the end.
	plain := append(make([]byte, 5000), document(t, golden.Root("parse/testdata/legacy/sheet.xlsx"))...)
	locked, err := excelize.Encrypt(plain, &excelize.Options{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store, err := job.OpenFiles(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var told safeBuffer
	logger := slog.New(slog.NewJSONHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug}))
	service := &curlew.Service{Fetcher: shelf{"/a.xlsx": {body: locked}}, Store: store, Logger: logger, Audit: auditLog{logger}}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Logger: logger, Authenticator: httpapi.StaticKeys(map[string]account.Team{"key": {ID: "team"}})})
	if err != nil {
		t.Fatal(err)
	}
	const parser = `{"parsers":[{"type":"pdf","password":"` + password + `"}]}`
	for _, c := range []struct {
		options string
		code    int
		want    string
	}{
		{`{}`, 422, "PARSE_ENCRYPTED_DOCUMENT"},
		{`{"password":"wrong"}`, 422, "PARSE_ENCRYPTED_DOCUMENT"},
		{`{"password":"` + password + `"}`, 200, `"markdown":"## `},
		{parser, 200, `"markdown":"## `},
		{`{"password":"` + password + `","parsers":[{"type":"pdf","password":"wrong"}]}`, 200, `"markdown":"## `},
		{`{"password":1}`, 400, "expected string"},
		{`{"password":"` + strings.Repeat(password, 100) + `"}`, 400, "too_big"},
	} {
		code, answer := sentAs(t, h, "a.xlsx", locked, c.options, "Bearer key")
		if code != c.code || !strings.Contains(answer, c.want) {
			t.Errorf("%.100s: %d %.300s", c.options, code, answer)
		}
		_, _ = told.Write([]byte(answer))
	}
	for _, r := range []struct {
		path, body string
		code       int
		want       string
	}{
		{"/v2/scrape", `{"url":"http://a.test/a.xlsx",` + parser[1:], 200, `"markdown":"## `},
		{"/v2/crawl", `{"url":"http://a.test/a.xlsx","scrapeOptions":` + parser + `}`, 400, "A password is not supported here"},
		{"/v2/batch/scrape", `{"urls":["http://a.test/a.xlsx"],` + parser[1:], 400, "A password is not supported here"},
	} {
		w, answer := ask(t, h, "POST", r.path, r.body, "Authorization", "Bearer key")
		if w.Code != r.code || !strings.Contains(answer, r.want) {
			t.Errorf("%s: %d %.300s", r.path, w.Code, answer)
		}
		_, _ = told.Write([]byte(answer))
	}
	crawl := &curlew.CrawlRequest{URL: "http://a.test/"}
	crawl.Page.Read.Password = password
	if _, err := service.StartCrawl(t.Context(), crawl); !errors.Is(err, curlew.ErrRequest) {
		t.Errorf("a crawl with a password: %v", err)
	}
	if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if strings.Contains(told.String(), password) {
		t.Errorf("the password is told: %s", told.String())
	}
	files := 0
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := fs.ReadFile(os.DirFS(dir), path)
		if bytes.Contains(data, []byte(password)) {
			t.Errorf("%s has the password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d stored files", files)
}
