// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
	"example.com/curlew/job/blob"
)

// Uploads implements [job.Uploads] with the database and the blobs of a [Store], for all
// processes that share them. The bytes of an upload are removed when it was parsed, or
// within a minute or so after it has expired.
//
// The names of the objects are <id of the store>/uploads/<upload>/<attempt>/<part>. They are
// stored before the row refers to them, so of two attempts at the same time one wins.
type Uploads struct{ store *Store }

// Uploads returns the uploads in the database. It is nil if the Store has no Blobs.
func (s *Store) Uploads() *Uploads {
	if s.blobs == nil {
		return nil
	}
	return &Uploads{s}
}

// uploadFolder is the folder of all uploads in the store of blobs. It is not a day, so the
// sweep of the jobs' objects ignores it.
const uploadFolder = "uploads"

// folder returns the folder of an upload.
func (u *Uploads) folder(id string) string {
	return u.store.blobs.id + "/" + uploadFolder + "/" + id
}

// Secret implements [job.Uploads].
func (u *Uploads) Secret(ctx context.Context) (secret []byte, err error) {
	if err := u.store.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	fresh := make([]byte, sha256.Size)
	rand.Read(fresh) // never fails (crypto/rand)
	var b pgx.Batch
	b.Queue(`insert into curlew.secret (name, value) values ('uploads', $1) on conflict do nothing`, fresh)
	b.Queue(`select value from curlew.secret where name = 'uploads'`).QueryRow(func(row pgx.Row) error { return row.Scan(&secret) })
	return secret, wrap("", storage(u.store.pool.SendBatch(ctx, &b).Close()))
}

// Add implements [job.Uploads].
func (u *Uploads) Add(ctx context.Context, up *job.Upload, l job.UploadLimits) (wait time.Duration, err error) {
	if err := u.store.check(ctx); err != nil {
		return 0, wrap("", err)
	}
	if !job.ValidID(up.ID) {
		return 0, wrap(up.ID, job.ErrInvalid)
	}
	team := text(up.Team)
	err = pgx.BeginFunc(ctx, u.store.pool, func(tx pgx.Tx) error {
		// The uploads of a team are counted one after the other.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, $2))`, team, int64(migrateLock)); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `select made + $2::interval - clock_timestamp() from curlew.upload
			where team = $1 and made > clock_timestamp() - $2::interval order by made desc offset $3 limit 1`, team, l.Window, l.Most-1).Scan(&wait)
		if err == nil { // the team has so many, and this one must go first
			wait = max(wait, time.Microsecond)
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		_, err = tx.Exec(ctx, `insert into curlew.upload (id, team, name, content_type, expires) values ($1, $2, $3, $4, clock_timestamp() + $5::interval)`,
			up.ID, team, text(up.Name), text(up.ContentType), l.Life)
		return err
	})
	return wait, wrap("", storage(err))
}

// Check implements [job.Uploads].
func (u *Uploads) Check(ctx context.Context, id string) error {
	if err := u.store.check(ctx); err != nil {
		return wrap("", err)
	}
	if !job.ValidID(id) {
		return wrap("", job.ErrNotFound)
	}
	return wrap("", u.empty(ctx, id))
}

// Fill implements [job.Uploads].
func (u *Uploads) Fill(ctx context.Context, id string, file io.Reader, size int64) error {
	if err := u.Check(ctx, id); err != nil {
		return err
	}
	attempt := uuid.New()
	sums, err := u.put(ctx, u.folder(id)+"/"+attempt, file, size)
	if err == nil {
		tag, failed := u.store.pool.Exec(ctx, `update curlew.upload set object = $2, size = $3, sums = $4 where id = $1 and object is null and expires > clock_timestamp()`,
			id, attempt, size, sums)
		if failed != nil { // it may be stored, so the objects stay until the upload is removed
			return wrap("", storage(failed))
		}
		if tag.RowsAffected() == 1 {
			return nil
		}
		// Since the check above, another call has stored the file or the upload has expired.
		err = cmp.Or(u.empty(ctx, id), job.ErrNotFound)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerIn)
	defer cancel()
	_ = u.store.blobs.store.Remove(ending, u.folder(id)+"/"+attempt) // what stays is removed later
	return wrap("", err)
}

// empty returns why a file cannot be uploaded, or nil.
func (u *Uploads) empty(ctx context.Context, id string) error {
	var filled bool
	err := u.store.pool.QueryRow(ctx, `select object is not null from curlew.upload where id = $1 and expires > clock_timestamp()`, id).Scan(&filled)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return job.ErrNotFound
	case err != nil:
		return storage(err)
	case filled:
		return job.ErrUploaded
	}
	return nil
}

// put stores a file in parts and returns their sums.
func (u *Uploads) put(ctx context.Context, folder string, file io.Reader, size int64) (sums []byte, err error) {
	buf := make([]byte, min(size, job.UploadPart))
	for part := 0; size > 0; part++ {
		data := buf[:min(size, job.UploadPart)]
		if _, err := io.ReadFull(file, data); err != nil {
			return nil, err
		}
		if err := u.store.blobs.store.Put(ctx, folder+"/"+strconv.Itoa(part), data); err != nil {
			return nil, storage(err)
		}
		sum := sha256.Sum256(data)
		sums, size = append(sums, sum[:]...), size-int64(len(data))
	}
	return sums, nil
}

// alive is the condition that the process of a column lives.
const alive = `exists (select from curlew.process p where p.id = taken and p.until > now())`

// Take implements [job.Uploads].
func (u *Uploads) Take(ctx context.Context, id string) (*job.Upload, error) {
	if err := u.store.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	if !job.ValidID(id) {
		return nil, wrap("", job.ErrNotFound)
	}
	up := job.Upload{ID: id}
	err := u.store.pool.QueryRow(ctx, `update curlew.upload set taken = $2 where id = $1 and object is not null and expires > clock_timestamp() and (taken is null or not `+alive+`)
		returning team, name, content_type, size`, id, u.store.self).Scan(&up.Team, &up.Name, &up.ContentType, &up.Size)
	if errors.Is(err, pgx.ErrNoRows) {
		if err = u.empty(ctx, id); err == nil {
			err = job.ErrNoUpload
		} else if errors.Is(err, job.ErrUploaded) { // another caller has it
			err = job.ErrNotFound
		}
		return nil, wrap("", err)
	}
	if err != nil {
		return nil, wrap("", storage(err))
	}
	return &up, nil
}

// Read implements [job.Uploads].
func (u *Uploads) Read(ctx context.Context, id string, w io.Writer) error {
	if err := u.store.check(ctx); err != nil {
		return wrap("", err)
	}
	if !job.ValidID(id) {
		return wrap("", job.ErrNotFound)
	}
	var attempt string
	var size int64
	var sums []byte
	err := u.store.pool.QueryRow(ctx, `select object::text, size, coalesce(sums, '') from curlew.upload where id = $1 and taken = $2 and object is not null`, id, u.store.self).
		Scan(&attempt, &size, &sums)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return wrap("", job.ErrNotFound)
	case err != nil:
		return wrap("", storage(err))
	}
	for part := 0; size > 0; part++ {
		n := min(size, job.UploadPart)
		data, err := u.store.blobs.store.Read(ctx, u.folder(id)+"/"+attempt+"/"+strconv.Itoa(part), 0, n)
		switch {
		case errors.Is(err, blob.ErrMissing), errors.Is(err, blob.ErrDamaged):
			return wrap("", fmt.Errorf("%w: part %d of the upload: %w", job.ErrCorrupt, part, err))
		case err != nil:
			return wrap("", storage(err))
		}
		sum := sha256.Sum256(data)
		if at := part * len(sum); len(sums) < at+len(sum) || !bytes.Equal(sum[:], sums[at:at+len(sum)]) {
			return wrap("", fmt.Errorf("%w: part %d of the upload has another checksum", job.ErrCorrupt, part))
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// Remove implements [job.Uploads].
func (u *Uploads) Remove(ctx context.Context, id string) error {
	if err := u.store.check(ctx); err != nil {
		return wrap("", err)
	}
	if !job.ValidID(id) {
		return wrap("", job.ErrNotFound)
	}
	if _, err := u.store.pool.Exec(ctx, `delete from curlew.upload where id = $1`, id); err != nil {
		return wrap("", storage(err))
	}
	if err := u.store.blobs.store.Remove(ctx, u.folder(id)); err != nil { // it is removed later
		return wrap("", storage(err))
	}
	return nil
}

// sweep removes the bytes and names of expired uploads. Their rows stay for a day, because
// they count for the limit of their team. With all, it also removes objects without a row.
func (u *Uploads) sweep(ctx context.Context, q querier, all bool) error {
	const over = `expires < clock_timestamp() and (taken is null or not ` + alive + ` or expires < clock_timestamp() - interval '1 hour')`
	rows, err := q.Query(ctx, `select id::text from curlew.upload where object is not null and `+over+` limit 1000`)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := u.store.blobs.store.Remove(ctx, u.folder(id)); err != nil {
			return err
		}
	}
	if _, err := q.Exec(ctx, `update curlew.upload set object = null, sums = null, name = '', content_type = '' where id = any($1::uuid[]) or object is null and name <> '' and expires < clock_timestamp()`, ids); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, `delete from curlew.upload where object is null and made < clock_timestamp() - interval '24 hours'`); err != nil || !all {
		return err
	}
	for id, err := range u.store.blobs.store.List(ctx, u.store.blobs.id+"/"+uploadFolder) {
		if err != nil {
			return err
		}
		if id = strings.TrimSuffix(id, "/"); !job.ValidID(id) {
			continue
		}
		var used bool
		if err := q.QueryRow(ctx, `select exists (select from curlew.upload where id = $1 and (object is not null or expires > clock_timestamp()))`, id).Scan(&used); err != nil {
			return err
		}
		if !used {
			if err := u.store.blobs.store.Remove(ctx, u.folder(id)); err != nil {
				return err
			}
		}
	}
	return nil
}
