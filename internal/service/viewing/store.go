// SPDX-License-Identifier: Apache-2.0

package viewing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
)

// Kind is the kind of jobs that store the files of a single scrape. They have no other
// results, and are not listed.
const Kind = "files"

// errLost means that an earlier process ended before it had stored the files of a job.
var errLost = errors.New("the files were not stored before the process ended")

// errUnwanted means that the scrape failed before its files were stored.
var errUnwanted = errors.New("the scrape failed before its files were stored")

// Store stores the files of single scrapes as jobs of their own, and opens files of all
// jobs. Its fields are required.
type Store struct {
	Runner *job.Runner       // its Store is set, and its Works contain Work
	Ready  func() error      // returns an error if no job may begin now
	Full   func(error) error // returns the error for the caller, for example if the disk is full
	placed sync.Map          // maps the Spec of a job that is about to begin to its *placing
	recent recent            // the files that were stored last
}

// placing is a list of files on their way into a job.
type placing struct {
	items []job.Item
	gone  <-chan struct{} // closed when the caller no longer waits, so that nothing must be stored
	done  chan error
}

// Work is the work of a job of the kind [Kind].
func (s *Store) Work(ctx context.Context, j *job.Job, space job.Space) error {
	v, ok := s.placed.LoadAndDelete(string(j.Spec))
	if !ok {
		return errLost
	}
	p := v.(*placing) // nothing else is stored
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.gone:
			cancel(errUnwanted) // Append may wait for room on the disk
		case <-ctx.Done():
		}
	}()
	err := errUnwanted
	select {
	case <-p.gone:
	default:
		err = space.Append(ctx, p.items...)
	}
	p.done <- err
	return err
}

// Keep returns a function that stores the files of one scrape for a team, for the time
// retention. base is as in [URL]. A file that the team has stored in the first tenth of that
// time is not stored again, so that a page from the cache has the same URL of its screenshot.
func (s *Store) Keep(base, team string, retention time.Duration) Keep {
	return func(ctx context.Context, files []File) ([]string, error) {
		urls := make([]string, len(files))
		var missing []File
		for i := range files {
			if p, ok := s.recent.find(team, &files[i]); ok && s.has(ctx, p) {
				urls[i] = URL(base, p.id, p.n, p.key)
			} else {
				missing = append(missing, files[i])
			}
		}
		if len(missing) == 0 {
			return urls, nil
		}
		items, keys := items(missing)
		id, err := s.store(ctx, items, job.Job{Kind: Kind, Owner: team, Keep: retention})
		if err != nil {
			return nil, s.Full(fmt.Errorf("store the files of a page: %w", err))
		}
		until := time.Now().Add(cmp.Or(retention, s.Runner.Keep, job.DefaultKeep) / 10)
		n := 0
		for i := range files {
			if urls[i] == "" {
				p := place{id: id, n: n, key: keys[n], until: until}
				urls[i] = URL(base, id, n, p.key)
				s.recent.add(team, &files[i], p)
				n++
			}
		}
		return urls, nil
	}
}

// has reports whether the file at p can still be opened.
func (s *Store) has(ctx context.Context, p place) bool {
	_, err := s.Open(ctx, p.id, p.n, p.key)
	return err == nil
}

// store stores items in a new job, and returns its ID.
func (s *Store) store(ctx context.Context, items []job.Item, template job.Job) (string, error) {
	if err := s.Ready(); err != nil {
		return "", err
	}
	var err error
	if template.Spec, err = json.Marshal(uuid.New()); err != nil {
		return "", err
	}
	p := &placing{items, ctx.Done(), make(chan error, 1)}
	s.placed.Store(string(template.Spec), p)
	defer s.placed.Delete(string(template.Spec))
	record, err := s.Runner.Begin(ctx, template)
	if err != nil {
		return "", err
	}
	select {
	case err = <-p.done:
	case <-ctx.Done(): // for example because the disk is full, and the job waits for room
		err = context.Cause(ctx)
	}
	return record.ID, err
}

// Open returns the n-th file of a job. If there is no such file, if its job has been
// deleted, or if the key is wrong, the error wraps [job.ErrNotFound].
func (s *Store) Open(ctx context.Context, id string, n int, key string) (File, error) {
	if n < 0 {
		return File{}, job.ErrNotFound
	}
	space, err := s.Runner.Store.Space(ctx, id)
	if err != nil {
		return File{}, err
	}
	list, err := space.Items(ctx, job.File, n, 1)
	if err == nil && len(list) == 1 {
		err = list[0].Err
	}
	if err != nil {
		return File{}, err
	}
	if len(list) == 1 {
		if f, ok := OpenFile(list[0].Data, key); ok {
			return f, nil
		}
	}
	return File{}, job.ErrNotFound
}

// KeepIn returns a function that stores files of pages with the job of a space. The job is
// the only writer of files in its space. base is as in [URL].
func KeepIn(space job.Space, id, base string) Keep {
	var mu sync.Mutex
	return func(ctx context.Context, files []File) ([]string, error) {
		items, keys := items(files)
		mu.Lock() // so that the places of the files are known
		defer mu.Unlock()
		stats, err := space.Stats(ctx)
		if err == nil {
			err = space.Append(ctx, items...)
		}
		if err != nil {
			return nil, err
		}
		return urls(base, id, stats.Items[job.File], keys), nil
	}
}

// items returns the items of files, and the key of each.
func items(files []File) (list []job.Item, keys []string) {
	for i := range files {
		it, key := files[i].Item()
		list, keys = append(list, it), append(keys, key)
	}
	return list, keys
}

// urls returns the URLs of files of a job with these keys. The first of them is the n-th
// file of the job.
func urls(base, id string, n int, keys []string) []string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = URL(base, id, n+i, key)
	}
	return list
}
