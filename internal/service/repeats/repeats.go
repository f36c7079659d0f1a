// SPDX-License-Identifier: Apache-2.0

// Package repeats makes the start of a job repeatable by an idempotency key.
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

	"example.com/curlew/job"
)

// Life is how long a key is remembered.
const Life = 24 * time.Hour

// Limits for the memory of keys, in bytes, for one team and for all teams. No
// key is forgotten early, because a repeated request would then start a second
// job. Starts with new keys are refused instead.
const (
	maxOfTeam  = 32 << 20
	maxAll     = 256 << 20
	startBytes = 512 // overhead of one start besides its texts
)

// ErrConflict means that the key was used for another request.
var ErrConflict = errors.New("idempotency key used already")

// FullError means that there is no memory for a new key.
type FullError struct{ Wait time.Duration } // until there is memory again

// Error names the full resource.
func (e *FullError) Error() string { return "too many idempotency keys are kept" }

// ID identifies a start. There is at most one job for an ID.
type ID struct{ Team, Kind, Key string }

// ValidKey reports whether a key has 1 to 255 characters, all of them visible ASCII.
func ValidKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= 255
}

// Start is the record of a start.
type Start struct {
	Fingerprint [sha256.Size]byte // of the request
	Answer      []byte            // answer of the front end
	Job         string            // ID of the job
	Refused     []string          // URLs that were refused
	At          time.Time         // when it began
}

// Stored is a start that was read from a stored job.
type Stored struct {
	ID
	Start
}

// Repeats records the starts of all teams. At any time there is at most one job
// for an [ID]. After a restart, starts are read from the stored jobs. The
// exported fields must not be changed after the first use.
type Repeats struct {
	// Stored yields the starts of a team's stored jobs that have a key and are
	// younger than [Life], newest first. An error ends the list.
	Stored func(ctx context.Context, team string) iter.Seq2[Stored, error]

	// Key returns the key with which another process has started a job, or nil if there is
	// none. If Key is nil, there are no other processes.
	Key func(ctx context.Context, id ID) (*job.Key, error)

	MostOfTeam, Most int64 // limits in bytes; zero means 32 and 256 MiB

	mu     sync.Mutex
	kept   map[ID]*kept          // guarded by mu
	oldest []ID                  // guarded by mu; the keys of kept, oldest first
	used   map[string]int64      // guarded by mu; bytes of kept by team
	total  int64                 // guarded by mu; bytes of kept
	read   map[string]chan error // guarded by mu; by team; contains the result of reading its jobs
}

// kept is one start. It is in progress until done is closed.
type kept struct {
	Start
	done chan struct{}
}

// Once calls begin, unless there was a start with this ID before, in this process or in
// another one. In that case it returns the record of that start, and waits for it if it is
// in progress in this process. A [job.KeyError] of begin means that another process came first.
// begin sets Job, Refused and Answer. A start that fails or has no Job frees
// its key. If Once has called begin, the result is nil. If the earlier start
// has another fingerprint, Once returns [ErrConflict]. If there is no memory
// for the key, it returns a [*FullError].
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
			return r.first(ctx, id, s, begin)
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

// first calls begin, unless another process has used the key. Then it returns the record of
// that start.
func (r *Repeats) first(ctx context.Context, id ID, s *kept, begin func(*Start) error) (*Start, error) {
	err := r.run(id, s, func(own *Start) error {
		// Ask before, because a start may cost credits, or be refused for other reasons than
		// the first one was.
		if r.Key != nil {
			if used, err := r.Key(ctx, id); err != nil {
				return err
			} else if used != nil {
				return &job.KeyError{Key: *used}
			}
		}
		return begin(own)
	})
	if used, ok := errors.AsType[*job.KeyError](err); ok {
		return elsewhere(&used.Key, s.Fingerprint)
	}
	return nil, err
}

// Used returns the number of bytes and of starts that are counted.
func (r *Repeats) Used() (bytes int64, starts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total, len(r.kept)
}

// recall reads the keys of a team's stored jobs, once in each process.
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

// remember adds a start that was read from a job, unless its key is already
// known.
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

// put adds s as the start at this position by age. The caller must hold mu.
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

// count adds n bytes to the memory of id's team. The caller must hold mu.
func (r *Repeats) count(id ID, n int64) {
	if r.used == nil {
		r.used = map[string]int64{}
	}
	r.total += n
	if r.used[id.Team] += n; r.used[id.Team] == 0 {
		delete(r.used, id.Team)
	}
}

// full returns an error if there is no memory for a new key, for the team of id
// or for all teams together. The error says when the next key is forgotten. The
// caller must hold mu.
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
	return nil // cannot happen, because everything that is counted is in the list
}

// enter returns the start of id. If there is none, it adds one for the caller,
// who must run it, and mine is true. If there is no memory for it, it fails.
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

// run calls begin. If that fails, it frees the key.
func (r *Repeats) run(id ID, s *kept, begin func(*Start) error) (err error) {
	begun := Start{Fingerprint: s.Fingerprint, At: s.At}
	done := false
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		defer close(s.done)
		listed := r.kept[id] == s // false after a day, when it is already forgotten
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
			// Search from the end, because only starts that began later follow
			// it.
			for i, k := range slices.Backward(r.oldest) {
				if k == id {
					r.oldest = slices.Delete(r.oldest, i, i+1)
					break
				}
			}
		}
	}()
	err = begin(&begun)
	done = true // there was no panic
	return err
}
