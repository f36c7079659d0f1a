// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/account/accounttest"
)

// TestShared checks the implementations in memory and in files as those in a database.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	second := func() { time.Sleep(time.Second) }
	synctest.Test(t, func(t *testing.T) {
		file := func() account.KeyStore {
			keys, err := account.OpenKeys(filepath.Join(dir, "keys.json"))
			if err != nil {
				t.Fatal(err)
			}
			return account.StoreOf(keys)
		}
		accounttest.Keys(t, file(), file(), second)
		memory := account.StoreOf(new(account.Keys))
		accounttest.Keys(t, memory, memory, second)

		policies := new(account.Policies)
		accounttest.Policies(t, policies, policies, second)
		stored, err := account.OpenPolicies(filepath.Join(dir, "threat.json"))
		if err != nil {
			t.Fatal(err)
		}
		accounttest.Policies(t, stored, stored, second)

		buckets := new(account.Buckets)
		accounttest.Limiter(t, buckets, buckets, func(d time.Duration) { time.Sleep(d) })
	})
}

// TestBuckets takes tokens for an hour at a rate that does not divide a minute.
func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b account.Buckets
		began, n := time.Now(), 0
		for time.Since(began) < time.Hour {
			a, err := b.Take(t.Context(), "us", "crawl", 7)
			if err != nil {
				t.Fatal(err)
			}
			if a.OK {
				n++
			}
			time.Sleep(a.Wait)
		}
		if n < 7+60*7-1 || n > 7+60*7 {
			t.Errorf("%d requests in an hour, want 7 at once and then 7 each minute", n)
		}
	})
}
