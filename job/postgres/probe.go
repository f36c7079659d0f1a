// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
	"example.com/curlew/job/blob"
)

const (
	probeJobs = 100 // jobs of which [Report.InspectBlobs] reads some items
	mostNamed = 3   // unreadable items that a finding names
)

// BlobReport is the state of the store of blobs, for operators.
type BlobReport struct {
	Checked    bool `json:"checked"`    // objects were stored, read and removed without an error, and the store is the one of the database
	Sampled    int  `json:"sampled"`    // items whose data were read
	Unreadable int  `json:"unreadable"` // those of them whose data are missing or damaged
}

// sample selects some items of some jobs ($1) whose data is in an object: of each kind, the
// first one behind a random place.
const sample = `select j.id::text, i.kind, i.n, i.blob::text, i.part from (select id, n from curlew.job where ` + present + ` order by random() limit $1) j
	cross join lateral generate_subscripts(j.n, 1) k
	cross join lateral (select floor(random() * j.n[k])::bigint place) r
	cross join lateral (select * from (select kind, n, blob, part from curlew.item where job = j.id and kind = k - 1 and n >= r.place order by n limit 50) w
		where blob is not null order by n limit 1) i`

// sampled is an item whose data is in an object.
type sampled struct {
	job  string
	kind int16
	n    int64
	blob string
	part []byte
}

// InspectBlobs adds to a report of [Inspect] what is found about the store of blobs, which
// is nil if there is none. It stores an object, reads and removes it, and reads the data of
// some items. If the database does not answer, the error wraps [job.ErrStorage].
func (r *Report) InspectBlobs(ctx context.Context, url string, store blob.Store) error {
	if r.Schema == 0 || r.Schema > r.Known || len(r.Pending) > 0 {
		return nil // the tables cannot be read
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("inspect the store of blobs: %w: %w", job.ErrStorage, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var id string
	err = conn.QueryRow(ctx, `select id from curlew.blobs`).Scan(&id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if store != nil {
			r.find(false, "no process has opened the database with a store of blobs yet, so this one is not checked")
		}
		return nil
	case err != nil:
		return fmt.Errorf("inspect the store of blobs: %w", storage(err))
	case store == nil:
		r.find(false, "results are also in a store of blobs, which is not checked without --blobs")
		return nil
	}
	r.Blobs = new(BlobReport)
	if err := probe(ctx, store, id); err != nil {
		r.find(true, "the store of blobs: %v", err)
		return nil
	}
	r.Blobs.Checked = true
	rows, err := conn.Query(ctx, sample, probeJobs)
	if err != nil {
		return fmt.Errorf("inspect the store of blobs: %w", storage(err))
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x sampled, err error) {
		return x, row.Scan(&x.job, &x.kind, &x.n, &x.blob, &x.part)
	})
	if err != nil {
		return fmt.Errorf("inspect the store of blobs: %w", storage(err))
	}
	b := &blobs{store: store, id: id}
	var named strings.Builder
	for i := range items {
		x := &items[i]
		fault, err := b.unreadable(ctx, conn, x)
		if err != nil {
			r.find(true, "the store of blobs does not answer: %v", err)
			break
		}
		r.Blobs.Sampled++
		if fault == nil {
			continue
		}
		if r.Blobs.Unreadable++; r.Blobs.Unreadable <= mostNamed {
			fmt.Fprintf(&named, "; item %d of kind %d of job %s: %v", x.n, x.kind, x.job, fault)
		}
	}
	if r.Blobs.Unreadable > 0 {
		r.find(true, "of %d items that were tried, the data of %d cannot be read from the store of blobs%s", r.Blobs.Sampled, r.Blobs.Unreadable, named.String())
	}
	return nil
}

// probe stores an object, reads it and removes it. It also checks that the store is the one
// of a database, whose identifier is id.
func probe(ctx context.Context, store blob.Store, id string) error {
	if _, err := store.Read(ctx, id+"/"+marker, 0, int64(len(id))); err != nil {
		if errors.Is(err, blob.ErrMissing) {
			return fmt.Errorf("%w: it has no folder %s", ErrBlobs, id)
		}
		return fmt.Errorf("read: %w", err)
	}
	folder, data := id+"/probe/"+uuid.New(), []byte("stored by curlew doctor, and may be removed")
	if err := store.Put(ctx, folder+"/object", data); err != nil {
		_ = store.Remove(context.WithoutCancel(ctx), folder) // it may be there nevertheless
		return fmt.Errorf("store an object: %w", err)
	}
	got, err := store.Read(ctx, folder+"/object", 0, int64(len(data)))
	if err == nil && !bytes.Equal(got, data) {
		err = blob.ErrDamaged
	}
	if err != nil {
		return errors.Join(fmt.Errorf("read the object that was stored: %w", err), store.Remove(context.WithoutCancel(ctx), folder))
	}
	if err := store.Remove(ctx, folder); err != nil {
		return fmt.Errorf("remove an object: %w", err)
	}
	if _, err := store.Read(ctx, folder+"/object", 0, 1); !errors.Is(err, blob.ErrMissing) {
		return fmt.Errorf("the object %s/object is still there after it was removed: %w", folder, err)
	}
	return nil
}

// unreadable returns why the data of an item cannot be read, or nil. An item that was
// removed meanwhile is not an error. err means that the store, or the database, does not
// answer.
func (b *blobs) unreadable(ctx context.Context, conn *pgx.Conn, x *sampled) (fault, err error) {
	var a away
	if err := a.UnmarshalBinary(x.part); err != nil {
		return err, nil
	}
	list := make([]job.Item, 1)
	a.blob = x.blob
	if err := b.fetchRun(ctx, x.job, list, []away{a}); err != nil || list[0].Err == nil {
		return nil, err
	}
	var there bool
	err = conn.QueryRow(ctx, `select exists (select from curlew.item i join curlew.job j on j.id = i.job where i.job = $1 and i.kind = $2 and i.n = $3 and `+present+`)`, x.job, x.kind, x.n).Scan(&there)
	if err != nil || !there {
		return nil, storage(err)
	}
	return list[0].Err, nil
}
