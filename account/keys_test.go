// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
)

// bubbleStart is the time at which a synctest bubble starts.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	synctest.Test(t, func(t *testing.T) {
		keys, err := account.OpenKeys(path)
		if err != nil {
			t.Fatal(err)
		}
		create := func(team, name string, life time.Duration) (string, account.Key) {
			t.Helper()
			text, key, err := keys.Create(t.Context(), team, name, life)
			if err != nil || len(text) != 46 || !strings.HasPrefix(text, "fc-") || key.Last4 != text[42:] || key.Team != team || key.Name != name {
				t.Fatalf("%q, %+v, %v", text, key, err)
			}
			return text, key
		}
		good, _ := create("a", "first", 0)
		short, _ := create("a", "short", time.Hour)
		gone, lost := create("b", "gone", 0)
		if err := keys.Revoke(t.Context(), lost.ID); err != nil {
			t.Fatal(err)
		}
		if err := keys.Revoke(t.Context(), "x"); !errors.Is(err, account.ErrNoKey) {
			t.Errorf("revoking what is not there: %v", err)
		}
		check := func(when string) {
			t.Helper()
			for _, test := range []struct {
				key string
				ok  bool
			}{
				{good, true},
				{strings.TrimPrefix(good, "fc-"), true},
				{short, time.Since(bubbleStart) < time.Hour},
				{gone, false},
				{"", false},
				{"fc-", false},
				{good + "x", false},
				{strings.Repeat("x", 1000), false},
			} {
				key, err := keys.Find(t.Context(), test.key)
				if ok := err == nil; ok != test.ok || !ok && !errors.Is(err, account.ErrKey) {
					t.Errorf("%s: %.50q: %v", when, test.key, err)
				}
				if test.ok && (key.Team != "a" || key.ID == "" || key.Name == "") {
					t.Errorf("%s: %+v", when, key)
				}
			}
			for team, n := range map[string]int{"a": 2, "": 3, "c": 0} {
				if list, err := keys.List(t.Context(), team); err != nil || len(list) != n || n > 0 && list[0].Name != "first" {
					t.Errorf("%s: list %+v, %v", when, list, err)
				}
			}
		}
		check("at first")
		if keys, err = account.OpenKeys(path); err != nil {
			t.Fatal(err)
		}
		check("read again")
		time.Sleep(time.Hour)
		check("an hour later")

		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{good, short, gone} {
			if strings.Contains(string(data), strings.TrimPrefix(key, "fc-")) {
				t.Error("the file holds a key")
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info.Mode(), err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%d files are left, %v", len(entries), err)
		}
	})
}

// TestKeysMemory tests keys without a file, and keys whose file cannot be
// written, so that no key is created.
func TestKeysMemory(t *testing.T) {
	keys := new(account.Keys)
	text, _, err := keys.Create(t.Context(), "a", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := keys.Find(t.Context(), text); err != nil || key.Team != "a" {
		t.Error(key, err)
	}
	nowhere, err := account.OpenKeys(filepath.Join(t.TempDir(), "no", "such", "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if text, _, err := nowhere.Create(t.Context(), "a", "", 0); err == nil {
		t.Error("a key that is not kept is made")
	} else if _, err := nowhere.Find(t.Context(), text); !errors.Is(err, account.ErrKey) {
		t.Errorf("it works: %v", err)
	}
}

func TestKeysBroken(t *testing.T) {
	for _, text := range []string{"{", `[{"id":"x","sha256":"00"}]`, `[{"sha256":"zz"}]`} {
		path := filepath.Join(t.TempDir(), "keys.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := account.OpenKeys(path); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// TestKeysShared checks that a change by one process takes effect in another
// one after a second, and that neither undoes the changes of the other.
func TestKeysShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	synctest.Test(t, func(t *testing.T) {
		open := func() *account.Keys {
			keys, err := account.OpenKeys(path)
			if err != nil {
				t.Fatal(err)
			}
			return keys
		}
		server := open()
		operator := open()
		check := func(when, key string, want error) {
			t.Helper()
			if _, err := server.Find(t.Context(), key); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", when, err, want)
			}
		}
		text, key, err := operator.Create(t.Context(), "a", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		check("made by another", text, nil)
		if err := operator.Revoke(t.Context(), key.ID); err != nil {
			t.Fatal(err)
		}
		other, _, err := server.Create(t.Context(), "b", "", 0) // before server has checked the file
		if err != nil {
			t.Fatal(err)
		}
		check("revoked by another", text, account.ErrKey)
		check("its own", other, nil)
		if err := operator.Revoke(t.Context(), key.ID); err != nil {
			t.Error(err)
		}
		if list, err := operator.List(t.Context(), ""); err != nil || len(list) != 2 {
			t.Errorf("%+v, %v", list, err)
		}

		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, kept[:len(kept)-3], 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := server.Find(t.Context(), other); err == nil || errors.Is(err, account.ErrKey) {
			t.Errorf("of a broken file: %v, want another error than for an unknown key", err)
		}
		if _, _, err := server.Create(t.Context(), "b", "", 0); err == nil {
			t.Error("a broken file is written over")
		}
		if list, err := server.List(t.Context(), ""); err == nil {
			t.Errorf("a broken file has the keys %+v", list)
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Find(t.Context(), other); err == nil {
			t.Error("a broken file is read again for each request")
		}
		time.Sleep(time.Second)
		check("mended", other, nil)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		check("without a file", other, account.ErrKey)
	})
}
