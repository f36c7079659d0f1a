// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Period is a calendar month in UTC and what a team has spent in it.
type Period struct {
	Start, End time.Time // End is the start of the next month
	Spent      int       // credits
}

// History is an optional interface of [Credits] that also counts by month.
type History interface {
	// History returns the months in which the team has spent credits, the oldest
	// first.
	History(ctx context.Context, team string) ([]Period, error)
}

// month returns the first second of the month of t in UTC, as Unix seconds.
func month(t time.Time) int64 {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).Unix()
}

// History implements [History]. Credits that a file of an earlier version counts without
// a month have the zero Start and End.
func (l *Ledger) History(_ context.Context, team string) ([]Period, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Period
	for _, at := range slices.Sorted(maps.Keys(l.months[team])) {
		p := Period{Spent: l.months[team][at]}
		if at != 0 {
			p.Start = time.Unix(at, 0).UTC()
			p.End = p.Start.AddDate(0, 1, 0)
		}
		if p.Spent > 0 {
			all = append(all, p)
		}
	}
	return all, nil
}

// count adds spent credits of a team to a month; zero is an unknown one. The caller holds
// mu, or is the only one that uses l.
func (l *Ledger) count(team string, month int64, spent int) {
	if l.spent == nil {
		l.spent = map[string]int{}
	}
	if l.months == nil {
		l.months = map[string]map[int64]int{}
	}
	if l.months[team] == nil {
		l.months[team] = map[int64]int{}
	}
	l.spent[team] += spent
	l.months[team][month] += spent
}
