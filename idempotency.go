// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"example.com/curlew/job"
)

// Idempotency makes the start of a job repeatable for 24 hours: a team's second
// start of the same kind with the same Key starts nothing and returns the first
// job. This holds across restarts if the Store is durable.
type Idempotency struct {
	Key         string            // 1 to 255 visible ASCII characters; empty: the start is not repeatable
	Fingerprint [sha256.Size]byte // of the request. If the second start has another one, it is refused with [ErrConflict]

	// Answer is what the front end answered the first time. It is kept and returned
	// by [Job.Repeated].
	Answer json.RawMessage `json:",omitempty"`
}

// Valid reports whether the key has 1 to 255 characters, all of them visible ASCII.
func (i *Idempotency) Valid() bool {
	for k := range len(i.Key) {
		if i.Key[k] <= ' ' || i.Key[k] > '~' {
			return false
		}
	}
	return i.Key != "" && len(i.Key) <= 255
}

// Repeated returns whether the start that returned this Job repeated an earlier one,
// and the Answer of that one.
func (j *Job) Repeated() (answer json.RawMessage, ok bool) {
	if j.repeated == nil {
		return nil, false
	}
	return j.repeated.Answer, true
}

// repeatLife is how long a key is remembered.
const repeatLife = 24 * time.Hour

// What remembered keys may take, in bytes: of one team, and of all teams. No key is
// forgotten early to make room, because its request would then be done twice.
// Starts with new keys are refused instead.
const (
	maxTeamRepeats = 32 << 20
	maxRepeats     = 256 << 20
	repeatBytes    = 512 // of one key, besides its text and answer
)

// repeats remembers the starts of jobs by their idempotency keys. At any time there
// is at most one job for a team, kind and key. The specification of a job holds its
// key, so that job and key are stored in one step. After a restart the keys are
// read from the jobs.
type repeats struct {
	mu     sync.Mutex
	kept   map[repeatKey]*repeat // guarded by mu
	oldest []repeatKey           // guarded by mu; the keys of kept by age
	used   map[string]int64      // guarded by mu; bytes of kept by team
	total  int64                 // guarded by mu; bytes of kept
	read   map[string]chan error // guarded by mu; by team: holds the outcome of reading its jobs

	mostOfTeam, most int64 // bytes; zero: maxTeamRepeats, maxRepeats
}

type repeatKey struct{ team, kind, key string }

// repeat is one start. It is under way until done is closed.
type repeat struct {
	Idempotency
	done    chan struct{}
	id      string // of the job; empty: it did not begin, and the key is free again
	refused []string
	at      time.Time // when it began
}

// once calls start, unless the team has started a job of this kind with this key
// before. Then it returns that job. If the earlier start is still under way, once
// waits for it.
func (r *repeats) once(ctx context.Context, p *parts, kind string, s *Start, start func() (*Job, error)) (*Job, error) {
	if s.Idempotency.Key == "" {
		return start()
	}
	if !s.Idempotency.Valid() {
		return nil, &Error{Err: ErrRequest, Text: "want 1 to 255 visible ASCII characters", Field: "Idempotency.Key"}
	}
	team := s.Caller.owner()
	if err := r.recall(ctx, p, team); err != nil {
		return nil, err
	}
	id := repeatKey{team, kind, s.Idempotency.Key}
	for {
		kept, mine, err := r.enter(id, s.Idempotency)
		if err != nil {
			return nil, err
		}
		if mine {
			return r.run(id, kept, s, start)
		}
		if kept.Fingerprint != s.Idempotency.Fingerprint {
			return nil, ErrConflict
		}
		select {
		case <-kept.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if kept.id != "" {
			return p.again(ctx, id, kept)
		}
	}
}

// again returns the job of an earlier start. A job that has expired meanwhile has
// only its ID and what the start left in memory.
func (p *parts) again(ctx context.Context, id repeatKey, kept *repeat) (*Job, error) {
	j, _, err := p.find(ctx, id.team, kept.id)
	if err != nil {
		j = &Job{parts: p, record: &job.Job{ID: kept.id, Kind: id.kind, Owner: id.team, Created: kept.at}}
	}
	j.spec.Refused, j.repeated = kept.refused, &kept.Idempotency
	return j, nil
}

// recall reads the keys of a team's stored jobs, once in the life of the process.
func (r *repeats) recall(ctx context.Context, p *parts, team string) error {
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
	err := r.recallJobs(ctx, p, team)
	if err != nil {
		r.mu.Lock()
		delete(r.read, team)
		r.mu.Unlock()
	}
	read <- err
	return err
}

func (r *repeats) recallJobs(ctx context.Context, p *parts, team string) error {
	for j, err := range p.service.Jobs(ctx, team, job.Filter{}) {
		switch {
		case j == nil:
			return err
		case time.Since(j.Created()) >= repeatLife:
			return nil // the newest jobs come first
		case err != nil || j.spec.Idempotency == nil:
			continue // it cannot be read, or has no key
		}
		kept := &repeat{Idempotency: *j.spec.Idempotency, id: j.ID(), refused: j.Refused(), at: j.Created()}
		r.remember(repeatKey{team, j.Kind(), kept.Key}, kept)
	}
	return nil
}

// remember keeps what was read from a job, unless the key is known already.
func (r *repeats) remember(id repeatKey, kept *repeat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[id] != nil {
		return
	}
	if r.kept == nil {
		r.kept = map[repeatKey]*repeat{}
	}
	kept.done = make(chan struct{})
	close(kept.done)
	r.kept[id] = kept
	r.count(id, kept.size())
	at, _ := slices.BinarySearchFunc(r.oldest, kept.at, func(k repeatKey, t time.Time) int { return r.kept[k].at.Compare(t) })
	r.oldest = slices.Insert(r.oldest, at, id)
}

// size returns the bytes that are counted for kept.
func (kept *repeat) size() int64 {
	n := repeatBytes + len(kept.Key) + len(kept.Answer)
	for _, url := range kept.refused {
		n += len(url)
	}
	return int64(n)
}

// count adds n bytes to what is kept for the team of id. The caller holds mu.
func (r *repeats) count(id repeatKey, n int64) {
	if r.used == nil {
		r.used = map[string]int64{}
	}
	r.total += n
	if r.used[id.team] += n; r.used[id.team] == 0 {
		delete(r.used, id.team)
	}
}

// full refuses a new key if the team of id, or all teams together, have no room for
// it. The refusal says when the next key is forgotten. The caller holds mu.
func (r *repeats) full(id repeatKey) error {
	all := r.total >= cmp.Or(r.most, maxRepeats)
	if !all && r.used[id.team] < cmp.Or(r.mostOfTeam, maxTeamRepeats) {
		return nil
	}
	for _, k := range r.oldest {
		if all || k.team == id.team {
			return &Error{Err: ErrRate, Text: "too many idempotency keys are kept", Wait: time.Until(r.kept[k].at.Add(repeatLife))}
		}
	}
	return nil // cannot happen: what is counted is in the list
}

// enter returns what is kept under id. If nothing is, it makes an entry for the
// caller, who then has to run it; mine is true. It fails if there is no room for a
// new entry.
func (r *repeats) enter(id repeatKey, i Idempotency) (kept *repeat, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if kept := r.kept[id]; kept != nil {
		return kept, false, nil
	}
	if err := r.full(id); err != nil {
		return nil, false, err
	}
	if r.kept == nil {
		r.kept = map[repeatKey]*repeat{}
	}
	i.Answer = nil // it may still change
	kept = &repeat{Idempotency: i, done: make(chan struct{}), at: time.Now()}
	r.kept[id] = kept
	r.oldest = append(r.oldest, id)
	r.count(id, kept.size())
	return kept, true, nil
}

// expire forgets keys that are older than repeatLife. The caller holds mu.
func (r *repeats) expire() {
	for len(r.oldest) > 0 {
		id := r.oldest[0]
		kept := r.kept[id]
		if time.Since(kept.at) < repeatLife {
			return
		}
		delete(r.kept, id)
		r.count(id, -kept.size())
		r.oldest = r.oldest[1:]
	}
}

// run starts the job. If that fails, the key is free again.
func (r *repeats) run(id repeatKey, kept *repeat, s *Start, start func() (*Job, error)) (j *Job, err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		listed := r.kept[id] == kept // false after a day: it is forgotten already
		if listed {
			r.count(id, -kept.size())
		}
		if err == nil && j != nil {
			kept.id, kept.refused, kept.Answer = j.ID(), j.Refused(), s.Idempotency.Answer
		}
		switch {
		case !listed:
		case kept.id != "":
			r.count(id, kept.size())
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
		close(kept.done)
	}()
	return start()
}
