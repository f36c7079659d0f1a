// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/account/accounttest"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// pair opens two stores in one new database, as two processes do. later makes a second
// pass for both.
func pair(t *testing.T, s *pgtest.Server) (url string, one, other *postgres.Store, later func()) {
	t.Helper()
	url = s.Database(t)
	one, other = open(t, url, nil), open(t, url, nil)
	return url, one, other, func() {
		pgtest.Exec(t, url, `select pg_sleep(0.002)`)
		postgres.Age(one)
		postgres.Age(other)
	}
}

func testKeys(t *testing.T, s *pgtest.Server) {
	_, one, other, later := pair(t, s)
	accounttest.Keys(t, one.Keys(), other.Keys(), later)
	var texts string
	read(t, one, `select string_agg(k::text, ' ') from curlew.api_key k`, &texts)
	text, key, err := (&account.Keys{Store: one.Keys()}).Create(t.Context(), "a", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	read(t, one, `select string_agg(k::text, ' ') from curlew.api_key k`, &texts)
	if strings.Contains(texts, strings.TrimPrefix(text, "fc-")) || !strings.Contains(texts, key.ID) {
		t.Errorf("the table holds the text of a key: %s", texts)
	}
}

// read reads one value from a database.
func read(t *testing.T, st *postgres.Store, sql string, value any) {
	t.Helper()
	if err := postgres.Pool(st).QueryRow(t.Context(), sql).Scan(value); err != nil {
		t.Fatal(err)
	}
}

// testKeysRevoked revokes a key that many requests to two processes use, and one that is
// looked up at that moment.
func testKeysRevoked(t *testing.T, s *pgtest.Server) {
	_, one, other, later := pair(t, s)
	stores := []*postgres.Store{one, other}
	for range 5 {
		text, key, err := (&account.Keys{Store: one.Keys()}).Create(t.Context(), "a", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		var revoked atomic.Bool
		var used atomic.Int64
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				keys := &account.Keys{Store: stores[i%2].Keys()}
				for !revoked.Load() {
					switch _, err := keys.Find(t.Context(), text); {
					case err == nil:
						used.Add(1)
					case !errors.Is(err, account.ErrKey):
						t.Errorf("Find: %v", err)
						return
					}
				}
			})
		}
		for used.Load() < 200 && !t.Failed() {
			wait(t.Context(), time.Millisecond)
		}
		if err := (&account.Keys{Store: other.Keys()}).Revoke(t.Context(), key.ID); err != nil {
			t.Error(err)
		}
		if _, err := other.Keys().FindKey(t.Context(), account.HashKey(text)); !errors.Is(err, account.ErrKey) {
			t.Errorf("Find where the key was revoked: %v", err)
		}
		revoked.Store(true)
		all.Wait()
		later()
		for _, st := range stores {
			if _, err := st.Keys().FindKey(t.Context(), account.HashKey(text)); !errors.Is(err, account.ErrKey) {
				t.Errorf("Find of a revoked key: %v", err)
			}
		}
	}
}

// testKeysImport imports the keys of a file twice. A key that was revoked in one place
// stays revoked.
func testKeysImport(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	var file account.Keys
	keys, err := postgres.OpenKeys(t.Context(), url) // creates the schema
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	stored := &account.Keys{Store: keys}
	texts, made := map[string]string{}, map[string]account.Key{}
	for _, name := range []string{"valid", "revoked before", "revoked here", "revoked there"} {
		if texts[name], made[name], err = file.Create(t.Context(), "a", name, 0); err != nil {
			t.Fatal(err)
		}
	}
	revoke := func(k *account.Keys, name string) {
		t.Helper()
		if err := k.Revoke(t.Context(), made[name].ID); err != nil {
			t.Error(err)
		}
	}
	again := func(want int) {
		t.Helper()
		list, err := file.List(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := keys.Import(t.Context(), list); n != want || err != nil {
			t.Errorf("Import: %d new keys, %v; want %d", n, err, want)
		}
	}
	revoke(&file, "revoked before")
	again(4)
	revoke(stored, "revoked here")
	revoke(&file, "revoked there")
	again(0)
	for name, text := range texts {
		if _, err := stored.Find(t.Context(), text); (err == nil) != (name == "valid") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := keys.Import(t.Context(), []account.Key{{ID: job.NewID(), Hash: "00"}}); n != 0 || err == nil {
		t.Errorf("Import of a damaged key: %d, %v", n, err)
	}
	if _, err := postgres.OpenKeys(t.Context(), "postgres://127.0.0.1:1/x?connect_timeout=5"); !errors.Is(err, job.ErrStorage) {
		t.Errorf("OpenKeys without a server: %v", err)
	}
	pgtest.Exec(t, url, `delete from curlew.migration where version = (select max(version) from curlew.migration)`)
	if _, err := postgres.OpenKeys(t.Context(), url); !errors.Is(err, job.ErrVersion) {
		t.Errorf("OpenKeys of an older schema: %v, want ErrVersion", err)
	}
}

func testPolicies(t *testing.T, s *pgtest.Server) {
	_, one, other, later := pair(t, s)
	accounttest.Policies(t, one.Policies(), other.Policies(), later)
}

func testLimiter(t *testing.T, s *pgtest.Server) {
	url, one, other, _ := pair(t, s)
	accounttest.Limiter(t, one.Limiter(), other.Limiter(), func(d time.Duration) {
		pgtest.Exec(t, url, `update curlew.rate set at = at - $1::interval`, d)
	})
	pgtest.Exec(t, url, `update curlew.rate set at = at - interval '1 hour' where team = 'us'`)
	if err := postgres.Sweep(one, t.Context()); err != nil {
		t.Fatal(err)
	}
	var n int
	if read(t, one, `select count(*) from curlew.rate where team = 'us'`, &n); n != 0 {
		t.Errorf("%d full buckets are left", n)
	}
}

// testLimiterClocks sets the clock of the server back.
func testLimiterClocks(t *testing.T, s *pgtest.Server) {
	url, one, _, _ := pair(t, s)
	take := func(want bool) {
		t.Helper()
		if a, err := one.Limiter().Take(t.Context(), "us", "crawl", 1); err != nil || a.OK != want || !want && (a.Wait <= 0 || a.Wait > time.Minute) {
			t.Errorf("%+v, %v; want %v", a, err, want)
		}
	}
	take(true)
	for _, by := range []time.Duration{time.Second, time.Hour} {
		pgtest.Exec(t, url, `update curlew.rate set at = clock_timestamp() + $1::interval`, by)
		take(false)
	}
	pgtest.Exec(t, url, `update curlew.rate set at = at - interval '1 minute'`) // the bucket has the new time
	take(true)
}

// testTeamsAway asks for keys, policies and rates while the database refuses connections,
// and while it does not answer.
func testTeamsAway(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: 10 * time.Minute})
	text, _, err := (&account.Keys{Store: st.Keys()}).Create(t.Context(), "a", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(fails bool) []error {
		ctx := t.Context()
		if fails {
			ctx = expiring(t)
		}
		postgres.Age(st)
		_, key := (&account.Keys{Store: st.Keys()}).Find(t.Context(), text)
		_, _, policy := st.Policies().ThreatPolicy(t.Context(), "a")
		_, rate := st.Limiter().Take(t.Context(), "a", "crawl", 1000)
		_, _, created := (&account.Keys{Store: st.Keys()}).Create(ctx, "a", "", 0)
		return []error{key, policy, rate, created}
	}
	check := func(when string, fails bool) {
		t.Helper()
		for i, err := range ask(fails) {
			if fails != (err != nil) || fails && i < 3 && (!errors.Is(err, job.ErrStorage) || errors.Is(err, account.ErrKey)) {
				t.Errorf("%s, question %d: %v", when, i, err)
			}
		}
	}
	check("at first", false)
	p.refuse(true)
	check("without a database", true)
	p.refuse(false)
	check("with it again", false)
	p.cut() // all connections of the pool are broken
	for _, err := range ask(false)[:3] {
		if err != nil {
			t.Errorf("after a failover: %v", err)
		}
	}
	postgres.Hurry(st, 100*time.Millisecond)
	release := p.hold()
	check("with a database that does not answer", true)
	release()
	postgres.Hurry(st, time.Minute)
	p.cut()
	for _, err := range ask(false)[:3] {
		if err != nil {
			t.Errorf("in the end: %v", err)
		}
	}
}

// expiring returns a context that ends soon.
func expiring(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
