// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/job"
)

// Idempotency makes the start of a job repeatable for 24 hours: a team's second
// start of the same kind with the same Key starts nothing and returns the first
// job. With a durable Store, this also works across restarts. With a Store that several
// processes share, it works across all of them, except for jobs with zero retention.
type Idempotency struct {
	Key         string            // 1 to 255 visible ASCII characters; if empty, the start is not repeatable
	Fingerprint [sha256.Size]byte // hash of the request; a second start with another one is refused with [ErrConflict]. Zero means a hash of the fields that say what the job does

	// Answer is the front end's response to the first start. It is stored and
	// returned by [Job.Repeated].
	Answer json.RawMessage `json:",omitempty"`
}

// Valid reports whether the key has 1 to 255 characters, all of them visible ASCII.
func (i *Idempotency) Valid() bool { return repeats.ValidKey(i.Key) }

// Repeated reports whether the start that returned this Job repeated an earlier start,
// and returns the Answer of the earlier start.
func (j *Job) Repeated() (answer json.RawMessage, ok bool) {
	if j.repeated == nil {
		return nil, false
	}
	return j.repeated.Answer, true
}

// startOnce calls start, unless the team has started a job of this kind with this key
// before. In that case it returns that job, see [repeats.Repeats.Once]. The key is part of
// the job's specification, so that job and key are stored in one step.
// wanted has the fields of the request that say what the job does, beside those of s.
func (p *parts) startOnce(ctx context.Context, kind string, s *Start, wanted []any, start func() (*Job, error)) (*Job, error) {
	if s.Idempotency.Key == "" {
		return start()
	}
	if s.Idempotency.Fingerprint == [sha256.Size]byte{} {
		raw, err := json.Marshal(append(wanted, s.Webhook, s.Threat, s.ZeroRetention))
		if err != nil {
			return nil, invalid("Idempotency.Fingerprint", err)
		}
		s.Idempotency.Fingerprint = sha256.Sum256(raw)
	}
	if !s.Idempotency.Valid() {
		return nil, &Error{Err: ErrRequest, Text: "want 1 to 255 visible ASCII characters", Field: "Idempotency.Key"}
	}
	id := repeats.ID{Team: s.Caller.owner(), Kind: kind, Key: s.Idempotency.Key}
	var begun *Job
	first, err := p.repeats.Once(ctx, id, s.Idempotency.Fingerprint, func(first *repeats.Start) (err error) {
		if begun, err = start(); err == nil && begun != nil {
			first.Job, first.Refused, first.Answer = begun.ID(), begun.Refused(), s.Idempotency.Answer
		}
		return err
	})
	if full, ok := errors.AsType[*repeats.FullError](err); ok {
		err = &Error{Err: ErrRate, Text: full.Error(), Wait: full.Wait}
	}
	if err != nil || first == nil {
		return begun, err
	}
	return p.again(ctx, id, first), nil
}

// key returns the key of a start for the Store, or nil if the start is not repeatable or
// its job has zero retention, because then nothing is stored.
func (l *launch) key() (*job.Key, error) {
	own := &l.start.Idempotency
	if own.Key == "" || l.spec.Retained {
		return nil, nil //nolint:nilnil // no key is not an error
	}
	begun := repeats.Start{Fingerprint: own.Fingerprint, Answer: own.Answer, Refused: l.spec.Refused}
	return begun.StoredAs(own.Key)
}

// again returns the job of an earlier start. If the job has expired since, it has only its
// ID and the values that are still in memory.
func (p *parts) again(ctx context.Context, id repeats.ID, first *repeats.Start) *Job {
	j, _, err := p.find(ctx, id.Team, first.Job)
	if err != nil {
		j = &Job{parts: p, record: &job.Job{ID: first.Job, Kind: id.Kind, Owner: id.Team, Created: first.At}}
	}
	j.spec.Refused = first.Refused
	j.repeated = &Idempotency{Key: id.Key, Fingerprint: first.Fingerprint, Answer: first.Answer}
	return j
}

// storedStarts yields the starts of a team's jobs that have a key, see
// [repeats.Repeats.Stored].
func (p *parts) storedStarts(ctx context.Context, team string) iter.Seq2[repeats.Stored, error] {
	return func(yield func(repeats.Stored, error) bool) {
		for j, err := range p.service.Jobs(ctx, team, job.Filter{}) {
			switch {
			case j == nil:
				yield(repeats.Stored{}, err)
				return
			case time.Since(j.Created()) >= repeats.Life:
				return // all further jobs are older
			case err != nil || known(j).Idempotency == nil:
				continue // the specification cannot be read or has no key
			}
			key := known(j).Idempotency
			stored := repeats.Stored{
				ID:    repeats.ID{Team: team, Kind: j.Kind(), Key: key.Key},
				Start: repeats.Start{Fingerprint: key.Fingerprint, Answer: key.Answer, Job: j.ID(), Refused: j.Refused(), At: j.Created()},
			}
			if !yield(stored, nil) {
				return
			}
		}
	}
}
