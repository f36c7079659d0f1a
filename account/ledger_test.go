// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.com/curlew/account"
)

// TestLedgerFile closes and reopens a ledger. What was committed must be spent
// exactly once, and what was only reserved must be free again.
func TestLedgerFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "data")
	plan := map[string]int{"team": 100}
	open := func() *account.Ledger {
		t.Helper()
		l, err := account.OpenLedger(t.Context(), dir, plan)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	reserve := func(l *account.Ledger, op string, want int) {
		t.Helper()
		if n, err := l.Reserve(t.Context(), "team", op, want, want); n != want || err != nil {
			t.Fatalf("reserve %s: %d, %v", op, n, err)
		}
	}
	balance := func(l *account.Ledger, want account.Balance) {
		t.Helper()
		if got, err := l.Balance(t.Context(), "team"); got != want || err != nil {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	l := open()
	reserve(l, "a", 30)
	reserve(l, "b", 30)
	if err := l.Commit(t.Context(), "team", "a", 20); err != nil {
		t.Fatal(err)
	}
	balance(l, account.Balance{Left: 50, Plan: 100, Spent: 20})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), "team", "b", 30); err == nil {
		t.Error("a commit to a closed ledger succeeds")
	}

	for range 3 { // each opening rewrites the file
		l = open()
		balance(l, account.Balance{Left: 80, Plan: 100, Spent: 20})
		reserve(l, "a", 30) // the job continues
		if err := l.Commit(t.Context(), "team", "a", 30); err != nil {
			t.Fatal(err)
		}
		balance(l, account.Balance{Left: 80, Plan: 100, Spent: 20})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLedgerCrash opens ledgers whose file ends at any byte. Only the torn
// entry may be lost, and none may count twice.
func TestLedgerCrash(t *testing.T) {
	dir := t.TempDir()
	l, err := account.OpenLedger(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int64{size(t, dir)}
	for i := range 5 {
		op := fmt.Sprint("op", i)
		if _, err := l.Reserve(t.Context(), "team", op, 1, 1); err != nil {
			t.Fatal(err)
		}
		if err := l.Commit(t.Context(), "team", op, 1); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, size(t, dir))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "credits"))
	if err != nil {
		t.Fatal(err)
	}
	for cut := ends[0]; cut <= ends[5]; cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "credits"), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := account.OpenLedger(t.Context(), dir, nil)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		b, err := l.Balance(t.Context(), "team")
		least := 0
		for i, end := range ends {
			if end <= cut {
				least = i
			}
		}
		if err != nil || b.Spent < least || b.Spent > min(least+1, 5) { // a sync mark ends each size
			t.Errorf("cut at %d: %d spent of %d, %v", cut, b.Spent, least, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func size(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "credits"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestLedgerDamage damages each part of a file in turn. At most the damaged entry may be lost,
// and a lost one is reported.
func TestLedgerDamage(t *testing.T) {
	dir := t.TempDir()
	l, err := account.OpenLedger(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := size(t, dir)
	const ops = 5
	for i := range ops {
		op := fmt.Sprint("op", i)
		if _, err := l.Reserve(t.Context(), "team", op, 1, 1); err != nil {
			t.Fatal(err)
		}
		if err := l.Commit(t.Context(), "team", op, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "credits"))
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for at := begin; at < int64(len(whole)); at += 3 {
		dir, damaged := t.TempDir(), bytes.Clone(whole)
		damaged[at] ^= 0xff
		if err := os.WriteFile(filepath.Join(dir, "credits"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, again := range []bool{false, true} {
			l, err := account.OpenLedger(t.Context(), dir, nil)
			if err != nil {
				t.Fatalf("damage at %d: %v", at, err)
			}
			b, err := l.Balance(t.Context(), "team")
			if err != nil || b.Spent < ops-1 || b.Spent < ops && !again && l.Damage() == nil || again && l.Damage() != nil {
				t.Errorf("damage at %d: %d spent, %v, damage %v", at, b.Spent, err, l.Damage())
			}
			lost += ops - b.Spent
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if lost == 0 {
		t.Error("no entry was damaged")
	}
}
