// SPDX-License-Identifier: Apache-2.0

package warc_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/warc"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// entry is a record as the checker reads it.
type entry struct {
	fields map[string]string
	block  []byte
}

var (
	recordID = regexp.MustCompile(`^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$`)
	date     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
	token    = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
)

// readAll reads an archive as ISO 28500 defines it, and fails the test where it differs: each
// record is a gzip member of its own, with the version, the required fields, a block of the
// declared length, correct digests and two line ends.
func readAll(t *testing.T, archive []byte) []entry {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(archive))
	var all []entry
	ids := map[string]bool{}
	for {
		if _, err := in.Peek(1); err == io.EOF {
			break
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatalf("record %d: %v", len(all), err)
		}
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("record %d: %v", len(all), err)
		}
		e := parse(t, text)
		id := e.fields["WARC-Record-ID"]
		if !recordID.MatchString(id) || ids[id] {
			t.Errorf("record %d: id %s", len(all), id)
		}
		ids[id] = true
		if !date.MatchString(e.fields["WARC-Date"]) {
			t.Errorf("record %d: date %s", len(all), e.fields["WARC-Date"])
		}
		if to := e.fields["WARC-Concurrent-To"]; to != "" && !ids[to] {
			t.Errorf("record %d refers to %s, which does not exist", len(all), to)
		}
		all = append(all, e)
	}
	return all
}

// parse reads one record.
func parse(t *testing.T, text []byte) entry {
	t.Helper()
	head, rest, ok := bytes.Cut(text, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	if !ok || lines[0] != "WARC/1.1" {
		t.Fatalf("no head in %q", text)
	}
	e := entry{fields: map[string]string{}}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		if _, twice := e.fields[name]; !ok || twice || !token.MatchString(name) || strings.ContainsAny(value, "\r\n") {
			t.Errorf("field %q", line)
		}
		e.fields[name] = value
	}
	n, err := strconv.Atoi(e.fields["Content-Length"])
	if err != nil || len(rest) != n+4 || string(rest[n:]) != "\r\n\r\n" {
		t.Fatalf("the block has %d bytes, declared %s", len(rest), e.fields["Content-Length"])
	}
	e.block = rest[:n]
	check := func(field string, data []byte) {
		sum := sha1.Sum(data)
		if got := e.fields[field]; got != "" && got != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) {
			t.Errorf("%s is %s", field, got)
		}
	}
	check("WARC-Block-Digest", e.block)
	_, payload, _ := bytes.Cut(e.block, []byte("\r\n\r\n"))
	check("WARC-Payload-Digest", payload)
	kind := e.fields["WARC-Type"]
	want := map[string]string{
		"warcinfo": "application/warc-fields", "metadata": "application/warc-fields",
		"response": "application/http;msgtype=response", "revisit": "application/http;msgtype=response", "request": "application/http;msgtype=request",
	}[kind]
	if want == "" || e.fields["Content-Type"] != want || (kind == "warcinfo") == (e.fields["WARC-Target-URI"] != "") {
		t.Errorf("%s has %v", kind, e.fields)
	}
	return e
}

// site answers in the ways in which servers do, including faulty ones.
func site(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "<p>packed</p>")
		_ = z.Close()
	case "/moved":
		http.Redirect(w, r, "/plain?a=b c", http.StatusFound)
	case "/chunked":
		_, _ = io.WriteString(w, "one ")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "two")
	case "/large":
		_, _ = w.Write(make([]byte, 5000))
	case "/cut":
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/same":
		w.WriteHeader(http.StatusNotModified)
	case "/empty":
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("X-Text", "a\tb")
		_, _ = io.WriteString(w, "<p>plain</p>")
	}
}

// TestArchive records the exchanges of a client, and reads them back.
func TestArchive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(site))
	defer server.Close()
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, MaxBytes: 1000, Cache: &fetch.MemoryCache{MaxBytes: 1 << 20}}
	defer client.CloseIdleConnections()
	archive := new(warc.Archive)
	out := bytes.NewBuffer(archive.Info("site.warc.gz"))
	var mu sync.Mutex
	ctx := fetch.WithRecorder(t.Context(), func(_ context.Context, r *fetch.Recording) error {
		mu.Lock()
		defer mu.Unlock()
		_, err := out.Write(archive.Records(r))
		return err
	})
	for _, path := range []string{"/plain", "/plain", "/gzip", "/moved", "/chunked", "/large", "/cut", "/same", "/empty"} {
		h := http.Header{"Authorization": {"Bearer secret"}, "If-None-Match": {`"x"`}}
		resp, err := client.Fetch(ctx, &fetch.Request{URL: server.URL + path, Header: h, MaxAge: time.Hour, Retries: -1})
		if (err != nil) != (path == "/large") {
			t.Errorf("%s: %v", path, err)
		}
		if path == "/gzip" && (resp == nil || string(resp.Body) != "<p>packed</p>") {
			t.Errorf("the recorder changed the page: %+v", resp)
		}
	}
	all := readAll(t, out.Bytes())
	if len(all) != 1+3*10 || all[0].fields["WARC-Type"] != "warcinfo" || all[0].fields["WARC-Filename"] != "site.warc.gz" {
		t.Fatalf("%d records", len(all))
	}
	if bytes.Contains(out.Bytes(), []byte("secret")) {
		t.Error("a secret was recorded")
	}
	answers := map[string]entry{}
	for i, e := range all[1:] {
		if want := []string{"response", "request", "metadata"}[i%3]; e.fields["WARC-Type"] != want && e.fields["WARC-Type"] != "revisit" {
			t.Errorf("record %d is %s, not %s", i, e.fields["WARC-Type"], want)
		}
		path := strings.TrimPrefix(e.fields["WARC-Target-URI"], server.URL)
		switch e.fields["WARC-Type"] {
		case "request":
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(e.block)))
			if err != nil || r.Host != strings.TrimPrefix(server.URL, "http://") || r.URL.String() != path || r.Header.Get("Authorization") != "" {
				t.Errorf("%s: %q, %v", path, e.block, err)
			}
		case "response", "revisit":
			answers[path] = e
			if e.fields["WARC-IP-Address"] != "127.0.0.1" {
				t.Errorf("%s: address %s", path, e.fields["WARC-IP-Address"])
			}
		}
	}
	for path, want := range map[string]struct{ body, cut, kind string }{
		"/plain":         {"<p>plain</p>", "", "response"},
		"/plain?a=b%20c": {"<p>plain</p>", "", "response"},
		"/moved":         {"<a href=\"/plain?a=b c\">Found</a>.\n\n", "", "response"},
		"/chunked":       {"one two", "", "response"},
		"/large":         {strings.Repeat("\x00", 1000), "length", "response"},
		"/cut":           {"half", "disconnect", "response"},
		"/same":          {"", "", "revisit"},
		"/empty":         {"", "", "response"},
	} {
		e := answers[path]
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(e.block)), nil) //nolint:bodyclose // it is in memory
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != want.body || e.fields["WARC-Truncated"] != want.cut || e.fields["WARC-Type"] != want.kind || resp.TransferEncoding != nil {
			t.Errorf("%s: %q, %v, %v", path, body, e.fields, err)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answers["/gzip"].block)), nil) //nolint:bodyclose // it is in memory
	if err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("%+v, %v", resp, err)
	}
	if z, err := gzip.NewReader(resp.Body); err != nil {
		t.Error(err)
	} else if text, err := io.ReadAll(z); err != nil || string(text) != "<p>packed</p>" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestRecorderFails checks that a page is not delivered without its record.
func TestRecorderFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(site))
	defer server.Close()
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	defer client.CloseIdleConnections()
	full := errors.New("the disk is full")
	ctx := fetch.WithRecorder(t.Context(), func(context.Context, *fetch.Recording) error { return full })
	if resp, err := client.Fetch(ctx, &fetch.Request{URL: server.URL, Retries: -1}); !errors.Is(err, full) {
		t.Errorf("%v, %v", resp, err)
	}
}

// FuzzRecords checks that no header or URL of a site breaks a record.
func FuzzRecords(f *testing.F) {
	f.Add("https://a.test/", "X-A", "b", []byte("body"), 200)
	f.Add("https://a.test/\r\nWARC-Type: x", "A\r\nB", "c\r\n\r\nd", []byte("\r\n\r\n"), 304)
	f.Fuzz(func(t *testing.T, url, name, value string, body []byte, status int) {
		r := &fetch.Recording{URL: url, Header: http.Header{name: {value}}, Received: http.Header{name: {value, value}}, Body: body, Status: status, Proto: "HTTP/2.0", IP: value}
		all := readAll(t, (&warc.Archive{Software: value}).Records(r))
		if len(all) != 3 {
			t.Errorf("%d records", len(all))
		}
	})
}
