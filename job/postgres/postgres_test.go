// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/frontier/frontiertest"
	"example.com/curlew/job"
	"example.com/curlew/job/jobtest"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// TestPostgres runs its subtests with one server, because the start of a server
// takes longer than most of them. Each has databases of its own.
func TestPostgres(t *testing.T) {
	s := pgtest.Start(t, false)
	for _, c := range []struct {
		name string
		test func(*testing.T, *pgtest.Server)
	}{
		{"store", testStore},
		{"reopen", testReopen},
		{"frontier", testFrontier},
		{"shared", testShared},
		{"blobs faults", testBlobFaults},
		{"blobs down", testBlobsDown},
		{"blobs sweep", testBlobSweep},
		{"blobs identity", testBlobIdentity},
		{"migrate", testMigrate},
		{"open errors", testOpenErrors},
		{"roles", testRoles},
		{"timeouts", testTimeouts},
		{"connections", testConnections},
		{"full disk", testFullDisk},
		{"inspect", testInspect},
		{"inspect blobs", testInspectBlobs},
		{"backlog", testBacklog},
		{"vacuum", testVacuum},
		{"sweep", testSweep},
		{"crashes", testCrashes},
		{"ledger", testLedger},
		{"ledger race", testLedgerRace},
		{"ledger dead", testLedgerDead},
		{"keys", testKeys},
		{"keys revoked", testKeysRevoked},
		{"keys import", testKeysImport},
		{"policies", testPolicies},
		{"limiter", testLimiter},
		{"limiter clocks", testLimiterClocks},
		{"teams away", testTeamsAway},
		{"uploads", testUploads},
		{"upload race", testUploadRace},
		{"upload faults", testUploadFaults},
		{"cut", testCut},
		{"append cut", testAppendCut},
		{"slow", testSlow},
		{"stall", testStall},
		{"skew", testSkew},
		{"records", testRecords},
		{"stray", testStray},
		{"away", testAway},
		{"records away", testRecordsAway},
		{"limits", testLimits},
		{"hosts", testHosts},
		{"hosts sweep", testHostsSweep},
		{"slots model", testSlotsModel},
		{"deadlocks", testDeadlocks},
		{"idle", testIdle},
		{"share limits", testShareLimits},
		{"share cut", testShareCut},
		{"lost", testLost},
		{"lost check", testLostCheck},
		{"lost host", testLostHost},
		{"lost help", testLostHelp},
		{"lost half", testHalf},
		{"late take", testLateTake},
		{"late insert", testLateInsert},
		{"late host", testLateHost},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

// open opens a store and closes it at the end of t.
func open(t testing.TB, url string, o *postgres.Options) *postgres.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return st
}

// testStore stores all data of items in files.
func testStore(t *testing.T, s *pgtest.Server) {
	jobtest.Check(t, func(t *testing.T) job.Store { return openOutside(t, s.Database(t), directory(t, t.TempDir())) })
}

func testReopen(t *testing.T, s *pgtest.Server) {
	jobtest.CheckReopen(t, func(t *testing.T) (job.Store, func(t *testing.T) job.Store) {
		url := s.Database(t)
		files := directory(t, t.TempDir())
		st := openOutside(t, url, files)
		return st, func(t *testing.T) job.Store {
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			st = openOutside(t, url, files)
			return st
		}
	})
}

// begin creates a running job and opens its space.
func begin(t testing.TB, st job.Store, kind string) (*job.Job, job.Space) {
	t.Helper()
	j := &job.Job{ID: job.NewID(), Kind: kind, Owner: "team", State: job.Running}
	if err := st.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	sp, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	return j, sp
}

func testFrontier(t *testing.T, s *pgtest.Server) {
	st := open(t, s.Database(t), nil)
	frontiertest.Check(t, func(t testing.TB, o frontier.Options) frontier.Frontier {
		_, sp := begin(t, st, "crawl")
		f, err := sp.Frontier(context.WithoutCancel(t.Context()), o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}

func testShared(t *testing.T, s *pgtest.Server) {
	jobtest.CheckShared(t, func(t *testing.T) jobtest.Shared {
		url := s.Database(t)
		return jobtest.Shared{
			// The test decides who is dead, not a slow machine.
			Open: func(t *testing.T) job.Store { return open(t, url, &postgres.Options{Lease: 10 * time.Minute}) },
			Close: func(t *testing.T, st job.Store) {
				if err := st.(*postgres.Store).Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			},
			Lapse: func(t *testing.T, st job.Store) {
				pgtest.Exec(t, url, `delete from curlew.process where id = $1`, postgres.Self(st.(*postgres.Store)))
			},
		}
	})
}

// testIdle counts the statements of a process that helps others, takes over jobs, and has
// nothing to do. They are fewer than two in a second.
func testIdle(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: time.Hour}) // it makes almost no statement by itself
	ctx, stop := context.WithCancel(t.Context())
	var help sync.WaitGroup
	defer help.Wait()
	defer stop()
	help.Go(func() {
		if err := st.Help(ctx, job.Help{Kind: "test", Most: 4, Do: func(context.Context, *job.Job, []byte) ([]byte, error) { return nil, nil }}); err != nil {
			t.Errorf("Help: %v", err)
		}
	})
	deadline := time.Now().Add(3 * time.Minute)
	// count returns how many statements an event makes. It is the median of some times,
	// because the process may do something else at the same time.
	count := func(event string, do func() error) int {
		t.Helper()
		var all []int
		for range 7 {
			before := p.statements()
			if err := do(); err != nil {
				t.Fatalf("%s: %v", event, err)
			}
			for p.statements() == before {
				if time.Now().After(deadline) {
					t.Fatalf("%s makes no statement", event)
				}
				wait(t.Context(), 2*time.Millisecond)
			}
			all = append(all, p.statements()-before)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	offer := func() error {
		pgtest.Exec(t, url, `select pg_notify('curlew_task', 'offer')`)
		return nil
	}
	look := count("look", offer)
	beat := count("sign of life", func() error { return postgres.Beat(st, t.Context()) })
	resume := count("takeover", func() error {
		_, err := st.Unfinished(t.Context())
		return err
	})
	each := postgres.DefaultLease / 3 // of signs of life, and of takeovers by servers and workers
	rate := float64(look)/postgres.LookEvery.Seconds() + float64(beat+resume)/each.Seconds()
	t.Logf("a look makes %d statements, a sign of life %d, a takeover %d: %.2f in a second", look, beat, resume, rate)
	if rate >= 2 {
		t.Errorf("an idle process makes %.2f statements in a second, want less than 2", rate)
	}
}
