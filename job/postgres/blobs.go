// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
	"example.com/curlew/job/blob"
)

const (
	// blobFrom is the size in bytes from which the data of an item is stored outside
	// of the database.
	blobFrom = 1 << 10

	// mostRead is how many bytes of an object are read at once, unless one item has
	// more.
	mostRead = 8 << 20

	// readers is how many requests to the store of objects one call of Items makes at
	// the same time.
	readers = 8

	// mostSwept is how many jobs the database is asked for at once.
	mostSwept = 1000

	// collectEvery is how often objects are removed whose job does not exist.
	collectEvery = time.Hour
)

// outside is the data of an item in the database if the real data is in an object. A
// program that does not know objects finds this text in place of a document, and fails to
// decode it.
var outside = []byte("the data of this item is in the store of blobs")

// marker is the object that shows that a store of objects is the one of a database.
const marker = "curlew"

// blobs stores the data of items outside of the database.
//
// The names of the objects are <id of the store>/<day>/<job>/<object>. An object holds
// the data of all items of one transaction. It is put before the transaction, so a row
// never refers to an object that was not stored. An object whose transaction was not
// committed is removed with its job, and objects of jobs that do not exist are removed
// every hour.
type blobs struct {
	store blob.Store
	from  int // minimum size of data that is stored outside
	id    string

	mu        sync.Mutex
	collected time.Time // guarded by mu; when objects without a job were removed
}

// openBlobs opens the store of objects, which is nil if there is none. If the database
// has objects in another store, the error wraps [ErrBlobs].
func openBlobs(ctx context.Context, conn *pgx.Conn, store blob.Store) (*blobs, error) {
	var b *blobs
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(migrateLock)); err != nil {
			return err
		}
		var id string
		err := tx.QueryRow(ctx, `select id from curlew.blobs`).Scan(&id)
		fresh := errors.Is(err, pgx.ErrNoRows)
		switch {
		case err != nil && !fresh:
			return err
		case store == nil && fresh:
			return nil
		case store == nil:
			return errNoBlobs
		}
		if !fresh {
			_, err := store.Read(ctx, id+"/"+marker, 0, int64(len(id)))
			if errors.Is(err, blob.ErrMissing) {
				return fmt.Errorf("%w: it has no folder %s", ErrBlobs, id)
			}
			b = &blobs{store: store, from: blobFrom, id: id}
			return err
		}
		id = uuid.New()
		if err := store.Put(ctx, id+"/"+marker, []byte(id)); err != nil {
			return err
		}
		// Programs that do not know objects must not open the database from now on.
		if _, err := tx.Exec(ctx, `update curlew.migration set compatible = greatest(compatible, (select version from curlew.migration where name = 'blobs'))
			where version = (select max(version) from curlew.migration)`); err != nil {
			return err
		}
		b = &blobs{store: store, from: blobFrom, id: id}
		_, err = tx.Exec(ctx, `insert into curlew.blobs (id) values ($1)`, id)
		return err
	})
	return b, err
}

// ErrBlobs means that [Options].Blobs is not the store of blobs that the other processes
// use.
var ErrBlobs = errors.New("the store of blobs is not the one of the database")

var errNoBlobs = fmt.Errorf("%w: items are in a store of blobs, and this process has none", ErrBlobs)

// folder returns the folder of a job.
func (b *blobs) folder(id string) string { return b.id + "/" + dayOf(id).String() + "/" + id }

// offload puts the large data of m into an object and replaces them by references. A
// second call does nothing.
func (b *blobs) offload(ctx context.Context, id string, m *merged) error {
	if m.blob != nil {
		return nil
	}
	size := 0
	for _, data := range m.data {
		if len(data) >= b.from {
			size += len(data)
		}
	}
	if size == 0 {
		return nil
	}
	object := make([]byte, 0, size/2)
	data, parts := append([][]byte(nil), m.data...), make([][]byte, len(m.data))
	for i := range data {
		if len(data[i]) < b.from {
			continue
		}
		var p blob.Part
		var err error
		object, p = blob.Pack(object, data[i])
		if parts[i], err = p.AppendBinary(nil); err != nil {
			return err
		}
		data[i] = outside
	}
	name := uuid.New()
	if err := b.store.Put(ctx, b.folder(id)+"/"+name, object); err != nil {
		return err
	}
	m.data, m.parts, m.blob = data, parts, &name
	return nil
}

// away is an item whose data is in an object.
type away struct {
	at   int // in the list of items
	blob string
	blob.Part
}

// fetch reads the data of items that is in objects; see blobs.fetch.
func (s *Store) fetch(ctx context.Context, id string, list []job.Item, aways []away) error {
	switch {
	case len(aways) == 0:
		return nil
	case s.blobs == nil: // another process was given one after this one began
		return errNoBlobs
	}
	return s.blobs.fetch(ctx, id, list, aways)
}

// fetch reads the data of items of a job. If the data of an item is missing or damaged, it
// sets the Err of the item. An error means that the store of objects does not answer.
func (b *blobs) fetch(ctx context.Context, id string, list []job.Item, aways []away) error {
	var runs [][]away // each is read by one request
	for _, a := range aways {
		if n := len(runs); n > 0 {
			run := runs[n-1]
			last := &run[len(run)-1]
			if last.blob == a.blob && last.At+last.Size == a.At && a.At+a.Size-run[0].At <= mostRead {
				runs[n-1] = append(run, a)
				continue
			}
		}
		runs = append(runs, []away{a})
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	slots := make(chan struct{}, readers)
	for _, run := range runs {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := b.fetchRun(ctx, id, list, run); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// fetchRun reads items that are next to each other in an object.
func (b *blobs) fetchRun(ctx context.Context, id string, list []job.Item, run []away) error {
	first, last := &run[0], &run[len(run)-1]
	name := b.folder(id) + "/" + first.blob
	data, err := b.store.Read(ctx, name, first.At, last.At+last.Size-first.At)
	switch {
	case errors.Is(err, blob.ErrDamaged) && len(run) > 1: // some of the items may be readable
		for i := range run {
			if err := b.fetchRun(ctx, id, list, run[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case err != nil && !errors.Is(err, blob.ErrMissing) && !errors.Is(err, blob.ErrDamaged) && !errors.Is(err, blob.ErrTooLarge):
		return err
	}
	for i := range run {
		a, it := &run[i], &list[run[i].at]
		fault := err
		if fault == nil {
			it.Data, fault = a.Open(data[a.At-first.At : a.At-first.At+a.Size : a.At-first.At+a.Size])
		}
		if fault != nil {
			it.Data, it.Err = nil, fmt.Errorf("%w: %w", job.ErrCorrupt, fault)
		}
	}
	return nil
}

// remove removes the objects of jobs.
func (b *blobs) remove(ctx context.Context, ids ...string) error {
	var faults []error
	for _, id := range ids {
		faults = append(faults, b.store.Remove(ctx, b.folder(id)))
	}
	return errors.Join(faults...)
}

// sweepBlobs removes the objects of jobs that do not exist: those of days that were
// dropped, those that could not be removed with their job, and those that a process has
// put after its job was deleted.
func (s *Store) sweepBlobs(ctx context.Context, conn *pgx.Conn) error {
	b := s.blobs
	if b == nil {
		return nil
	}
	b.mu.Lock()
	due := time.Since(b.collected) >= collectEvery
	if due {
		b.collected = time.Now()
	}
	b.mu.Unlock()
	if err := s.Uploads().sweep(ctx, conn, due); err != nil || !due {
		return err
	}
	removed := 0
	for day, err := range b.store.List(ctx, b.id) {
		if err != nil {
			return err
		}
		d, ok := parseDay(strings.TrimSuffix(day, "/"))
		if !ok {
			continue // the marker
		}
		n, err := b.sweepDay(ctx, conn, d)
		removed += n
		if err != nil {
			return err
		}
	}
	if removed > 0 {
		s.logger.Info("objects of jobs that do not exist were removed", slog.Int("jobs", removed))
	}
	return nil
}

// sweepDay removes the objects of a day whose jobs do not exist, and returns the number
// of these jobs. The row of a job is older than its objects, so a job that is missing
// after its folder was listed has been removed.
func (b *blobs) sweepDay(ctx context.Context, conn *pgx.Conn, d day) (removed int, err error) {
	folder := b.id + "/" + d.String()
	used := true
	recent, err := recentDay(ctx, conn)
	if err != nil {
		return 0, err
	}
	if d < recent { // no further job begins
		if err := conn.QueryRow(ctx, `select exists (select from curlew.job where id >= $1 and id < $2)`, d.first(), (d + 1).first()).Scan(&used); err != nil {
			return 0, err
		}
	}
	var ids []string
	sweep := func() error {
		rows, err := conn.Query(ctx, `select id::text from unnest($1::uuid[]) u(id) where not exists (select from curlew.job j where j.id = u.id)`, ids)
		ids = ids[:0]
		if err != nil {
			return err
		}
		gone, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		removed += len(gone)
		return b.remove(ctx, gone...)
	}
	for id, err := range b.store.List(ctx, folder) {
		if err != nil {
			return removed, err
		}
		if id = strings.TrimSuffix(id, "/"); !job.ValidID(id) {
			continue
		}
		if ids = append(ids, id); len(ids) == mostSwept {
			if err := sweep(); err != nil {
				return removed, err
			}
		}
	}
	if err := sweep(); err != nil {
		return removed, err
	}
	if !used { // a directory stays when it is empty
		err = b.store.Remove(ctx, folder)
	}
	return removed, err
}
