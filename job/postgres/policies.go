// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/account"
)

// Policies implements [account.ThreatPolicies] in the database of a [Store]. A policy
// applies at once in the process that has set it, and in others within a second.
type Policies struct {
	store *Store
	known memory[string, *account.ThreatPolicy] // nil if a team has set none
}

// Policies returns the threat policies in the database.
func (s *Store) Policies() *Policies { return s.teams.policies }

// ThreatPolicy implements [account.ThreatPolicies].
func (p *Policies) ThreatPolicy(ctx context.Context, team string) (account.ThreatPolicy, bool, error) {
	if err := p.store.check(ctx); err != nil {
		return account.ThreatPolicy{}, false, wrap("", err)
	}
	team = text(team)
	set, err := p.known.get(ctx, team, func(ctx context.Context) (set *account.ThreatPolicy, _ time.Duration, err error) {
		err = again(ctx, p.store.pool, func() error {
			return p.store.pool.QueryRow(ctx, `select policy from curlew.threat_policy where team = $1`, team).Scan(&set)
		})
		if errors.Is(err, pgx.ErrNoRows) {
			set, err = nil, nil
		}
		return set, remember, storage(err)
	})
	if err != nil || set == nil {
		return account.ThreatPolicy{}, false, wrap("", err)
	}
	return *set, true, nil
}

// SetThreatPolicy implements [account.ThreatPolicies].
func (p *Policies) SetThreatPolicy(ctx context.Context, team string, set account.ThreatPolicy) error {
	if err := p.store.check(ctx); err != nil {
		return wrap("", err)
	}
	team = text(team)
	_, err := p.store.pool.Exec(ctx, `insert into curlew.threat_policy (team, policy) values ($1, $2)
		on conflict (team) do update set policy = excluded.policy`, team, set)
	p.known.forget(team) // also after an error, because it may have been written
	return wrap("", storage(err))
}
