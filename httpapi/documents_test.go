// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/zipxmltest"
)

// shelf is a Fetcher that serves documents below http://a.test, by path. The
// page / links to all of them.
type shelf map[string]paper

type paper struct {
	body              []byte
	contentType, name string // as the server declares them; empty if it does not
}

func (s shelf) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	answer := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{}}
	path := strings.TrimPrefix(r.URL, "http://a.test")
	if path == "/" {
		var b bytes.Buffer
		for _, path := range slices.Sorted(maps.Keys(s)) {
			b.WriteString(`<a href="` + path + `">x</a>`)
		}
		answer.Body = b.Bytes()
		answer.Header.Set("Content-Type", "text/html")
		return answer, nil
	}
	p, ok := s[path]
	if !ok {
		answer.Status = http.StatusNotFound
		return answer, nil
	}
	answer.Body = p.body
	if p.contentType != "" {
		answer.Header.Set("Content-Type", p.contentType)
	}
	if p.name != "" {
		answer.Header.Set("Content-Disposition", `attachment; filename="`+p.name+`"`)
	}
	return answer, nil
}

func document(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// page contains the members of a document that the tests compare.
type page struct {
	Markdown string
	Metadata struct {
		Title, ContentType, SourceURL string
		NumPages, TotalPages          int
	}
}

// TestDocumentsAtURLs scrapes, crawls and uploads a document of each kind. The
// text, title, pages and declared type must be the same.
func TestDocumentsAtURLs(t *testing.T) {
	parsed := golden.Testdata("parse")
	kinds := []struct {
		file, contentType string // the file name and the declared type, which may be wrong
		title, text       string
		pages, total      int
	}{
		{parsed + "/report.doc", "application/msword", "Report", "", 0, 0},
		{parsed + "/book.xls", "application/vnd.ms-excel", "Ducks", "", 2, 3},
		{parsed + "/talk.ppt", "application/vnd.ms-powerpoint", "Deck", "", 2, 3},
		{parsed + "/letter.msg", "application/vnd.ms-outlook", "Σ report", "Anna", 0, 0},
		{parsed + "/records.xlsb", "application/vnd.ms-excel.sheet.binary.macroEnabled.12", "", "shared", 1, 2},
		{parsed + "/notes.docx", "application/zip", "", "", 0, 0},
		{parsed + "/slides.pptx", "application/pdf", "", "", -1, -1},
		{parsed + "/flat.fods", "application/xml", "", "Ducks", 2, 3},
		{parsed + "/book.epub", "application/epub+zip", "", "", -1, -1},
		{parsed + "/document.rtf", "application/msword", "", "", 0, 0},
		{golden.Root("parse/internal/mail/testdata/alternative.eml"), "text/plain", "", "", 0, 0},
		{golden.Root("parse/internal/mail/testdata/page.mhtml"), "multipart/related", "", "", 0, 0},
		{parsed + "/semicolon-latin1.csv", "text/csv", "", "| --- |", 0, 0},
		{parsed + "/sheet.tsv", "text/tab-separated-values", "", "| --- |", 0, 0},
		{parsed + "/report.pdf", "application/octet-stream", "", "", -1, -1},
	}
	web := shelf{}
	for _, k := range kinds {
		name := filepath.Base(k.file)
		data := document(t, k.file)
		web["/right/"+name] = paper{data, k.contentType, ""}
		web["/bin/"+strings.TrimSuffix(name, filepath.Ext(name))+filepath.Ext(name)[1:]+".bin"] = paper{data, "application/octet-stream", name}
		web["/get?"+name] = paper{data, "", name}
	}
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: web}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		id := crawled(t, service, `{"url":"http://a.test/","allowExternalLinks":false,"ignoreQueryParameters":false}`)
		var crawl struct{ Data []page }
		if answer := said(t, service, "GET", "/v2/crawl/"+id+"?limit=1000", ""); json.Unmarshal([]byte(answer), &crawl) != nil {
			t.Fatal(answer)
		}
		found := map[string]page{}
		for _, p := range crawl.Data {
			found[p.Metadata.SourceURL] = p
		}
		for _, k := range kinds {
			name := filepath.Base(k.file)
			status, uploaded := sent(t, h, name, document(t, k.file), "{}")
			var want struct{ Data page }
			if err := json.Unmarshal([]byte(uploaded), &want); err != nil || status != http.StatusOK || want.Data.Markdown == "" {
				t.Errorf("%s uploaded: %d %.200s", name, status, uploaded)
				continue
			}
			m := want.Data.Metadata
			if !strings.Contains(want.Data.Markdown, k.text) || k.title != "" && m.Title != k.title || k.pages >= 0 && (m.NumPages != k.pages || m.TotalPages != k.total) {
				t.Errorf("%s uploaded: %+v", name, want.Data)
			}
			for path, p := range web {
				if path != "/right/"+name && path != "/get?"+name && p.name != name {
					continue
				}
				var got struct{ Data page }
				if _, answer := ask(t, h, "POST", "/v2/scrape", `{"url":"http://a.test`+path+`"}`); json.Unmarshal([]byte(answer), &got) != nil {
					t.Errorf("%s scraped: %s", path, answer)
				}
				for how, g := range map[string]page{"scraped": got.Data, "crawled": found["http://a.test"+path]} {
					a := g.Metadata
					g.Markdown = strings.ReplaceAll(g.Markdown, "(http://a.test"+path+"#", "(#") // documents with a URL have absolute links
					if g.Markdown != want.Data.Markdown || a.Title != m.Title || a.NumPages != m.NumPages || a.TotalPages != m.TotalPages || a.ContentType != p.contentType {
						t.Errorf("%s %s: %.300q %+v, want %.300q %+v, type %q", path, how, g.Markdown, a, want.Data.Markdown, m, p.contentType)
					}
				}
			}
		}
	})
}

// sent uploads a file and returns status and body of the answer.
func sent(t *testing.T, h http.Handler, name string, data []byte, options string) (int, string) {
	t.Helper()
	return sentAs(t, h, name, data, options, "")
}

func sentAs(t *testing.T, h http.Handler, name string, data []byte, options, key string) (int, string) {
	t.Helper()
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = m.WriteField("options", options)
	_ = m.Close()
	w, body := ask(t, h, "POST", "/v2/parse", form.String(), "Content-Type", m.FormDataContentType(), "Authorization", key)
	return w.Code, body
}

// TestDocumentCodes lets documents fail with each error of package parse, when
// uploaded, scraped and crawled. No failure that the sender can
// fix is a 500, and all have a code.
func TestDocumentCodes(t *testing.T) {
	deep := zipOf("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+strings.Repeat("<w:p>", 100_000))
	locked := cfbtest.Pack(cfbtest.Stream{Name: "EncryptionInfo", Data: make([]byte, 100)}, cfbtest.Stream{Name: "EncryptedPackage", Data: make([]byte, 5000)})
	docx := document(t, golden.Testdata("parse/notes.docx"))
	web := shelf{}
	cases := []struct {
		name           string
		data           []byte
		upload, scrape int
		code           string // for both, unless the next field is set
		scraped        string
	}{
		{"deep.docx", deep, 422, 500, "PARSE_LIMIT_EXCEEDED", ""},
		{"wide.csv", bytes.Repeat([]byte(","), 3<<20), 422, 500, "PARSE_LIMIT_EXCEEDED", ""},
		{"locked.xlsx", locked, 422, 500, "PARSE_ENCRYPTED_DOCUMENT", ""},
		{"locked.odt", zipOf("mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", `<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>`), 422, 500, "PARSE_ENCRYPTED_DOCUMENT", ""},
		{"cut.docx", docx[:200], 422, 500, "PARSE_MALFORMED_DOCUMENT", ""},
		{"cut.xls", document(t, golden.Testdata("parse/book.xls"))[:600], 422, 500, "PARSE_MALFORMED_DOCUMENT", ""},
		{"cut.pdf", []byte("%PDF-1.7\nnothing"), 422, 500, "PARSE_MALFORMED_DOCUMENT", ""},
		{"song.docx", []byte("ID3\x03\x00\x00\x00\xFF\xFB\x90"), 400, 500, "UNSUPPORTED_FILE_TYPE", "SCRAPE_UNSUPPORTED_FILE_ERROR"},
		{"app.docx", zipOf("AndroidManifest.xml", "x"), 400, 500, "UNSUPPORTED_FILE_TYPE", "SCRAPE_UNSUPPORTED_FILE_ERROR"},
	}
	for _, c := range cases {
		web["/"+c.name] = paper{c.data, "", ""}
	}
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: web}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		failed := said(t, service, "GET", "/v2/crawl/"+crawled(t, service, `{"url":"http://a.test/"}`)+"/errors", "")
		var list struct {
			Errors []struct{ URL, Code string }
		}
		if err := json.Unmarshal([]byte(failed), &list); err != nil {
			t.Fatal(failed)
		}
		codes := map[string]string{}
		for _, e := range list.Errors {
			codes[e.URL] = e.Code
		}
		for _, c := range cases {
			if status, answer := sent(t, h, c.name, c.data, "{}"); status != c.upload || !strings.Contains(answer, `"code":"`+c.code+`"`) {
				t.Errorf("%s uploaded: %d %s, want %d %s", c.name, status, answer, c.upload, c.code)
			}
			want := c.code
			if c.scraped != "" {
				want = c.scraped
			}
			if w, answer := ask(t, h, "POST", "/v2/scrape", `{"url":"http://a.test/`+c.name+`"}`); w.Code != c.scrape || !strings.Contains(answer, `"code":"`+want+`"`) {
				t.Errorf("%s scraped: %d %s, want %d %s", c.name, w.Code, answer, c.scrape, want)
			}
			if got := codes["http://a.test/"+c.name]; got != want {
				t.Errorf("%s crawled: code %q, want %q", c.name, got, want)
			}
		}
	})
}

// zipOf returns a ZIP archive of alternating names and texts.
func zipOf(parts ...string) []byte {
	var list []zipxmltest.Part
	for i := 0; i+1 < len(parts); i += 2 {
		list = append(list, zipxmltest.Part{Name: parts[i], Text: parts[i+1]})
	}
	return zipxmltest.Pack(list...)
}
