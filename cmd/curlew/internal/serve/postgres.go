// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"log/slog"
	"os"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/job/blob"
	"example.com/curlew/job/postgres"
)

// postgresql is the store in a PostgreSQL database.
var postgresql = database{
	open: func(ctx context.Context, url string, blobs blob.Store, plan map[string]int, logger *slog.Logger) (*shared, error) {
		name, _ := os.Hostname() // only for people who look into the database
		store, err := postgres.Open(ctx, url, &postgres.Options{Name: name, Blobs: blobs, Logger: logger})
		if err != nil {
			return nil, err
		}
		d := &shared{
			jobs: store, credits: store.Ledger(plan), keys: store.Keys(), limiter: store.Limiter(), policies: store.Policies(), close: store.Close,
		}
		if uploads := store.Uploads(); uploads != nil {
			d.uploads = uploads
		}
		return d, nil
	},
	keys: func(ctx context.Context, url string) (account.KeyStore, func() error, error) {
		keys, err := postgres.OpenKeys(ctx, url)
		if err != nil {
			return nil, nil, err
		}
		return keys, keys.Close, nil
	},
}

// adopt takes over the jobs of servers that have died, until ctx ends.
func adopt(ctx context.Context, s *curlew.Service, logger *slog.Logger) {
	tick := time.NewTicker(postgres.DefaultLease / 3)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		text := ""
		if err := s.Resume(ctx); err != nil {
			text = err.Error()
		}
		if text != "" && text != last && ctx.Err() == nil { // the same error every few seconds says nothing new
			logger.ErrorContext(ctx, "not all jobs of other servers go on", "err", text)
		}
		last = text
	}
}
