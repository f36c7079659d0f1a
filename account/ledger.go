// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"example.com/curlew/internal/journal"
)

// Ledger implements [Credits] in memory. A ledger from [OpenLedger] also stores the
// spent credits in a file. The zero value counts credits but does not limit them.
type Ledger struct {
	Plan map[string]int // credits by team; a missing team or [Unlimited] has no limit

	log  *journal.Log        // nil means in memory only
	root *os.Root            // the directory of log
	done map[string]struct{} // ops that were committed before this process started

	damage error // of the file that was read, or nil

	mu     sync.Mutex
	spent  map[string]int            // guarded by mu; by team
	months map[string]map[int64]int  // guarded by mu; spent, by team and month
	held   map[string]map[string]int // guarded by mu; by team and op
}

// entry is one record of the file: what a team has spent on an op. An empty op
// is the sum of all earlier ones of the month of At; zero is an unknown month.
type entry struct {
	Team  string `json:"t"`
	Op    string `json:"o,omitempty"`
	Spent int    `json:"n"`
	At    int64  `json:"a,omitempty"` // in Unix seconds
}

// month returns the month of the entry; zero if it is unknown.
func (e *entry) month() int64 {
	if e.At == 0 {
		return 0
	}
	return month(time.Unix(e.At, 0))
}

// opLife is how long the file remembers an op. A job that continues after a
// restart may commit its op a second time.
const opLife = 7 * 24 * time.Hour

const (
	ledgerName  = "credits"
	ledgerNew   = "credits.new"
	entryRecord = 1 // first byte of a record
)

// OpenLedger opens the ledger in dir and creates the directory if it is
// missing. Only one process may use it at a time. After Commit has returned,
// its effect survives a power failure. Reservations are not stored, so a job
// that continues after a restart must reserve again. Errors come from the file
// system or the journal. A file of which a part is damaged is no error, see
// [Ledger.Damage].
func OpenLedger(ctx context.Context, dir string, plan map[string]int) (*Ledger, error) {
	l := &Ledger{Plan: plan, done: map[string]struct{}{}, spent: map[string]int{}}
	if err := l.open(ctx, dir); err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return l, nil
}

// open reads the file and then writes a new one with its sums, so the file does
// not grow beyond the records of its last days.
func (l *Ledger) open(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	d := journal.Dir{Root: root}
	if err = l.renew(ctx, d); err == nil {
		l.log, err = journal.Open(d, ledgerName)
	}
	if err != nil {
		return errors.Join(err, root.Close())
	}
	l.root = root // the log opens its file again when a full disk has space again
	return nil
}

// renew replaces the file by one with its sums.
func (l *Ledger) renew(ctx context.Context, d journal.Dir) error {
	recent, err := l.read(d)
	if err != nil {
		return err
	}
	if err := d.Remove(ledgerNew); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	log, err := journal.Create(d, ledgerNew, journal.Header{Created: time.Now()})
	if err != nil {
		return err
	}
	if err := errors.Join(l.rewrite(ctx, log, recent), log.Close()); err != nil {
		return err
	}
	if err := d.Rename(ledgerNew, ledgerName); err != nil {
		return err
	}
	return d.SyncDir(".")
}

// read adds up the file, and returns the entries that are younger than opLife. It also reads
// those behind damage.
func (l *Ledger) read(d journal.Dir) ([]entry, error) {
	since := time.Now().Add(-opLife).Unix()
	var recent []entry
	all, err := journal.Salvage(d, ledgerName, func(_ int64, head []byte, _ bool) error {
		var e entry
		if err := json.Unmarshal(head[1:], &e); err != nil {
			return fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
		}
		l.count(e.Team, e.month(), e.Spent)
		if e.Op != "" && e.At >= since {
			recent = append(recent, e)
			l.done[e.Op] = struct{}{}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := all.Close(); err != nil {
		return nil, err
	}
	old, err := journal.Open(d, ledgerName) // which says whether something is lost that had been stored
	if errors.Is(err, journal.ErrCorrupt) {
		l.damage = err
		return recent, nil
	}
	if err != nil {
		return nil, err
	}
	if _, lost := old.Cut(); lost {
		l.damage = journal.ErrCorrupt
	}
	return recent, old.Close()
}

// Damage returns an error if the file was damaged when [OpenLedger] read it. What some ops
// have spent is then lost. All entries that could be read count.
func (l *Ledger) Damage() error { return l.damage }

// rewrite starts a new file with a sum for each team and month, and the entries of recent.
func (l *Ledger) rewrite(ctx context.Context, log *journal.Log, recent []entry) error {
	sums := make(map[string]map[int64]int, len(l.months))
	for team, months := range l.months {
		sums[team] = maps.Clone(months)
	}
	for _, e := range recent {
		sums[e.Team][e.month()] -= e.Spent
	}
	for team, months := range sums {
		for at, n := range months {
			if err := write(log, entry{Team: team, Spent: n, At: at}); err != nil {
				return err
			}
		}
	}
	for _, e := range recent {
		if err := write(log, e); err != nil {
			return err
		}
	}
	return log.Sync(ctx)
}

func write(log *journal.Log, e entry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = log.Append(append([]byte{entryRecord}, raw...), nil)
	return err
}

// Close closes the file of the ledger, if it has one.
func (l *Ledger) Close() error {
	if l.log == nil {
		return nil
	}
	return errors.Join(l.log.Close(), l.root.Close())
}

// plan returns the credits of team, or [Unlimited].
func (l *Ledger) plan(team string) int {
	switch plan, ok := l.Plan[team]; {
	case !ok || plan == Unlimited:
		return Unlimited
	default:
		return max(0, plan)
	}
}

// left returns what team can still reserve; -1 means unlimited. The caller
// holds mu.
func (l *Ledger) left(team string) int {
	plan := l.plan(team)
	if plan == Unlimited {
		return Unlimited
	}
	left := plan - l.spent[team]
	for _, n := range l.held[team] {
		left -= n
	}
	return max(0, left)
}

// Reserve implements [Credits].
func (l *Ledger) Reserve(_ context.Context, team, op string, least, want int) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.held[team][op]; ok {
		return n, nil
	}
	if left := l.left(team); left >= 0 {
		want = min(want, left)
	}
	if want < least {
		return 0, ErrPayment
	}
	if l.held == nil {
		l.held = map[string]map[string]int{}
	}
	if l.held[team] == nil {
		l.held[team] = map[string]int{}
	}
	l.held[team][op] = want
	return want, nil
}

// Commit implements [Credits].
func (l *Ledger) Commit(ctx context.Context, team, op string, spent int) error {
	if err := l.commit(team, op, spent); err != nil {
		return err
	}
	if l.log == nil {
		return nil
	}
	return l.log.Sync(ctx)
}

func (l *Ledger) commit(team, op string, spent int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.held[team][op]
	if !ok {
		return nil
	}
	spent = min(spent, n)
	_, before := l.done[op]
	if l.log != nil && !before {
		if err := write(l.log, entry{Team: team, Op: op, Spent: spent, At: time.Now().Unix()}); err != nil {
			return err
		}
	}
	l.drop(team, op)
	if before {
		return nil
	}
	l.count(team, month(time.Now()), spent)
	return nil
}

// drop deletes a reservation. The caller holds mu.
func (l *Ledger) drop(team, op string) {
	delete(l.held[team], op)
	if len(l.held[team]) == 0 {
		delete(l.held, team)
	}
}

// Release implements [Credits].
func (l *Ledger) Release(_ context.Context, team, op string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(team, op)
	return nil
}

// Totals returns the spent and the reserved credits of all teams, for metrics.
func (l *Ledger) Totals(context.Context) (spent, reserved int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.spent {
		spent += n
	}
	for _, ops := range l.held {
		for _, n := range ops {
			reserved += n
		}
	}
	return spent, reserved, nil
}

// Balance implements [Credits]. Reserved credits do not count as left.
func (l *Ledger) Balance(_ context.Context, team string) (Balance, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Balance{Left: l.left(team), Plan: l.plan(team), Spent: l.spent[team]}, nil
}
