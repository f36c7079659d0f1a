// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/account"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

var commits = flag.Int64("commits", 2000, "how many transactions TestPostgres/deadlocks commits")

// testDeadlocks lets four processes write at the same time, with all that share rows:
// items, inputs, keys, crawls, tasks, hosts, credits, ends of jobs and sweeps. There is no
// deadlock.
func testDeadlocks(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	plan := map[string]int{"team": account.Unlimited, "other": account.Unlimited}
	shared, others := make([]string, 4), make([]*postgres.Store, 4)
	for i := range others {
		others[i] = open(t, url, nil)
		j, _ := begin(t, others[i], "batch")
		shared[i] = j.ID
	}
	var all sync.WaitGroup
	for n, st := range others {
		site := &memory{}
		all.Go(func() { _ = st.Help(ctx, siteHelp(site, st.Hosts(), 4)) })
		line := pace.NewLine(st.Hosts(), false)
		defer line.Leave()
		own, err := st.Space(t.Context(), shared[n])
		if err != nil {
			t.Fatal(err)
		}
		ledger := st.Ledger(plan)
		repeat := func(what string, do func(i int) error) {
			all.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					if err := do(i); err != nil && ctx.Err() == nil {
						t.Errorf("%s: %v", what, err)
						stop()
					}
				}
			})
		}
		for range 2 {
			repeat("Append", func(i int) error { return own.Append(ctx, job.Item{Data: fmt.Append(nil, i)}) })
			repeat("AppendOnce", func(i int) error {
				sp, err := st.Space(ctx, shared[rand.IntN(len(shared))])
				if err == nil {
					err = sp.(job.KeyedSpace).AppendOnce(ctx, &job.Key{Name: fmt.Sprint(rand.IntN(i + 2)), Life: time.Hour}, job.Item{Kind: job.Input})
				}
				if _, used := errors.AsType[*job.KeyError](err); used {
					return nil
				}
				return err
			})
			repeat("Ledger", func(i int) error {
				team, op := []string{"team", "other"}[rand.IntN(2)], fmt.Sprint(n, i)
				k, err := ledger.Reserve(ctx, team, op, 1, 3)
				if err == nil {
					err = ledger.Commit(ctx, team, op, k)
				}
				return err
			})
			repeat("Take", func(i int) error {
				host, claim := fmt.Sprintf("h%d.test", rand.IntN(20)), pace.Claim{Delay: time.Duration(rand.IntN(2)) * time.Millisecond}
				err := line.Take(ctx, host, claim)
				if err == nil {
					now := time.Now()
					line.End(host, pace.Report{Answer: pace.Good, URL: host, Delay: claim.Delay, Began: now, Ended: now})
				}
				return err
			})
		}
		r := &job.Runner{Store: st, Works: map[string]job.Work{"site": siteWork(site, st.Hosts())}, Keep: time.Millisecond}
		defer func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) }()
		repeat("crawl", func(int) error {
			j, err := r.Start(ctx, "site", "team", fmt.Append(nil, "http://a.test/60/ 50 8"))
			if err != nil {
				return err
			}
			for range r.Watch(ctx, "team", j.ID, 0) { // until it has ended
			}
			return nil
		})
		repeat("tree", func(int) error {
			j := &job.Job{ID: job.NewID(), Kind: "tree", Owner: "team", State: job.Running}
			if err := st.Create(ctx, j); err != nil {
				return err
			}
			sp, err := st.Space(ctx, j.ID)
			if err != nil {
				return err
			}
			w := tree{size: 200, limit: frontier.Unlimited}
			f, err := sp.Frontier(ctx, w.options())
			if err != nil {
				return err
			}
			return errors.Join(w.walk(ctx, f), st.Delete(ctx, j.ID))
		})
		repeat("Sweep", func(int) error {
			wait(ctx, time.Second)
			return postgres.Sweep(st, ctx)
		})
	}
	count := func() (commits, deadlocks int64) {
		if _, err := conn.Exec(t.Context(), `select pg_stat_clear_snapshot()`); err != nil {
			t.Fatal(err)
		}
		err := conn.QueryRow(t.Context(), `select xact_commit, deadlocks from pg_stat_database where datname = current_database()`).Scan(&commits, &deadlocks)
		if err != nil {
			t.Fatal(err)
		}
		return commits, deadlocks
	}
	before, _ := count()
	now, deadlocks, begun := before, int64(0), time.Now()
	for ctx.Err() == nil && now-before < *commits {
		wait(ctx, 200*time.Millisecond)
		now, deadlocks = count()
	}
	stop()
	all.Wait()
	if deadlocks > 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
	t.Logf("%d commits in %v, %d deadlocks", now-before, time.Since(begun).Round(time.Second), deadlocks)
}
