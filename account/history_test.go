// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/account"
)

// spend commits credits of a team.
func spend(t *testing.T, l *account.Ledger, team, op string, n int) {
	t.Helper()
	if _, err := l.Reserve(t.Context(), team, op, n, n); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), team, op, n); err != nil {
		t.Fatal(err)
	}
}

// TestHistory checks that credits are counted in the month in which they are committed, and
// that the months survive restarts, also after their single entries are summed up.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { // time begins at 2000-01-01
		open := func() *account.Ledger {
			l, err := account.OpenLedger(t.Context(), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		l := open()
		spend(t, l, "us", "a", 3)
		spend(t, l, "us", "b", 4)
		spend(t, l, "them", "c", 9)
		time.Sleep(31*24*time.Hour - time.Second) // the last second of January
		spend(t, l, "us", "d", 1)
		time.Sleep(time.Second)
		spend(t, l, "us", "e", 5)
		at := func(m time.Month) time.Time { return time.Date(2000, m, 1, 0, 0, 0, 0, time.UTC) }
		want := []account.Period{{Start: at(1), End: at(2), Spent: 8}, {Start: at(2), End: at(3), Spent: 5}}
		for i := range 4 {
			got, err := l.History(t.Context(), "us")
			if err != nil || cmp.Diff(want, got) != "" {
				t.Fatalf("after %d restarts: %v\n%s", i, err, cmp.Diff(want, got))
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * 24 * time.Hour) // entries older than a week are summed up
			l = open()
		}
		if b, err := l.Balance(t.Context(), "us"); err != nil || b.Spent != 13 {
			t.Errorf("%+v, %v", b, err)
		}
		if got, err := l.History(t.Context(), "nobody"); err != nil || got != nil {
			t.Errorf("of a team without work: %v, %v", got, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
