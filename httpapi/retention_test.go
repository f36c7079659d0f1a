// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
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

// early is a store whose jobs began an hour later than they did, as if the clock was set back.
type early struct{ job.Store }

func (s early) Load(ctx context.Context, owner, id string) (*job.Job, error) {
	j, err := s.Store.Load(ctx, owner, id)
	if err == nil {
		j.Created = j.Created.Add(time.Hour)
	}
	return j, err
}

// TestClockSetBack checks that no job takes less than no time.
func TestClockSetBack(t *testing.T) {
	service := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": "<p>Hello."}, Store: early{new(job.Memory)}}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	j, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // while it runs, perhaps, and afterwards
		_, answer := ask(t, h, "GET", "/v2/batch/scrape/"+j.ID(), "")
		var st struct{ Duration *float64 }
		if err := json.Unmarshal([]byte(answer), &st); err != nil || st.Duration == nil || *st.Duration < 0 {
			t.Errorf("%s, %v: want a duration that is not negative", answer, err)
		}
		if _, err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
