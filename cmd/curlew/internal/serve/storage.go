// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/job"
	"example.com/curlew/job/blob"
	"example.com/curlew/job/blob/s3"
)

// storage contains the flags for stored data.
type storage struct {
	data  *string
	store *string
	blobs *string
	cache *int64
	apart *bool
}

// maxCache is the largest value of -cache, in MiB: a tebibyte.
const maxCache = 1 << 20

func storageFlags(flags *flag.FlagSet) storage {
	return storage{
		data:  flags.String("data", "", "store jobs in this `directory`, and continue the jobs in it; if empty, jobs are in memory"),
		store: flags.String("store", "", "store of jobs, credits, keys and rates: the `URL` of a PostgreSQL database that several servers share; if empty, the directory of -data"),
		blobs: flags.String("blobs", "", "with -store: `place` of results, screenshots and other large data outside of the database, which all servers and workers share: a directory, or s3://BUCKET/FOLDER?endpoint=URL&region=REGION with credentials as the tools of AWS take them; if empty, they are in the database"),
		cache: flags.Int64("cache", 256, "size of the page cache in `MiB`, in memory or in the directory of -data; 0 means no cache"),
		apart: flags.Bool("cache-per-team", false, "separate cached pages by team; otherwise a team can learn from the age of a public page that another team has requested it"),
	}
}

// shared is what servers have in common in a database. Without one, only policies is set.
type shared struct {
	jobs     job.Store
	credits  account.Credits
	keys     importer
	limiter  account.Limiter
	policies account.ThreatPolicies
	uploads  job.Uploads  // nil without -blobs
	close    func() error // to be called after the service has shut down
}

// importer is a store of keys that takes over keys with their hashes. Keys that it already
// has stay, but are revoked if they are revoked in the list.
type importer interface {
	account.KeyStore
	Import(ctx context.Context, keys []account.Key) (added int, err error)
}

// database is a kind of store that several servers share.
type database struct {
	// open opens a store. It keeps large data in blobs, unless that is nil. plan has the
	// credits of each team.
	open func(ctx context.Context, url string, blobs blob.Store, plan map[string]int, logger *slog.Logger) (*shared, error)

	// keys opens only its keys, and returns the function that closes them.
	keys func(ctx context.Context, url string) (account.KeyStore, func() error, error)
}

// databases are the stores that -store can name, by the scheme of the URL.
var databases = map[string]database{"postgres": postgresql, "postgresql": postgresql}

// databaseOf returns the kind of the store at a URL of -store.
func databaseOf(url string) (database, error) {
	scheme, _, _ := strings.Cut(url, ":")
	d, ok := databases[scheme]
	if !ok {
		return d, fmt.Errorf("-store: there is no store for URLs with the scheme %q; this program has %q", scheme, slices.Sorted(maps.Keys(databases)))
	}
	return d, nil
}

// database opens the store that -store names.
func (o storage) database(ctx context.Context, plan map[string]int, logger *slog.Logger) (*shared, error) {
	kind, err := databaseOf(*o.store)
	if err != nil {
		return nil, err
	}
	blobs, closeBlobs, err := openBlobs(ctx, *o.blobs)
	if err != nil {
		return nil, fmt.Errorf("-blobs: %w", err)
	}
	d, err := kind.open(ctx, *o.store, blobs, plan, logger)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("-store: %w", err), closeBlobs())
	}
	end := d.close
	d.close = func() error { return errors.Join(end(), closeBlobs()) }
	return d, nil
}

// openBlobs opens the store at a directory or a URL of S3, and returns the function that
// closes it. An empty place has none.
func openBlobs(ctx context.Context, place string) (blob.Store, func() error, error) {
	switch {
	case place == "":
		return nil, func() error { return nil }, nil
	case strings.HasPrefix(place, "s3://"):
		st, err := s3.Open(ctx, place, nil)
		if err != nil {
			return nil, nil, err
		}
		return st, st.Close, nil
	case strings.Contains(place, "://"):
		return nil, nil, errors.New("it is neither a directory nor a URL that begins with s3://")
	}
	dir, err := blob.OpenDir(place)
	if err != nil {
		return nil, nil, err
	}
	return dir, dir.Close, nil
}

// set configures the stores of the service and the cache of the client. It returns what
// servers share, which has only policies without -store. The caller must call the function at the end, also after an error.
// It closes them in reverse order.
func (o storage) set(ctx context.Context, s *curlew.Service, client *fetch.Client, plan map[string]int, logger *slog.Logger) (*shared, func() error, error) {
	common := new(shared)
	var ends []func() error
	end := func() error {
		var faults []error
		for _, end := range slices.Backward(ends) {
			faults = append(faults, end())
		}
		return errors.Join(faults...)
	}
	if *o.blobs != "" && *o.store == "" {
		return common, end, usage{errors.New("-blobs needs -store")}
	}
	if *o.cache < 0 || *o.cache > maxCache {
		return common, end, usage{fmt.Errorf("-cache %d: it is a number of MiB from 0, which means no cache, to %d", *o.cache, int64(maxCache))}
	}
	bytes := *o.cache << 20
	client.PartitionAll = *o.apart
	if *o.store != "" {
		var err error
		if common, err = o.database(ctx, plan, logger); err != nil {
			return new(shared), end, err
		}
		ends, s.Store, s.Credits = append(ends, common.close), common.jobs, common.credits
	}
	if *o.data == "" {
		common.inMemory(s, client, plan, bytes)
		return common, end, nil
	}
	var yield atomic.Value // method of the cache, which is opened last
	if *o.store == "" {
		files, err := job.OpenFiles(*o.data, &job.FileOptions{Logger: logger, Room: func() {
			if yield, ok := yield.Load().(func()); ok {
				yield()
			}
		}})
		if err != nil {
			return common, end, fmt.Errorf("-data: %w", err)
		}
		ends, s.Store = append(ends, files.Close), files
	} else {
		s.Limits.Dirs = []string{*o.data} // the jobs are elsewhere, but snapshots need room
	}
	snapshots, err := format.OpenFileSnapshots(filepath.Join(*o.data, "snapshots"))
	if err != nil {
		return common, end, fmt.Errorf("-data: %w", err)
	}
	ends, s.Format.Snapshots = append(ends, snapshots.Close), snapshots
	if common.policies == nil {
		if common.policies, err = account.OpenPolicies(filepath.Join(*o.data, "threat.json")); err != nil {
			return common, end, fmt.Errorf("-data: %w", err)
		}
	}
	if s.Credits == nil {
		ledger, err := account.OpenLedger(ctx, *o.data, plan)
		if err != nil {
			return common, end, fmt.Errorf("-data: %w", err)
		}
		ends, s.Credits = append(ends, ledger.Close), ledger
		if err := ledger.Damage(); err != nil {
			logger.ErrorContext(ctx, "the file of credits was damaged: what some jobs have spent is lost", "dir", *o.data, "err", err)
		}
	}
	if bytes > 0 {
		cache, err := fetch.OpenFileCache(filepath.Join(*o.data, "cache"), &fetch.FileCacheOptions{MaxBytes: bytes, Logger: logger})
		if err != nil {
			return common, end, fmt.Errorf("-cache: %w", err)
		}
		ends, client.Cache = append(ends, cache.Close), cache
		yield.Store(cache.Yield)
	}
	return common, end, nil
}

// inMemory sets what is kept in memory without -data: policies and credits that no database has,
// and a cache of so many bytes.
func (c *shared) inMemory(s *curlew.Service, client *fetch.Client, plan map[string]int, bytes int64) {
	if c.policies == nil {
		c.policies = new(account.Policies)
	}
	if s.Credits == nil {
		s.Credits = &account.Ledger{Plan: plan}
	}
	if bytes > 0 {
		client.Cache = &fetch.MemoryCache{MaxBytes: bytes}
	}
}
