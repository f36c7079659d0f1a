// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/account"
)

// Ledger implements [account.Credits] and [account.History] in the database of a
// [Store], for all processes that share it. Create one with [Store.Ledger]. A
// reservation is stored, too. If the process that made it has been dead for an
// hour and no other one continues its work, the reservation is released.
type Ledger struct {
	store *Store
	plan  map[string]int
}

// Ledger returns the credits in the database. plan has the credits of each team;
// a missing team or [account.Unlimited] has no limit. All processes must have the
// same plans.
func (s *Store) Ledger(plan map[string]int) *Ledger { return &Ledger{s, plan} }

// of returns the credits of a team's plan, or [account.Unlimited].
func (l *Ledger) of(team string) int {
	switch plan, ok := l.plan[team]; {
	case !ok || plan == account.Unlimited:
		return account.Unlimited
	default:
		return max(0, plan)
	}
}

// left returns what a team can still reserve, or [account.Unlimited].
func (l *Ledger) left(team string, spent, held int) int {
	plan := l.of(team)
	if plan == account.Unlimited {
		return account.Unlimited
	}
	return max(0, plan-spent-held)
}

// change calls do in a transaction that has locked the row of a team. Everything
// that do reads was committed before.
func (l *Ledger) change(ctx context.Context, team string, do func(tx pgx.Tx, spent, held int) error) error {
	if err := l.store.check(ctx); err != nil {
		return wrap("", err)
	}
	var refused error
	err := pgx.BeginFunc(ctx, l.store.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into curlew.balance (team) values ($1) on conflict (team) do nothing`, team); err != nil {
			return err
		}
		var spent, held int
		if err := tx.QueryRow(ctx, `select spent, held from curlew.balance where team = $1 for update`, team).Scan(&spent, &held); err != nil {
			return err
		}
		err := do(tx, spent, held)
		if errors.Is(err, account.ErrPayment) {
			refused = err
		}
		return err
	})
	if refused != nil {
		return refused
	}
	return wrap("", storage(err))
}

// Reserve implements [account.Credits].
func (l *Ledger) Reserve(ctx context.Context, team, op string, least, want int) (n int, err error) {
	team, op = text(team), text(op)
	err = l.change(ctx, team, func(tx pgx.Tx, spent, held int) error {
		err := tx.QueryRow(ctx, `update curlew.reservation set process = $3, at = now() where team = $1 and op = $2 returning n`, team, op, l.store.self).Scan(&n)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		n = want
		if left := l.left(team, spent, held); left >= 0 {
			n = min(n, left)
		}
		if n < least {
			return account.ErrPayment
		}
		if _, err := tx.Exec(ctx, `insert into curlew.reservation (team, op, n, process) values ($1, $2, $3, $4)`, team, op, n, l.store.self); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update curlew.balance set held = held + $2 where team = $1`, team, n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Commit implements [account.Credits].
func (l *Ledger) Commit(ctx context.Context, team, op string, spent int) error {
	team, op = text(team), text(op)
	return l.change(ctx, team, func(tx pgx.Tx, _, _ int) error {
		held, err := drop(ctx, tx, team, op)
		if err != nil || held < 0 {
			return err
		}
		first, err := tx.Exec(ctx, `insert into curlew.operation (team, op) values ($1, $2) on conflict do nothing`, team, op)
		if err != nil || first.RowsAffected() == 0 {
			return err
		}
		spent = min(spent, held)
		if _, err := tx.Exec(ctx, `update curlew.balance set spent = spent + $2 where team = $1`, team, spent); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into curlew.spent as s (team, month, n) values ($1, date_trunc('month', now() at time zone 'UTC')::date, $2)
			on conflict (team, month) do update set n = s.n + excluded.n`, team, spent)
		return err
	})
}

// Release implements [account.Credits].
func (l *Ledger) Release(ctx context.Context, team, op string) error {
	team, op = text(team), text(op)
	return l.change(ctx, team, func(tx pgx.Tx, _, _ int) error {
		_, err := drop(ctx, tx, team, op)
		return err
	})
}

// drop removes a reservation and returns how many credits it had. If there is
// none, n is negative.
func drop(ctx context.Context, tx pgx.Tx, team, op string) (n int, err error) {
	err = tx.QueryRow(ctx, `with r as (delete from curlew.reservation where team = $1 and op = $2 returning n)
		update curlew.balance b set held = held - r.n from r where b.team = $1 returning r.n`, team, op).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return -1, nil
	}
	return n, err
}

// Balance implements [account.Credits]. Reserved credits do not count as left.
func (l *Ledger) Balance(ctx context.Context, team string) (account.Balance, error) {
	if err := l.store.check(ctx); err != nil {
		return account.Balance{}, wrap("", err)
	}
	team = text(team)
	var spent, held int
	err := l.store.pool.QueryRow(ctx, `select spent, held from curlew.balance where team = $1`, team).Scan(&spent, &held)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return account.Balance{}, wrap("", storage(err))
	}
	return account.Balance{Left: l.left(team, spent, held), Plan: l.of(team), Spent: spent}, nil
}

// Totals returns the spent and the reserved credits of all teams, for metrics.
func (l *Ledger) Totals(ctx context.Context) (spent, reserved int, err error) {
	if err := l.store.check(ctx); err != nil {
		return 0, 0, wrap("", err)
	}
	err = l.store.pool.QueryRow(ctx, `select coalesce(sum(spent), 0)::bigint, coalesce(sum(held), 0)::bigint from curlew.balance`).Scan(&spent, &reserved)
	return spent, reserved, wrap("", storage(err))
}

// History implements [account.History].
func (l *Ledger) History(ctx context.Context, team string) ([]account.Period, error) {
	if err := l.store.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	rows, err := l.store.pool.Query(ctx, `select month, n from curlew.spent where team = $1 and n > 0 order by month`, text(team))
	if err != nil {
		return nil, wrap("", storage(err))
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p account.Period, err error) {
		var month time.Time
		err = row.Scan(&month, &p.Spent)
		p.Start = time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
		p.End = p.Start.AddDate(0, 1, 0)
		return p, err
	})
	return list, wrap("", storage(err))
}

// sweepCredits releases the reservations of processes that have been dead for a
// while, and forgets old operations.
func (s *Store) sweepCredits(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, `delete from curlew.operation where at < now() - interval '7 days'`); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `select team, op from curlew.reservation r where at < now() - interval '1 hour'
		and not exists (select from curlew.process p where p.id = r.process) limit 1000`)
	if err != nil {
		return err
	}
	type key struct{ Team, Op string }
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
	if err != nil {
		return err
	}
	l := s.Ledger(nil)
	for _, k := range list {
		err := l.change(ctx, k.Team, func(tx pgx.Tx, _, _ int) error {
			var dead bool // false if a process has continued the work meanwhile
			err := tx.QueryRow(ctx, `select exists (select from curlew.reservation where team = $1 and op = $2 and at < now() - interval '1 hour')`, k.Team, k.Op).Scan(&dead)
			if err == nil && dead {
				_, err = drop(ctx, tx, k.Team, k.Op)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
