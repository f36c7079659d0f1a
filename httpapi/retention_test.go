// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// TestRetentionOnDisk checks that a job with zero data retention leaves nothing
// in the directory of the store, while the same job without it does.
func TestRetentionOnDisk(t *testing.T) {
	const canary = "kanarienvogel"
	web := fakeWeb{"http://" + canary + ".test/": "<title>" + canary + "</title><p>" + canary + " sings.</p>"}
	for _, retained := range []bool{true, false} {
		for path, body := range map[string]string{
			"/v2/crawl":        fmt.Sprintf(`{"url":"http://%s.test/","zeroDataRetention":%t}`, canary, retained),
			"/v2/batch/scrape": fmt.Sprintf(`{"urls":["http://%s.test/"],"zeroDataRetention":%t}`, canary, retained),
		} {
			dir := t.TempDir()
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			service := &curlew.Service{Fetcher: web, Store: files}
			h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
				"fc-test": {ID: "team", Policy: account.Policy{ZeroRetention: account.RetentionAllowed}},
			})})
			if err != nil {
				t.Fatal(err)
			}
			w, answer := ask(t, h, "POST", path, body)
			var started struct{ ID string }
			if err := json.Unmarshal([]byte(answer), &started); err != nil || w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, answer)
			}
			var st struct {
				Status string
				Data   []struct{ Markdown string }
			}
			for st.Status != "completed" {
				time.Sleep(5 * time.Millisecond)
				if w, answer = ask(t, h, "GET", path+"/"+started.ID, ""); w.Code != 200 {
					t.Fatalf("%s: %d %s", path, w.Code, answer)
				}
				if err := json.Unmarshal([]byte(answer), &st); err != nil {
					t.Fatal(err)
				}
			}
			if len(st.Data) != 1 || !bytes.Contains([]byte(st.Data[0].Markdown), []byte(canary)) {
				t.Errorf("%s: %s", path, answer)
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := files.Close(); err != nil {
				t.Fatal(err)
			}
			found := false
			err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				b, err := fs.ReadFile(os.DirFS(dir), name)
				found = found || bytes.Contains(b, []byte(canary)) || bytes.Contains(b, []byte(started.ID))
				return err
			})
			if err != nil || found == retained {
				t.Errorf("%s with zero data retention %t: on the disk: %t, %v", path, retained, found, err)
			}
		}
	}
}
