// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
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
