// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/service/faults"
)

// unfetched is a Fetcher that always fails with the same error.
type unfetched struct{ err error }

func (f unfetched) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	return nil, &fetch.Error{URL: r.URL, Err: f.err}
}

// TestScrapeCodes lets a page fail with each error of package fetch. It checks
// the status, the code, and that the text reveals nothing about the network.
func TestScrapeCodes(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		code   string
	}{
		{fetch.ErrDNS, 200, "SCRAPE_DNS_RESOLUTION_ERROR"},
		{fetch.ErrTLS, 500, "SCRAPE_SSL_ERROR"},
		{fetch.ErrProxy, 500, "SCRAPE_PROXY_SELECTION_ERROR"},
		{fetch.ErrTimeout, 408, "SCRAPE_TIMEOUT"},
		{pace.ErrPause, 408, "SCRAPE_TIMEOUT"},
		{fetch.ErrAddress, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrTooLarge, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrInflate, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrRedirects, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrScheme, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrConnect, 500, "SCRAPE_SITE_ERROR"},
		{fetch.ErrNotCached, 404, "SCRAPE_NO_CACHED_DATA"},
	} {
		h, err := httpapi.NewHandler(&curlew.Service{Fetcher: unfetched{test.err}}, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		w, body := ask(t, h, "POST", "/v2/scrape", `{"url":"a.test"}`)
		if w.Code != test.status || !strings.HasPrefix(body, `{"success":false,"code":"`+test.code+`","error":"`) || strings.Contains(body, "a.test") {
			t.Errorf("%v: %d %s, want %d %s", test.err, w.Code, body, test.status, test.code)
		}
	}
}

// TestParseLimit uploads a document that is nested deeper than readers allow.
func TestParseLimit(t *testing.T) {
	var file, form bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"word/document.xml":   `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + strings.Repeat("<w:p>", 100_000),
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", "deep.docx")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(file.Bytes())
	_ = m.Close()
	h, err := httpapi.NewHandler(new(curlew.Service), &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	w, body := ask(t, h, "POST", "/v2/parse", form.String(), "Content-Type", m.FormDataContentType())
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, `"code":"PARSE_LIMIT_EXCEEDED"`) {
		t.Errorf("%d %s", w.Code, body)
	}
}

// TestStatuses checks that each code of the Service has exactly one status, and
// that each fault without a code has an answer.
func TestStatuses(t *testing.T) {
	for _, code := range faults.Codes() {
		if n := httpapi.Statuses(code); n != 1 {
			t.Errorf("%s has %d statuses, want 1", code, n)
		}
	}
	for _, text := range httpapi.Unanswered() {
		t.Errorf("%s: no status", text)
	}
}
