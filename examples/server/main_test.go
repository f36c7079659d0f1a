// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/curlew/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// started runs the server with args, and returns its URL and the key that it
// made, if it made one. It ends with the test, in time and without an error.
func started(t *testing.T, env map[string]string, args ...string) (url, key string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), func(name string) string { return env[name] }, in, io.Discard)
		in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server did not end within 10 s")
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if made, ok := strings.CutPrefix(lines.Text(), "key "); ok {
			key = made
		}
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			return lines.Text()[at:], key
		}
	}
	t.Fatalf("no line with a URL: %v", lines.Err())
	return "", ""
}

// status asks for the team's concurrency with a key.
func status(t *testing.T, url, key string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v2/concurrency-check", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"teams":[{"id":"a","keys":["fc-team-a"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		env    string
		args   []string
		made   bool
		let    []string
		refuse []string
	}{
		{"none", "", nil, true, nil, []string{"x", "fc-team-a"}},
		{"flag", "", []string{"-api-key", "fc-one", "-api-key", "two"}, false, []string{"fc-one", "one", "two", "fc-two"}, []string{"three"}},
		{"environment", "one,fc-two", nil, false, []string{"one", "two"}, []string{"one,fc-two"}},
		{"file", "", []string{"-config", file}, false, []string{"fc-team-a", "team-a"}, []string{"b"}},
		{"all", "two", []string{"-config", file, "-api-key", "one"}, false, []string{"fc-team-a", "one", "two"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, key := started(t, map[string]string{"CURLEW_API_KEY": tt.env}, tt.args...)
			if (key != "") != tt.made {
				t.Errorf("made the key %q, want one: %t", key, tt.made)
			}
			if tt.made {
				tt.let = append(tt.let, key)
			}
			for _, k := range tt.let {
				if got := status(t, url, k); got != http.StatusOK {
					t.Errorf("key %q: %d", k, got)
				}
			}
			for _, k := range tt.refuse {
				if got := status(t, url, k); got != http.StatusUnauthorized {
					t.Errorf("key %q: %d, want 401", k, got)
				}
			}
		})
	}
}

// TestRefused starts with what is wrong or has no effect: the server says so
// and does not start.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ config, says string }{
		{`{"teams":[{"id":"a","keys":["k"],"colour":"red"}]}`, "colour"},
		{`{"teams":[]} {}`, "text after the config"},
		{`{"teams":[{"keys":["k"]}]}`, "teams[0]: no id"},
		{`{"teams":[{"id":"default","keys":["k"]}]}`, `a second team "default"`},
		{`{"teams":[{"id":"a","keys":["k"]},{"id":"b","keys":["fc-k"]}]}`, "another team has"},
		{`{"teams":[{"id":"a","keys":[""]}]}`, "a key is empty"},
		{`{"teams":[{"id":"a","keys":["k"],"credits":-1}]}`, "credits are below 0"},
		{`{"teams":[{"id":"a","keys":["k"],"requestsPerMinute":{"crawls":1}}]}`, `no class "crawls"`},
		{`{"teams":[{"id":"a","keys":["k"],"requestsPerMinute":{"crawl":0}}]}`, "requestsPerMinute.crawl is below 1"},
		{`{"teams":[{"id":"a","keys":["k"],"webhookSecret":"s"}]}`, "webhookSecret"},
		{`{"teams":[{"id":"a","keys":["k"],"threat":{"policy":{"mode":"on"}}}]}`, "neither off nor normal"},
		{`{"teams":[{"id":"a","keys":["k"],"threat":{"policy":{"blacklist":["http://x.test"]}}}]}`, "blacklist"},
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(file, []byte(tt.config), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-config", file}, func(string) string { return "" }, &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want one that says %q", tt.config, err, tt.says)
		}
	}
	for _, args := range [][]string{{"stray"}, {"-config", "nowhere.json"}, {"-addr", "nonsense"}, {"-api-key", "a b"}} {
		if err := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); err == nil {
			t.Errorf("server %v started", args)
		}
	}
}

// TestLimits reads limits from the file into the team's policy.
func TestLimits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	config := `{"teams":[{"id":"a","keys":["k"],"credits":5,"concurrency":3,"requestsPerMinute":{"account":2},
		"allow":{"ignoreRobotsTxt":true,"robotsUserAgent":true,"zeroDataRetention":true},
		"threat":{"enforced":true,"allowOverrides":false,"policy":{"mode":"normal","blacklist":["evil.test"],"riskScoreThreshold":50,"failurePolicy":"open"}}}]}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.access(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := a.keys["k"].Policy
	if a.credits["a"] != 5 || p.MaxConcurrency != 3 || p.Rates.Account != 2 || !p.AllowIgnoreRobots || !p.AllowRobotsUserAgent || p.ZeroRetention == 0 {
		t.Errorf("policy %+v with %v credits", p, a.credits)
	}
	if th := p.Threat; !th.Enabled || !th.Enforced || th.AllowOverrides || *th.Policy.Threshold != 50 || len(th.Policy.Blacklist) != 1 {
		t.Errorf("threat %+v", th)
	}
	url, _ := started(t, nil, "-config", file)
	for i, want := range []int{200, 200, 429} {
		if got := status(t, url, "k"); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
	}
}
