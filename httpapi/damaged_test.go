// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// damageAll makes TestDamagedJobs damage each byte instead of a sample.
var damageAll = flag.Bool("damage-all", false, "TestDamagedJobs damages every byte")

// TestDamagedJobs truncates and damages the files of a finished crawl and of a
// running one. Its status, errors and documents must still answer 200. A client
// that follows next reaches the end. Documents in the answers are intact, and
// the answers report what is lost.
func TestDamagedJobs(t *testing.T) {
	web := fakeWeb{}
	const pages = 12
	for i := range pages {
		url := "http://a.test/"
		if i > 0 {
			url = fmt.Sprintf("http://a.test/%c", 'a'+i)
		}
		var links strings.Builder
		for to := 2*i + 1; to <= 2*i+2 && to < pages; to++ {
			fmt.Fprintf(&links, `<p><a href="/%c">to %c</a></p>`, 'a'+to, 'a'+to)
		}
		web[url] = fmt.Sprintf("<title>Page %c</title><p>%s</p>%s", 'a'+i, strings.Repeat(fmt.Sprintf("Text of page %c. ", 'a'+i), 120*(i%2)), links.String())
	}
	dir := t.TempDir()
	open := func(dir string) (http.Handler, func()) {
		files, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		service := &curlew.Service{Fetcher: web, Store: files}
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
		if err != nil {
			t.Fatal(err)
		}
		return h, func() {
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			files.Close()
		}
	}
	h, end := open(dir)
	_, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/"}`)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(answer, `"status":"completed"`) {
		time.Sleep(5 * time.Millisecond)
		_, answer = ask(t, h, "GET", "/v2/crawl/"+started.ID, "")
	}
	end()
	files := map[string][]byte{}
	for _, name := range []string{"log", "log.1", "born", "end"} {
		b, err := os.ReadFile(filepath.Join(dir, "jobs", started.ID, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	check := func(what string, damaged map[string][]byte) {
		t.Helper()
		dir := t.TempDir()
		home := filepath.Join(dir, "jobs", started.ID)
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, b := range damaged {
			if b == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(home, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h, end := open(dir)
		defer end()
		checkDamaged(t, h, what, started.ID, pages)
	}
	step := 311
	if *damageAll {
		step = 1
	}
	for _, ended := range []bool{true, false} {
		for _, name := range []string{"log", "log.1", "born"} {
			whole := files[name]
			for at := 0; at < len(whole); at += step {
				for _, cut := range []bool{true, false} {
					damaged := maps.Clone(files)
					if !ended {
						damaged["end"] = nil
					}
					b := bytes.Clone(whole)
					if cut {
						b = b[:at]
					} else {
						b[at] ^= 1 << (at % 8)
					}
					damaged[name] = b
					check(fmt.Sprintf("ended %v, %s, cut %v at %d", ended, name, cut, at), damaged)
				}
			}
		}
	}
}

// checkDamaged reads a job like a client.
func checkDamaged(t *testing.T, h http.Handler, what, id string, pages int) {
	t.Helper()
	path := "/v2/crawl/" + id
	seen, lost := 0, 0
	var st struct {
		Success                       bool
		Status, Next, Error, Warning  string
		Completed, Total, CreditsUsed int
		Data                          []struct {
			Markdown, Warning string
			Metadata          struct{ Title string }
		}
	}
	for next, steps := path+"?limit=5", 0; next != ""; steps++ {
		if steps > 2*pages {
			t.Errorf("%s: next leads on and on", what)
			return
		}
		w, answer := ask(t, h, "GET", next, "")
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", what, w.Code, answer)
			return
		}
		st.Next, st.Data, st.Error, st.Warning = "", nil, "", ""
		if err := json.Unmarshal([]byte(answer), &st); err != nil {
			t.Fatal(err)
		}
		if !st.Success || st.Next != "" && len(st.Data) == 0 || (st.Status == "failed") != (st.Error != "") {
			t.Errorf("%s: %s", what, answer)
		}
		for _, d := range st.Data {
			seen++
			switch {
			case strings.Contains(d.Warning, "damaged"):
				lost++
			case !strings.HasPrefix(d.Metadata.Title, "Page ") || strings.Count(d.Markdown, "Text of page "+d.Metadata.Title[5:])%120 != 0:
				t.Errorf("%s: a wrong document: %.99q", what, d.Markdown)
			}
		}
		next = strings.TrimPrefix(st.Next, "http://example.com")
	}
	if st.Status == "completed" && seen-lost != pages && !strings.Contains(st.Warning, "damaged") && lost == 0 {
		t.Errorf("%s: %d documents of %d, and nothing says so: %+v", what, seen, pages, st)
	}
	for _, more := range []string{"/errors", "/explain?url=http://a.test/b"} {
		if w, answer := ask(t, h, "GET", path+more, ""); w.Code >= 500 {
			t.Errorf("%s: %s: %d %s", what, more, w.Code, answer)
		}
	}
	if w, answer := ask(t, h, "DELETE", path, ""); w.Code >= 500 {
		t.Errorf("%s: DELETE: %d %s", what, w.Code, answer)
	}
}
