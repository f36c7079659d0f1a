// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"crypto/md5" // #nosec G501 -- of the format
	"crypto/rc4" // #nosec G503 -- of the format
	"errors"
	"fmt"
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

// lockedPDF returns a PDF of one page with a text, encrypted with RC4 and a key of 40
// bits (ISO 32000-1, 7.6.3).
func lockedPDF(t *testing.T, password, text string) []byte {
	t.Helper()
	const pad = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"
	const id, owner = "sixteen bytes id", "thirty-two bytes of the owner   "
	crypt := func(key, data string) string {
		c, err := rc4.NewCipher([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, []byte(data))
		return string(out)
	}
	sum := md5.Sum([]byte((password + pad)[:32] + owner + "\xFC\xFF\xFF\xFF" + id))
	key := string(sum[:5])
	object := md5.Sum([]byte(key + "\x04\x00\x00\x00\x00"))
	content := crypt(string(object[:10]), "BT /F 12 Tf 72 700 Td ("+text+") Tj ET")
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Count 1 /Kids [3 0 R]>> endobj\n"+
		"3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources <</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>> endobj\n"+
		"4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n5 0 obj <</Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x>>> endobj\n"+
		"trailer <</Root 1 0 R /ID [<%x> <00>] /Encrypt 5 0 R>>\nstartxref\n0\n%%%%EOF\n", len(content), content, owner, crypt(key, pad), id)
}

// TestPassword sends the passwords of documents in each place that takes it, and
// searches answers, log, audit events and stored files for it.
func TestPassword(t *testing.T) {
	const password = "kanaripassword"
	// excelize writes short streams that no other program can read, so pad the
	// data. ZIP readers look for the directory from the end.
	office := func(name string) []byte {
		locked, err := excelize.Encrypt(append(make([]byte, 5000), document(t, golden.Root("parse/testdata/legacy/"+name))...), &excelize.Options{Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return locked
	}
	locked := office("sheet.xlsx")
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
	const (
		missing = `"code":"PARSE_ENCRYPTED_DOCUMENT","error":"The document is encrypted."`
		wrong   = `"code":"PARSE_ENCRYPTED_DOCUMENT","error":"The document is encrypted, and the password is wrong."`
	)
	for name, file := range map[string]struct {
		data []byte
		want string // a part of the answer
	}{
		"a.docx": {office("rich.docx"), `"markdown":"`},
		"a.pdf":  {lockedPDF(t, password, "quarterly figures"), `"markdown":"quarterly figures`},
	} {
		for _, c := range []struct {
			options string
			code    int
			want    string
		}{
			{`{}`, 422, missing},
			{`{"parsers":["pdf"]}`, 422, missing},
			{`{"password":"wrong"}`, 422, wrong},
			{`{"parsers":[{"type":"pdf","password":"wrong"}]}`, 422, wrong},
			{`{"password":"` + password + `"}`, 200, file.want},
			{parser, 200, file.want},
		} {
			code, answer := sentAs(t, h, name, file.data, c.options, "Bearer key")
			if code != c.code || !strings.Contains(answer, c.want) {
				t.Errorf("%s, %.100s: %d %.300s", name, c.options, code, answer)
			}
			_, _ = told.Write([]byte(answer))
		}
	}
	for _, c := range []struct {
		options string
		code    int
		want    string
	}{
		{`{}`, 422, missing},
		{`{"password":"wrong"}`, 422, wrong},
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
	if files == 0 {
		t.Error("no stored files, so that nothing was searched")
	}
}
