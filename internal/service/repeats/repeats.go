// SPDX-License-Identifier: Apache-2.0

// Package repeats makes starts of jobs repeatable by their idempotency keys: key ->
// first start.
package repeats

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"
)

// Life is how long a key is remembered.
const Life = 24 * time.Hour

// What remembered keys may take, in bytes: of one team, and of all teams. No key is
// forgotten early to make room, because its request would then be done twice.
// Starts with new keys are refused instead.
const (
	maxOfTeam  = 32 << 20
	maxAll     = 256 << 20
	startBytes = 512 // of one start, besides its texts
)

// ErrConflict means that the key was used for another request.
var ErrConflict = errors.New("idempotency key used already")

// FullError refuses a new key, because there is no room for it.
type FullError struct{ Wait time.Duration } // until there is room again

// Error says what is full.
func (e *FullError) Error() string { return "too many idempotency keys are kept" }

// ID names a start: there is at most one job for it.
type ID struct{ Team, Kind, Key string }

// Start is what is remembered of a start.
type Start struct {
	Fingerprint [sha256.Size]byte // of the request
	Answer      []byte            // of the front end
	Job         string            // its ID
	Refused     []string          // URLs that were refused
	At          time.Time         // when it began
}

// Stored is a start that is read from a stored job.
type Stored struct {
	ID
	Start
}

// Repeats remembers the starts of all teams. At any time there is at most one job for an
// [ID]. After a restart the starts are read from the stored jobs. The exported fields
// must not be changed after the first use.
type Repeats struct {
	// Stored yields the starts of a team's stored jobs that have a key and are younger
	// than [Life], the newest first. An error ends the list.
	Stored func(ctx context.Context, team string) iter.Seq2[Stored, error]

	MostOfTeam, Most int64 // bytes that are kept; zero means 32 and 256 MiB

	mu     sync.Mutex
	kept   map[ID]*kept          // guarded by mu
	oldest []ID                  // guarded by mu; the keys of kept by age
	used   map[string]int64      // guarded by mu; bytes of kept by team
	total  int64                 // guarded by mu; bytes of kept
	read   map[string]chan error // guarded by mu; by team: holds the outcome of reading its jobs
}

// kept is one start. It is under way until done is closed.
type kept struct {
	Start
	done chan struct{}
}

// Once calls begin, unless there was a start with this ID before. Then it returns what is
// remembered of that start. If it is still under way, Once waits for it. Begin fills in
// Job, Refused and Answer. A start that fails, or without a Job, leaves its key free. The
// result is nil if Once has called begin. If there was a start with another fingerprint,
// Once returns [ErrConflict]; if there is no room for the key, a [*FullError].
func (r *Repeats) Once(ctx context.Context, id ID, fingerprint [sha256.Size]byte, begin func(*Start) error) (*Start, error) {
	if err := r.recall(ctx, id.Team); err != nil {
		return nil, err
	}
	for {
		s, mine, err := r.enter(id, fingerprint)
		if err != nil {
			return nil, err
		}
		if mine {
			return nil, r.run(id, s, begin)
		}
		if s.Fingerprint != fingerprint {
			return nil, ErrConflict
		}
		select {
		case <-s.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if s.Job != "" {
			return &s.Start, nil
		}
	}
}

// Used returns how many bytes are counted for how many starts.
func (r *Repeats) Used() (bytes int64, starts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total, len(r.kept)
}

// recall reads the keys of a team's stored jobs, once in the life of the process.
func (r *Repeats) recall(ctx context.Context, team string) error {
	r.mu.Lock()
	read, later := r.read[team]
	if !later {
		read = make(chan error, 1)
		if r.read == nil {
			r.read = map[string]chan error{}
		}
		r.read[team] = read
	}
	r.mu.Unlock()
	if later {
		select {
		case err := <-read:
			read <- err // for the next caller
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := r.recallJobs(ctx, team)
	if err != nil {
		r.mu.Lock()
		delete(r.read, team)
		r.mu.Unlock()
	}
	read <- err
	return err
}

func (r *Repeats) recallJobs(ctx context.Context, team string) error {
	for s, err := range r.Stored(ctx, team) {
		if err != nil {
			return err
		}
		r.remember(s.ID, s.Start)
	}
	return nil
}

// remember keeps what was read from a job, unless the key is known already.
func (r *Repeats) remember(id ID, start Start) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[id] != nil {
		return
	}
	s := &kept{start, make(chan struct{})}
	close(s.done)
	at, _ := slices.BinarySearchFunc(r.oldest, s.At, func(k ID, t time.Time) int { return r.kept[k].At.Compare(t) })
	r.put(id, s, at)
}

// put keeps s as the start with this place by age. The caller holds mu.
func (r *Repeats) put(id ID, s *kept, at int) {
	if r.kept == nil {
		r.kept = map[ID]*kept{}
	}
	r.kept[id] = s
	r.oldest = slices.Insert(r.oldest, at, id)
	r.count(id, s.size(id))
}

// size returns the bytes that are counted for a start.
func (s *kept) size(id ID) int64 {
	n := startBytes + len(id.Key) + len(s.Answer)
	for _, url := range s.Refused {
		n += len(url)
	}
	return int64(n)
}

// count adds n bytes to what is kept for the team of id. The caller holds mu.
func (r *Repeats) count(id ID, n int64) {
	if r.used == nil {
		r.used = map[string]int64{}
	}
	r.total += n
	if r.used[id.Team] += n; r.used[id.Team] == 0 {
		delete(r.used, id.Team)
	}
}

// full refuses a new key if the team of id, or all teams together, have no room for
// it. The refusal says when the next key is forgotten. The caller holds mu.
func (r *Repeats) full(id ID) error {
	all := r.total >= cmp.Or(r.Most, maxAll)
	if !all && r.used[id.Team] < cmp.Or(r.MostOfTeam, maxOfTeam) {
		return nil
	}
	for _, k := range r.oldest {
		if all || k.Team == id.Team {
			return &FullError{time.Until(r.kept[k].At.Add(Life))}
		}
	}
	return nil // cannot happen: what is counted is in the list
}

// enter returns what is kept under id. If nothing is, it makes an entry for the
// caller, who then has to run it; mine is true. It fails if there is no room for a
// new entry.
func (r *Repeats) enter(id ID, fingerprint [sha256.Size]byte) (s *kept, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if s := r.kept[id]; s != nil {
		return s, false, nil
	}
	if err := r.full(id); err != nil {
		return nil, false, err
	}
	s = &kept{Start{Fingerprint: fingerprint, At: time.Now()}, make(chan struct{})}
	r.put(id, s, len(r.oldest))
	return s, true, nil
}

// expire forgets keys that are older than Life. The caller holds mu.
func (r *Repeats) expire() {
	for len(r.oldest) > 0 {
		id := r.oldest[0]
		s := r.kept[id]
		if time.Since(s.At) < Life {
			return
		}
		delete(r.kept, id)
		r.count(id, -s.size(id))
		r.oldest = r.oldest[1:]
	}
}

// run calls begin. If that fails, the key is free again.
func (r *Repeats) run(id ID, s *kept, begin func(*Start) error) (err error) {
	begun := Start{Fingerprint: s.Fingerprint, At: s.At}
	done := false
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		defer close(s.done)
		listed := r.kept[id] == s // false after a day: it is forgotten already
		if listed {
			r.count(id, -s.size(id))
		}
		if done && err == nil {
			s.Job, s.Refused, s.Answer = begun.Job, begun.Refused, begun.Answer // the rest is read without mu
		}
		switch {
		case !listed:
		case s.Job != "":
			r.count(id, s.size(id))
		default:
			delete(r.kept, id)
			// It is near the end: only starts that began meanwhile come after it.
			for i, k := range slices.Backward(r.oldest) {
				if k == id {
					r.oldest = slices.Delete(r.oldest, i, i+1)
					break
				}
			}
		}
	}()
	err = begin(&begun)
	done = true // it did not panic
	return err
}
