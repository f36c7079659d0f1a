// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/curlew/account"
	"example.com/curlew/job"
)

// Keys implements [account.KeyStore] in a database, for all processes that share it. A
// new key is valid in all of them at once. A revoked one is refused at once by the process
// that has revoked it, and by others within a second. If the database does not answer, all
// keys are refused after that second, with an error that wraps [job.ErrStorage].
type Keys struct {
	pool   *pgxpool.Pool
	valid  memory[[sha256.Size]byte, account.Key]
	closes bool // Close closes the pool
}

// Keys returns the keys in the database.
func (s *Store) Keys() *Keys { return s.teams.keys }

// OpenKeys opens the keys in the database at url without a [Store], for programs that only
// manage keys. If the database has no schema yet, it is created. An older schema is not
// migrated. Errors are those of [Open]. The caller must call [Keys.Close].
func OpenKeys(ctx context.Context, url string) (*Keys, error) {
	pool, err := pgxpool.New(context.WithoutCancel(ctx), url)
	if err != nil {
		return nil, fmt.Errorf("open the keys: %w: %w", job.ErrStorage, err)
	}
	err = pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		have, err := version(ctx, conn)
		if err != nil {
			return err
		}
		return migrated(ctx, conn, have > 0) // the servers migrate
	})
	if err != nil {
		pool.Close()
		if !errors.Is(err, job.ErrVersion) {
			err = storage(err)
		}
		return nil, fmt.Errorf("open the keys: %w", err)
	}
	return &Keys{pool: pool, closes: true}, nil
}

// Close closes the connections of OpenKeys. Keys of a Store are closed with it.
func (k *Keys) Close() error {
	if k.closes {
		k.pool.Close()
	}
	return nil
}

const keyColumns = `id::text, name, team, last4, created, expires, revoked, encode(hash, 'hex')`

// aKey reads a row of keyColumns.
func aKey(row pgx.CollectableRow) (account.Key, error) { return scanKey(row) }

// scanKey reads a row of keyColumns, and further columns into more.
func scanKey(row pgx.CollectableRow, more ...any) (k account.Key, err error) {
	var expires, revoked *time.Time
	err = row.Scan(append([]any{&k.ID, &k.Name, &k.Team, &k.Last4, &k.Created, &expires, &revoked, &k.Hash}, more...)...)
	k.Created, k.Expires, k.Revoked = k.Created.UTC(), utc(expires), utc(revoked)
	return k, err
}

// utc returns a time in UTC. Nil is the zero time.
func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// AddKey implements [account.KeyStore].
func (k *Keys) AddKey(ctx context.Context, key *account.Key, life time.Duration) error {
	hash, err := hex.DecodeString(key.Hash)
	if err != nil || len(hash) != sha256.Size {
		return fmt.Errorf("key %s has no SHA-256", key.ID)
	}
	var until *time.Duration
	if life > 0 {
		until = new(max(life, time.Microsecond)) // the resolution of the database
	}
	var expires *time.Time
	err = k.pool.QueryRow(ctx, `insert into curlew.api_key (hash, id, team, name, last4, created, expires)
		select $1::bytea, $2::uuid, $3::text, $4::text, $5::text, at, at + $6::interval from (select clock_timestamp() as at) as clock returning created, expires, name, team`,
		hash, key.ID, text(key.Team), text(key.Name), text(key.Last4), until).Scan(&key.Created, &expires, &key.Name, &key.Team)
	key.Created, key.Expires = key.Created.UTC(), utc(expires)
	return storage(err)
}

// RevokeKey implements [account.KeyStore].
func (k *Keys) RevokeKey(ctx context.Context, id string) (key account.Key, revoked bool, err error) {
	var known pgtype.UUID
	if known.Scan(id) != nil {
		return account.Key{}, false, account.ErrNoKey
	}
	rows, err := k.pool.Query(ctx, `update curlew.api_key set revoked = clock_timestamp() where id = $1 and revoked is null returning `+keyColumns, known)
	if err == nil {
		key, err = pgx.CollectExactlyOneRow(rows, aKey)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		rows, err = k.pool.Query(ctx, `select `+keyColumns+` from curlew.api_key where id = $1`, known)
		if err == nil {
			key, err = pgx.CollectExactlyOneRow(rows, aKey)
		}
		if errors.Is(err, pgx.ErrNoRows) {
			return account.Key{}, false, account.ErrNoKey
		}
		return key, false, storage(err)
	}
	if err != nil {
		return account.Key{}, false, storage(err)
	}
	hash, _ := hex.DecodeString(key.Hash)
	k.valid.forget([sha256.Size]byte(hash))
	return key, true, nil
}

// ListKeys implements [account.KeyStore].
func (k *Keys) ListKeys(ctx context.Context, team string) ([]account.Key, error) {
	rows, err := k.pool.Query(ctx, `select `+keyColumns+` from curlew.api_key where $1 = '' or team = $1 order by id`, text(team))
	if err != nil {
		return nil, storage(err)
	}
	list, err := pgx.CollectRows(rows, aKey)
	return list, storage(err)
}

// FindKey implements [account.KeyStore]. Only valid keys are remembered, so that the
// refused ones take the same time.
func (k *Keys) FindKey(ctx context.Context, hash [sha256.Size]byte) (account.Key, error) {
	return k.valid.get(ctx, hash, func(ctx context.Context) (key account.Key, life time.Duration, err error) {
		err = again(ctx, k.pool, func() error {
			var left time.Duration
			rows, err := k.pool.Query(ctx, `select `+keyColumns+`, least(expires - clock_timestamp(), interval '1 hour') from curlew.api_key
				where hash = $1 and revoked is null and (expires is null or expires > clock_timestamp())`, hash[:])
			if err != nil {
				return err
			}
			key, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (key account.Key, err error) {
				return scanKey(row, &left)
			})
			life = left
			return err
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return account.Key{}, 0, account.ErrKey
		}
		return key, life, storage(err)
	})
}

// Import adds keys that were stored elsewhere, with their hashes, and revokes those that
// are revoked there. It returns how many the database did not have.
func (k *Keys) Import(ctx context.Context, keys []account.Key) (n int, err error) {
	err = pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		n = 0
		for i := range keys {
			key := &keys[i]
			hash, err := hex.DecodeString(key.Hash)
			if err != nil || len(hash) != sha256.Size {
				return fmt.Errorf("key %s has no SHA-256", key.ID)
			}
			var added bool
			err = tx.QueryRow(ctx, `insert into curlew.api_key as k (hash, id, team, name, last4, created, expires, revoked) values ($1, $2, $3, $4, $5, $6, $7, $8)
				on conflict (hash) do update set revoked = coalesce(k.revoked, excluded.revoked) returning xmax = 0`,
				hash, key.ID, text(key.Team), text(key.Name), text(key.Last4), key.Created, orNull(key.Expires), orNull(key.Revoked)).Scan(&added)
			if err != nil {
				return err
			}
			if added {
				n++
			}
		}
		return nil
	})
	return n, storage(err)
}

// orNull returns nil for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// again calls do until it succeeds, or fails for another reason than its connection. After
// the server was replaced, all connections of the pool may be broken.
func again(ctx context.Context, pool *pgxpool.Pool, do func() error) (err error) {
	for range pool.Config().MaxConns + 1 {
		err = do()
		if err == nil || errors.Is(err, pgx.ErrNoRows) || !passes(err) || ctx.Err() != nil {
			break
		}
	}
	return err
}
