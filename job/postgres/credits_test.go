// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/curlew/account"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// testLedger does the same random operations with a ledger in memory and with
// those of two processes.
func testLedger(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	plan := map[string]int{"a": 60, "b": account.Unlimited, "c": 0}
	model := &account.Ledger{Plan: plan}
	ledgers := []*postgres.Ledger{open(t, url, nil).Ledger(plan), open(t, url, nil).Ledger(plan)}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	ctx := t.Context()
	committed := map[string]bool{}
	for step := range 600 {
		l := ledgers[r.IntN(2)]
		team := []string{"a", "b", "c", "d"}[r.IntN(4)]
		op := fmt.Sprint("op", step-r.IntN(10))
		var got, want any
		var err, wantErr error
		switch r.IntN(5) {
		case 0, 1:
			least, most := r.IntN(4), 3+r.IntN(5)
			if committed[team+op] { // the one in memory forgets operations at once
				continue
			}
			got, err = l.Reserve(ctx, team, op, least, most)
			want, wantErr = model.Reserve(ctx, team, op, least, most)
		case 2:
			n := r.IntN(5)
			committed[team+op] = true
			err, wantErr = l.Commit(ctx, team, op, n), model.Commit(ctx, team, op, n)
		case 3:
			err, wantErr = l.Release(ctx, team, op), model.Release(ctx, team, op)
		default:
			got, err = l.Balance(ctx, team)
			want, wantErr = model.Balance(ctx, team)
		}
		if !reflect.DeepEqual(got, want) || !errors.Is(err, wantErr) {
			t.Fatalf("seed %d, step %d: %v, %v; want %v, %v", seed, step, got, err, want, wantErr)
		}
	}
	for _, team := range []string{"a", "b", "c", "d"} {
		got, err := ledgers[0].History(ctx, team)
		want, _ := model.History(ctx, team)
		if err != nil || len(got) != len(want) || len(got) == 1 && got[0].Spent != want[0].Spent {
			t.Errorf("History of %s: %v, %v; want %v", team, got, err, want)
		}
	}
}

// testLedgerRace spends the credits of a team from two processes at once.
func testLedgerRace(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	plan := map[string]int{"a": 100}
	ledgers := []*postgres.Ledger{open(t, url, nil).Ledger(plan), open(t, url, nil).Ledger(plan)}
	var spent atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			l := ledgers[i%2]
			for k := 0; ; k++ {
				op := fmt.Sprint(i, ".", k)
				n, err := l.Reserve(t.Context(), "a", op, 1, 3)
				if errors.Is(err, account.ErrPayment) {
					return
				}
				if err != nil {
					t.Errorf("Reserve: %v", err)
					return
				}
				for range 2 { // the second has no effect
					if err := l.Commit(t.Context(), "a", op, n); err != nil {
						t.Errorf("Commit: %v", err)
					}
				}
				spent.Add(int64(n))
			}
		})
	}
	all.Wait()
	if _, err := ledgers[1].Reserve(t.Context(), "b", "op", 1, 7); err != nil {
		t.Error(err)
	}
	if n, reserved, err := ledgers[0].Totals(t.Context()); n != 100 || reserved != 7 || err != nil {
		t.Errorf("Totals: %d, %d, %v; want 100 and 7", n, reserved, err)
	}
	b, err := ledgers[0].Balance(t.Context(), "a")
	if err != nil || b.Spent != 100 || b.Left != 0 || spent.Load() != 100 {
		t.Errorf("%d spent, %+v, %v; want 100", spent.Load(), b, err)
	}
}

// testLedgerDead releases what a dead process has reserved, but not what another
// one continues.
func testLedgerDead(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	plan := map[string]int{"a": 10}
	dead, st := open(t, url, nil), open(t, url, nil)
	for _, op := range []string{"lost", "continued"} {
		if _, err := dead.Ledger(plan).Reserve(t.Context(), "a", op, 1, 4); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Exec(t, url, `update curlew.reservation set at = now() - interval '2 hours', process = gen_random_uuid()`)
	if n, err := st.Ledger(plan).Reserve(t.Context(), "a", "continued", 0, 1); n != 4 || err != nil {
		t.Errorf("Reserve of a continued operation: %d, %v; want the 4 that it has", n, err)
	}
	if err := postgres.Sweep(st, t.Context()); err != nil {
		t.Fatal(err)
	}
	if b, err := st.Ledger(plan).Balance(t.Context(), "a"); err != nil || b.Left != 6 {
		t.Errorf("Balance: %+v, %v; want 6 credits left", b, err)
	}
}
