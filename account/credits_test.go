// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"errors"
	"sync"
	"testing"

	"example.com/curlew/account"
)

func TestLedger(t *testing.T) {
	ctx := t.Context()
	l := &account.Ledger{Plan: map[string]int{"a": 10, "owes": -5, "free": account.Unlimited}}
	reserve := func(team, op string, least, want, got int, err error) {
		t.Helper()
		if n, e := l.Reserve(ctx, team, op, least, want); n != got || !errors.Is(e, err) {
			t.Errorf("Reserve(%s, %s, %d, %d) = %d, %v, want %d, %v", team, op, least, want, n, e, got, err)
		}
	}
	balance := func(team string, want account.Balance) {
		t.Helper()
		if b, err := l.Balance(ctx, team); b != want || err != nil {
			t.Errorf("Balance(%s) = %+v, %v, want %+v", team, b, err, want)
		}
	}
	reserve("a", "1", 1, 4, 4, nil)
	reserve("a", "1", 1, 9, 4, nil) // the op already has a reservation
	reserve("a", "2", 1, 9, 6, nil) // all that is left
	reserve("a", "3", 1, 1, 0, account.ErrPayment)
	balance("a", account.Balance{Left: 0, Plan: 10})
	for range 2 { // the second call does nothing
		if err := l.Commit(ctx, "a", "1", 3); err != nil {
			t.Error(err)
		}
		if err := l.Release(ctx, "a", "2"); err != nil {
			t.Error(err)
		}
	}
	balance("a", account.Balance{Left: 7, Plan: 10, Spent: 3})
	reserve("a", "4", 1, 2, 2, nil)
	if err := l.Commit(ctx, "a", "4", 99); err != nil { // never more than the reservation
		t.Error(err)
	}
	balance("a", account.Balance{Left: 5, Plan: 10, Spent: 5})

	reserve("b", "1", 1, 1_000_000, 1_000_000, nil)
	if err := l.Commit(ctx, "b", "1", 12); err != nil {
		t.Error(err)
	}
	balance("b", account.Balance{Left: account.Unlimited, Plan: account.Unlimited, Spent: 12})
	balance("owes", account.Balance{})
	balance("free", account.Balance{Left: account.Unlimited, Plan: account.Unlimited})
	reserve("owes", "1", 1, 1, 0, account.ErrPayment)
}

func TestLedgerRace(t *testing.T) {
	ctx := t.Context()
	l := &account.Ledger{Plan: map[string]int{"a": 100}}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			op := string(rune('A' + i))
			if n, err := l.Reserve(ctx, "a", op, 1, 5); err == nil {
				_ = l.Commit(ctx, "a", op, n)
			}
		})
	}
	wg.Wait()
	if b, _ := l.Balance(ctx, "a"); b.Spent != 100 || b.Left != 0 {
		t.Errorf("%+v", b)
	}
}
