// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

// mostKey is the maximum length of a key's name in bytes.
const mostKey = 255

// Key implements [job.Keyer].
func (s *Store) Key(ctx context.Context, owner, kind, name string) (*job.Key, error) {
	if err := s.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	if text(owner) != owner || text(kind) != kind || text(name) != name {
		return nil, nil //nolint:nilnil // such a key cannot be stored
	}
	k, err := storedKey(ctx, s.pool, owner, kind, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // no key is not an error
	}
	return k, wrap("", storage(err))
}

// storedKey returns the key with this name. If there is none, the error is
// [pgx.ErrNoRows].
func storedKey(ctx context.Context, q querier, owner, kind, name string) (*job.Key, error) {
	k := job.Key{Name: name}
	// In a transaction that has waited for another one, now() is before the key was made.
	err := q.QueryRow(ctx, `select job, data, greatest(expires - clock_timestamp(), interval '1 microsecond') from curlew.idempotency
		where owner = $1 and kind = $2 and name = $3 and expires > now()`, owner, kind, name).Scan(&k.Job, &k.Data, &k.Life)
	if err != nil {
		return nil, err
	}
	return &k, nil
}

// checkKey returns [job.ErrInvalid] for a key that cannot be stored.
func checkKey(k *job.Key) error {
	if k.Name == "" || len(k.Name) > mostKey || text(k.Name) != k.Name || k.Life <= 0 {
		return fmt.Errorf("%w: an idempotency key must have 1 to %d bytes of text and a lifetime", job.ErrInvalid, mostKey)
	}
	return nil
}

// once calls do in a transaction that stores the key of a job, and commits if do
// returns nil. If the key was used before, it returns a [*job.KeyError] and does not
// call do. While another transaction is storing the same key, it waits.
func (s *Store) once(ctx context.Context, owner, kind, id string, k *job.Key, do func(tx pgx.Tx) error) error {
	var refused error
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into curlew.idempotency as k (owner, kind, name, job, data, expires) values ($1, $2, $3, $4, $5, now() + $6::interval)
			on conflict (owner, kind, name) do update set job = excluded.job, data = excluded.data, expires = excluded.expires where k.expires <= now()`,
			owner, kind, k.Name, id, data(k.Data), k.Life)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 { // the row of the key exists and is locked now, so it cannot go away
			first, err := storedKey(ctx, tx, owner, kind, k.Name)
			if err != nil {
				return err
			}
			refused = &job.KeyError{Key: *first}
			return refused
		}
		refused = do(tx)
		return refused
	})
	if refused != nil {
		return refused
	}
	return storage(err)
}

// AppendOnce implements [job.KeyedSpace].
func (s *space) AppendOnce(ctx context.Context, k *job.Key, items ...job.Item) error {
	if err := s.store.check(ctx); err != nil {
		return wrap(s.id, err)
	}
	err := errors.Join(checkKey(k), job.CheckItems(items))
	if err == nil && !inputs(items) {
		err = fmt.Errorf("%w: only inputs are appended with a key", job.ErrInvalid)
	}
	if err != nil {
		return wrap(s.id, err)
	}
	var owner, kind string
	err = s.store.pool.QueryRow(ctx, `select owner, kind from curlew.job where id = $1 and `+present, s.id).Scan(&owner, &kind)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return wrap(s.id, job.ErrNotFound)
	case err != nil:
		return wrap(s.id, storage(err))
	}
	err = s.store.once(ctx, owner, kind, s.id, k, func(tx pgx.Tx) error { return s.insertInputs(ctx, tx, items) })
	return wrap(s.id, s.appended(ctx, err))
}
