// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/job/postgres/pgtest"
)

// TestTeams runs two servers with one database, which share keys, rates and threat
// policies.
func TestTeams(t *testing.T) {
	const rate, workers, each = 20, 50, 3
	database := pgtest.Start(t, false).URL(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"teams":[{"id":"us","requestsPerMinute":{"account":20}},{"id":"them","threat":{"enabled":true}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data") // has keys from before the database
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	former, err := account.OpenKeys(filepath.Join(data, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := former.Create(t.Context(), "them", "old", 0)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := keysOf(t, "list", "-store", database); err != nil || out != "" { // creates the schema
		t.Fatalf("list: %q, %v", out, err)
	}
	var made struct{ Key, ID, Team string }
	out, err := keysOf(t, "new", "-store", database, "-config", config, "-json", "us")
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Team != "us" {
		t.Fatalf("new: %q, %v", out, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	first, _ := started(t, nil, "-store", database, "-config", config, "-data", data)
	second, _ := started(t, nil, "-store", database, "-config", config)

	servers := []string{first, second}
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	began := time.Now()
	for _, server := range servers {
		for range workers {
			all.Go(func() {
				for range each {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/v2/concurrency-check", nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Header.Set("Authorization", "Bearer "+made.Key)
					w, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					w.Body.Close()
					mu.Lock()
					answers[w.StatusCode]++
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	http.DefaultClient.CloseIdleConnections()
	filled := int(time.Since(began) / (time.Minute / rate))
	n, refused := answers[http.StatusOK], answers[http.StatusTooManyRequests]
	if n < rate || n > rate+filled || n+refused != len(servers)*workers*each {
		t.Errorf("answers %v; want %d of status 200, and at most %d more", answers, rate, filled)
	}

	const policy = "/v2/team/threat-protection"
	if code, answer := ask(t, http.MethodPut, first+policy, old, `{"mode":"normal","blacklist":["evil.test"]}`); code != http.StatusOK {
		t.Errorf("PUT: %d %s", code, answer)
	}
	eventually(t, "the policy applies", func() bool {
		code, answer := ask(t, http.MethodGet, second+policy, old, "")
		return code == http.StatusOK && strings.Contains(answer, "evil.test")
	})

	if _, err := keysOf(t, "revoke", "-store", database, made.ID); err != nil {
		t.Fatal(err)
	}
	for _, server := range servers {
		eventually(t, "the key is revoked", func() bool {
			code, _ := ask(t, http.MethodGet, server+"/v2/team/queue-status", made.Key, "")
			return code == http.StatusUnauthorized
		})
	}
	if out, err := keysOf(t, "list", "-store", database); err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, "revoked") || !strings.Contains(out, "old") {
		t.Errorf("list: %q, %v", out, err)
	}
}

// TestFirstKey starts a server with an empty database, which prints a key that the next
// one accepts.
func TestFirstKey(t *testing.T) {
	database := pgtest.Start(t, false).URL(t)
	_, key, stop := launched(t, nil, "-store", database)
	stop()
	url, none := started(t, nil, "-store", database)
	if code, _ := ask(t, http.MethodGet, url+"/v2/concurrency-check", key, ""); key == "" || none != "" || code != http.StatusOK {
		t.Errorf("keys %q and %q, status %d", key, none, code)
	}
}

// TestSharedUpload uploads files to one server and has them parsed by another one. What
// nothing may be kept of stays in its server.
func TestSharedUpload(t *testing.T) {
	database, blobs := pgtest.Start(t, false).URL(t), t.TempDir()
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(`{"teams":[{"id":"zero","keys":["z"],"allow":{"zeroDataRetention":true}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-store", database, "-blobs", blobs, "-api-key", "k", "-config", config}
	first, _, stop := launched(t, nil, args...)
	second, _ := started(t, nil, args...)
	stored := func() (list []string) {
		t.Helper()
		err := filepath.WalkDir(blobs, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(path, "uploads") {
				list = append(list, path)
			}
			if errors.Is(err, fs.ErrNotExist) { // it is removed at this moment
				return nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	upload := func(key string) (ref string) {
		t.Helper()
		code, answer := ask(t, http.MethodPost, first+"/v2/parse/upload-url", key, `{"filename":"a.md","contentType":"text/markdown"}`)
		var got struct {
			Data struct{ UploadURL, UploadRef string }
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || code != http.StatusOK {
			t.Fatalf("upload-url: %d %s", code, answer)
		}
		if code, answer := ask(t, http.MethodPut, got.Data.UploadURL, "", "# Title\n\nSome text."); code != http.StatusOK {
			t.Fatalf("PUT: %d %s", code, answer)
		}
		return got.Data.UploadRef
	}
	parse := func(server, key, ref string, want int, text string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/v2/parse", strings.NewReader(`{"uploadRef":"`+ref+`","formats":["markdown"]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != want || !strings.Contains(string(answer), text) {
			t.Errorf("%d %s, %v; want %d with %q", resp.StatusCode, answer, err, want, text)
		}
	}
	ref := upload("k")
	if list := stored(); len(list) != 1 {
		t.Fatalf("objects: %q, want 1", list)
	}
	parse(second, "z", ref, http.StatusForbidden, "FORBIDDEN")
	parse(second, "k", ref, http.StatusOK, `"markdown":"# Title\n\nSome text.`)
	eventually(t, "the file is removed", func() bool { return len(stored()) == 0 })
	parse(first, "k", ref, http.StatusBadRequest, "has been used")

	damaged := upload("k")
	if err := os.WriteFile(stored()[0], []byte("# Title\n\nSome tExt."), 0o600); err != nil {
		t.Fatal(err)
	}
	parse(second, "k", damaged, http.StatusInternalServerError, "UNKNOWN_ERROR")

	zero := upload("z")
	if list := stored(); len(list) != 0 {
		t.Errorf("objects of a team without retention: %q", list)
	}
	parse(second, "z", zero, http.StatusBadRequest, "has been used, or its file was never uploaded")
	parse(first, "z", zero, http.StatusOK, "Some text.")

	last := upload("k")
	stop()
	parse(second, "k", last, http.StatusOK, "Some text.") // after the end of its server
}
