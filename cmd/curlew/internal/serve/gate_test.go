// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// keysOf runs the command keys and returns its output.
func keysOf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Keys(t.Context(), args, func(string) string { return "" }, &out, io.Discard)
	return out.String(), err
}

// TestManageKeys creates and revokes keys of a server that is running.
func TestManageKeys(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	url, made, stop := launched(t, nil, "-data", data)
	if made == "" || status(t, url, made) != http.StatusOK {
		t.Fatalf("the first key %q is not valid", made)
	}
	out, err := keysOf(t, "new", "-data", data, "-name", "reader")
	key, rest, _ := strings.Cut(strings.TrimPrefix(out, "key "), "\n")
	id := strings.TrimSpace(strings.TrimPrefix(rest, "id "))
	if err != nil || id == "" {
		t.Fatalf("%q, %v", out, err)
	}
	eventually(t, "the new key is valid", func() bool { return status(t, url, key) == http.StatusOK })
	if out, err := keysOf(t, "list", "-data", data); err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, "reader") || strings.Contains(out, key) {
		t.Errorf("list: %q, %v", out, err)
	}
	if out, err := keysOf(t, "list", "-json", "-data", data, "nobody"); err != nil || out != "" {
		t.Errorf("list of another team: %q, %v", out, err)
	}
	if _, err := keysOf(t, "revoke", "-data", data, id); err != nil {
		t.Error(err)
	}
	eventually(t, "the key is revoked", func() bool { return status(t, url, key) == http.StatusUnauthorized })
	stop()
	url, again, stop := launched(t, nil, "-data", data)
	defer stop()
	if again != "" || status(t, url, made) != http.StatusOK {
		t.Errorf("after a restart: a new key %q, and %d for the first", again, status(t, url, made))
	}
	stored, err := os.ReadFile(filepath.Join(data, "keys.json"))
	if err != nil || strings.Contains(string(stored), strings.TrimPrefix(made, "fc-")) {
		t.Errorf("the file of keys: %s, %v", stored, err)
	}
}

// eventually waits until ok returns true. A server sees a changed file within a second.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestKeysRefused checks wrong command lines of keys.
func TestKeysRefused(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"needs new, list or revoke":    nil,
		`not "make"`:                   {"make", "-data", dir},
		"needs --store":                {"new"},
		`there is no team "nobody"`:    {"new", "-data", dir, "nobody"},
		`unexpected argument "b"`:      {"new", "-data", dir, "default", "b"},
		"needs the id of a key":        {"revoke", "-data", dir},
		"flag provided but not define": {"new", "-nonsense"},
		"not before":                   {"new", "-data", dir, "-expires", "-1h"},
	} {
		if out, err := keysOf(t, args...); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%q: %q, %v", args, out, err)
		}
	}
	if _, err := keysOf(t, "revoke", "-data", dir, "0198a7c2-0000-7000-8000-000000000000"); err == nil || errors.Is(err, ErrUsage) {
		t.Errorf("an unknown key was revoked: %v", err)
	}
}

// TestSettings checks where the values of flags come from: the command line before the
// environment, and that before the file.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(dir, "key")
	if err := os.WriteFile(secret, []byte("fc-of-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(`{"settings":{"base-url":"https://file.test","user-agent":"file/1","endless-pages":5,"trust-proxy":false}}`)
	env := map[string]string{"CURLEW_CONFIG": file, "CURLEW_BASE_URL": "https://env.test", "CURLEW_API_KEY_FILE": secret}
	for want, args := range map[string][]string{
		"https://env.test":  nil,
		"https://line.test": {"-base-url", "https://line.test"},
	} {
		url, _, stop := launched(t, env, append(args, "-allow-private")...)
		code, body := ask(t, http.MethodPost, url+"/v2/crawl", "fc-of-file", `{"url":"http://127.0.0.1:1/"}`)
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d %s, want %s", code, body, want)
		}
		stop()
	}
	getenv := func(name string) string { return env[name] }
	for _, tt := range []struct{ settings, name, value, want string }{
		{`{"settings":{"colour":"red"}}`, "", "", "settings.colour: there is no such setting"},
		{`{"settings":{"config":"x"}}`, "", "", "no such setting"},
		{`{"settings":{"addr":["x"]}}`, "", "", "a string, a number or a boolean"},
		{`{"settings":{"ocr":"perhaps"}}`, "", "", `settings.ocr: invalid value "perhaps"`},
		{`{}`, "CURLEW_ISOLATE", "perhaps", "CURLEW_ISOLATE: invalid value"},
		{`{}`, "CURLEW_MODEL_KEY_FILE", filepath.Join(dir, "nowhere"), "CURLEW_MODEL_KEY_FILE: open"},
	} {
		write(tt.settings)
		env = map[string]string{"CURLEW_CONFIG": file, "CURLEW_MODEL_URL": "http://127.0.0.1:1/v1", "CURLEW_MODEL": "m", tt.name: tt.value}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of a server that starts in spite of the fault
		err := Run(ctx, []string{"-addr", "127.0.0.1:0"}, getenv, io.Discard, io.Discard)
		cancel()
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.settings, tt.value, err, tt.want)
		}
	}
}

// TestJSON checks what a program reads that starts the server.
func TestJSON(t *testing.T) {
	url, _ := started(t, nil, "-json", "-api-key", "k")
	if status(t, strings.SplitN(url, `"`, 2)[0], "k") != http.StatusOK {
		t.Errorf("there is no URL in %q", url)
	}
}
