// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Meanings of a flag with --remote, beside a part of the request that it causes.
const (
	isRefused = "refused" // with an error that names the flag
	isLocal   = "local"   // it says what the command does with results
)

// everyCommand contains the flags of all commands.
var everyCommand = map[string][2]string{
	"json": {"", isLocal}, "q": {"", isLocal}, "v": {"", isLocal}, "verbose": {"", isLocal}, "no-color": {"", isLocal}, "config": {"x", isLocal},
	"remote": {"", isLocal}, "api-key-file": {"x", isLocal},
	"allow-private": {"", isRefused}, "user-agent": {"x", isRefused}, "proxy": {"http://127.0.0.1:1", isRefused}, "proxy-file": {"x", isRefused},
}

// remoteFlags contains for each command that can use a server its arguments and for each flag a
// value, and what becomes of the flag with --remote. FILE is a file with a JSON Schema, and
// DIR a folder.
var remoteFlags = map[string]struct {
	args  []string
	flags map[string][2]string
}{
	"scrape": {[]string{"a.test"}, map[string][2]string{
		"form": {"links", `"formats":[{"type":"links"}]`}, "formats": {"links", `"formats":[{"type":"links"}]`}, "schema": {"FILE", `"schema":{"type":"object"}`}, "prompt": {"The price", `"prompt":"The price"`},
		"whole": {"", `"onlyMainContent":false`}, "timeout": {"7s", `"timeout":7000`}, "max-age": {"9s", `"maxAge":9000`}, "o": {"DIR", isLocal},
	}},
	"map": {[]string{"a.test"}, map[string][2]string{
		"search": {"curlew", `"search":"curlew"`}, "limit": {"7", `"limit":7`}, "timeout": {"7s", `"timeout":7000`}, "queries": {"", `"ignoreQueryParameters":false`}, "no-subdomains": {"", `"includeSubdomains":false`},
	}},
	"search": {[]string{"curlew"}, map[string][2]string{
		"limit": {"7", `"limit":7`}, "sources": {"news", `"sources":[{"type":"news"}]`}, "categories": {"pdf", `"categories":[{"type":"pdf"}]`}, "tbs": {"qdr:w", `"tbs":"qdr:w"`}, "country": {"DE", `"country":"DE"`},
		"location": {"Leeds", `"location":"Leeds"`}, "site": {"a.test", `"includeDomains":["a.test"]`}, "not-site": {"a.test", `"excludeDomains":["a.test"]`},
		"scrape": {"", `"scrapeOptions":{"formats":[{"type":"markdown"}]`}, "timeout": {"7s", `"timeout":7000`},
	}},
	"agent": {[]string{"Which birds?", "--url", "b.test"}, map[string][2]string{
		"url": {"a.test", `"urls":["https://b.test","https://a.test"]`}, "strict-urls": {"", `"strictConstrainToURLs":true`}, "schema": {"FILE", `"schema":{"type":"object"}`}, "max-credits": {"7", `"maxCredits":7`},
		"csv": {"", isLocal}, "sources": {"", isLocal},
	}},
	"parse": {[]string{"FILE"}, map[string][2]string{
		"pages": {"7", `"parsers":[{"type":"pdf","maxPages":7}]`}, "whole": {"", `"onlyMainContent":false`}, "password-file": {"FILE", `"password":"{`}, "ocr": {"", isRefused}, "o": {"DIR", isLocal}, "workers": {"1", isLocal},
	}},
	"export": {[]string{"0198c000-0000-7000-8000-000000000001"}, map[string][2]string{
		"format": {"markdown", "format=markdown"}, "without-repeats": {"", "withoutRepeats=true"}, "o": {"-", isLocal},
	}},
	"crawl": {[]string{"a.test", "-o", "DIR"}, map[string][2]string{
		"limit": {"7", `"limit":7`}, "depth": {"7", `"maxDiscoveryDepth":7`}, "include": {"/a", `"includePaths":["/a"]`}, "exclude": {"/a", `"excludePaths":["/a"]`}, "sitemap": {"only", `"sitemap":"only"`},
		"entire-domain": {"", `"crawlEntireDomain":true`}, "subdomains": {"", `"allowSubdomains":true`}, "external": {"", `"allowExternalLinks":true`}, "concurrency": {"7", `"maxConcurrency":7`}, "delay": {"7s", `"delay":7`},
		"whole": {"", `"onlyMainContent":false`}, "warc": {"", `"warc":true`}, "form": {"links", `{"type":"links"}`},
		"demo": {"", isRefused}, "format": {"jsonl", isLocal}, "o": {"DIR", isLocal}, "strict": {"", isLocal},
		"resume": {"", isLocal}, "since": {"last", isLocal}, "every": {"1h", isLocal}, "once": {"", isLocal}, "webhook": {"https://a.test/", isLocal}, // they decide whether a request is made; TestRemote has them
	}},
}

// TestRemoteFlags checks that each flag of a command that can use a server is a part of the
// request, or is refused, or belongs to what the command does itself. No flag is ignored.
func TestRemoteFlags(t *testing.T) {
	var lock sync.Mutex
	var got strings.Builder // the request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		got.WriteString(r.RequestURI + "\n")
		_, _ = io.Copy(&got, r.Body)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"success":false,"error":"no"}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		known := remoteFlags[c.name]
		if c.define == nil {
			continue
		}
		all, _ := (&env{err: io.Discard}).flagsOf(&c)
		if all.Lookup("remote") == nil {
			continue
		}
		all.VisitAll(func(f *flag.Flag) {
			test, ok := known.flags[f.Name]
			if !ok {
				test, ok = everyCommand[f.Name]
			}
			if !ok {
				t.Errorf("%s --%s is not in the table", c.name, f.Name)
			}
			if test[1] == isLocal {
				return
			}
			args := append([]string{c.name, "--remote", server.URL, "--json"}, known.args...)
			if args = append(args, "--"+f.Name); test[0] != "" {
				args = append(args, test[0])
			}
			if c.name == "crawl" && f.Name == "demo" {
				args = []string{"crawl", "--remote", server.URL, "--demo"}
			}
			for i := range args {
				args[i] = strings.NewReplacer("FILE", file, "DIR", t.TempDir()).Replace(args[i])
			}
			lock.Lock()
			got.Reset()
			lock.Unlock()
			code, _, said := call(t, "", args...)
			lock.Lock()
			request := string(bytes.ReplaceAll([]byte(got.String()), []byte(`\"`), []byte(`"`)))
			lock.Unlock()
			switch {
			case test[1] == isRefused:
				if code != exitUsage || request != "" || !strings.Contains(said, "--"+f.Name) || !strings.Contains(said, "--remote") {
					t.Errorf("%v: exit %d, request %q, %s", args, code, request, said)
				}
			case !strings.Contains(request, test[1]):
				t.Errorf("%v: no %s in the request %q; %s", args, test[1], request, said)
			}
		})
	}
}
