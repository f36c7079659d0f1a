// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/job"
)

// storage is what the flags say of what is kept, and where.
type storage struct {
	data  *string
	cache *int64
	apart *bool
}

func storageFlags(flags *flag.FlagSet) storage {
	return storage{
		data:  flags.String("data", "", "keep jobs in this `directory`, and go on with those in it; empty: in memory"),
		cache: flags.Int64("cache", 256, "`MiB` of pages kept for requests with maxAge, in memory or in the directory of -data; 0: none"),
		apart: flags.Bool("cache-per-team", false, "each team has cached pages of its own; without it a team can learn from the age of a public page that another one has asked for it"),
	}
}

// set gives the service its stores, and the client its cache. The caller calls
// the func at the end, also after an error: the last that was opened is closed
// first.
func (o storage) set(ctx context.Context, s *curlew.Service, client *fetch.Client, plan map[string]int, logger *slog.Logger) (func() error, error) {
	var ends []func() error
	end := func() error {
		var faults []error
		for _, end := range slices.Backward(ends) {
			faults = append(faults, end())
		}
		return errors.Join(faults...)
	}
	bytes := *o.cache << 20
	client.PartitionAll = *o.apart
	if *o.data == "" {
		s.Credits = &account.Ledger{Plan: plan}
		if bytes > 0 {
			client.Cache = &fetch.MemoryCache{MaxBytes: bytes}
		}
		return end, nil
	}
	var yield atomic.Value // of the cache, which is opened last
	files, err := job.OpenFiles(*o.data, &job.FileOptions{Logger: logger, Room: func() {
		if yield, ok := yield.Load().(func()); ok {
			yield()
		}
	}})
	if err != nil {
		return end, fmt.Errorf("-data: %w", err)
	}
	ends, s.Store = append(ends, files.Close), files
	snapshots, err := format.OpenFileSnapshots(filepath.Join(*o.data, "snapshots"))
	if err != nil {
		return end, fmt.Errorf("-data: %w", err)
	}
	ends, s.Snapshots = append(ends, snapshots.Close), snapshots
	ledger, err := account.OpenLedger(ctx, *o.data, plan)
	if err != nil {
		return end, fmt.Errorf("-data: %w", err)
	}
	ends, s.Credits = append(ends, ledger.Close), ledger
	if bytes > 0 {
		cache, err := fetch.OpenFileCache(filepath.Join(*o.data, "cache"), &fetch.FileCacheOptions{MaxBytes: bytes, Logger: logger})
		if err != nil {
			return end, fmt.Errorf("-cache: %w", err)
		}
		ends, client.Cache = append(ends, cache.Close), cache
		yield.Store(cache.Yield)
	}
	return end, nil
}
