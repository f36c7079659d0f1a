// SPDX-License-Identifier: Apache-2.0

// Package accounttest tests implementations of the interfaces of package account. Each
// test gets two values of one implementation, which share their data, as two processes
// with one database do. They may be the same value.
package accounttest

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/threat"
)

// sink counts audit events.
type sink map[audit.Action]int

// Write implements [audit.Sink].
func (s sink) Write(_ context.Context, events []audit.Event) error {
	for i := range events {
		s[events[i].Action]++
	}
	return nil
}

// Keys tests a [account.KeyStore] that has no keys yet. later lets the time pass in which
// a change becomes visible in the other value, and at least a millisecond.
func Keys(t *testing.T, one, other account.KeyStore, later func()) {
	t.Helper()
	ctx, told := t.Context(), sink{}
	a, b := &account.Keys{Store: one, Audit: told}, &account.Keys{Store: other, Audit: told}
	create := func(k *account.Keys, team, name string, life time.Duration) (string, account.Key) {
		t.Helper()
		text, key, err := k.Create(ctx, team, name, life)
		if err != nil || key.Created.IsZero() || key.Expires.IsZero() != (life == 0) || life > 0 && !key.Expires.After(key.Created) {
			t.Fatalf("Create: %+v, %v", key, err)
		}
		return text, key
	}
	find := func(when, text string, want error) {
		t.Helper()
		for name, k := range map[string]*account.Keys{"one": a, "other": b} {
			if key, err := k.Find(ctx, text); !errors.Is(err, want) || want == nil && key.Team != "a" {
				t.Errorf("%s, %s: %+v, %v; want %v", when, name, key, err, want)
			}
		}
	}
	good, goodKey := create(a, "a", "first", 0)
	long, _ := create(b, "a", "long", 1000*time.Hour)
	short, _ := create(a, "a", "short", time.Millisecond)
	odd, oddKey := create(b, "a", "\x00 \xff ü", 0)
	foreign, _ := create(b, "b", "", 0)
	later()
	find("valid", good, nil)
	find("without its prefix", strings.TrimPrefix(good, "fc-"), nil)
	find("not yet expired", long, nil)
	find("with an odd name", odd, nil)
	for what, text := range map[string]string{
		"expired": short, "empty": "", "only a prefix": "fc-", "a longer one": good + "x", "far too long": strings.Repeat("x", 1000), "unknown": "fc-" + strings.Repeat("u", 43),
	} {
		find(what, text, account.ErrKey)
	}
	list := func(k *account.Keys, team string, want ...string) {
		t.Helper()
		keys, err := k.List(ctx, team)
		var names []string
		for _, key := range keys {
			names = append(names, key.Name)
			if key.Hash == "" || key.ID == "" || key.Last4 == "" || key.Created.IsZero() || team != "" && key.Team != team {
				t.Errorf("List: %+v", key)
			}
		}
		if err != nil || len(names) != len(want) || len(want) > 0 && names[0] != want[0] {
			t.Errorf("List(%q): %q, %v; want %q", team, names, err, want)
		}
	}
	list(a, "a", "first", "long", "short", oddKey.Name)
	list(b, "", "first", "long", "short", oddKey.Name, "")
	list(a, "c")
	list(b, "\x00")

	for range 2 { // the second has no effect
		if err := b.Revoke(ctx, goodKey.ID); err != nil {
			t.Errorf("Revoke: %v", err)
		}
	}
	if _, err := b.Find(ctx, good); !errors.Is(err, account.ErrKey) {
		t.Errorf("a revoked key, where it was revoked: %v", err)
	}
	later()
	find("revoked", good, account.ErrKey)
	find("its neighbour", long, nil)
	if key, err := a.Find(ctx, foreign); err != nil || key.Team != "b" {
		t.Errorf("a key of another team: %+v, %v", key, err)
	}
	for _, id := range []string{"", "x", "\x00", "01234567-89ab-7def-8123-456789abcdef", goodKey.ID + "0"} {
		if err := a.Revoke(ctx, id); !errors.Is(err, account.ErrNoKey) {
			t.Errorf("Revoke(%q): %v, want ErrNoKey", id, err)
		}
	}
	keys, err := a.List(ctx, "a")
	i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == goodKey.ID })
	if err != nil || i < 0 || keys[i].Revoked.IsZero() || keys[i].Revoked.Before(keys[i].Created) {
		t.Errorf("List after Revoke: %+v, %v", keys, err)
	}
	if told[audit.KeyCreated] != 5 || told[audit.KeyRevoked] != 1 {
		t.Errorf("events: %v", told)
	}
}

// Policies tests a [account.ThreatPolicies] that has no policies yet. later lets the time
// pass in which a change becomes visible in the other value.
func Policies(t *testing.T, one, other account.ThreatPolicies, later func()) {
	t.Helper()
	ctx := t.Context()
	read := func(p account.ThreatPolicies, team string, want *account.ThreatPolicy) {
		t.Helper()
		got, found, err := p.ThreatPolicy(ctx, team)
		if err != nil || found != (want != nil) || found && (!got.Updated.Equal(want.Updated) || !reflect.DeepEqual(got.Policy, want.Policy) || got.RefusesOverrides != want.RefusesOverrides) {
			t.Errorf("ThreatPolicy(%q): %+v, %v, %v; want %+v", team, got, found, err, want)
		}
	}
	read(one, "us", nil)
	read(other, "us", nil)
	first := account.ThreatPolicy{
		Policy: threat.Policy{
			Mode: threat.Normal, Blacklist: []string{"evil.test", "*.worse.test"}, Whitelist: []string{"xn--bcher-kva.test"}, BlockedTLDs: []string{"zip"},
			Failure: threat.Open, Threshold: new(3),
		},
		RefusesOverrides: true, Updated: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
	}
	second := account.ThreatPolicy{Policy: threat.Policy{Threshold: new(0)}, Updated: first.Updated.Add(time.Hour)}
	for _, set := range []*account.ThreatPolicy{&first, &second, &first} {
		for _, team := range []string{"us", "the ü\x00\xff others"} {
			if err := one.SetThreatPolicy(ctx, team, *set); err != nil {
				t.Fatal(err)
			}
			read(one, team, set)
			later()
			read(other, team, set)
		}
		one, other = other, one
	}
	read(one, "them", nil)
}

// Limiter tests a [account.Limiter] that has served no request yet. pass lets the
// buckets fill for a time, at once.
func Limiter(t *testing.T, one, other account.Limiter, pass func(time.Duration)) {
	t.Helper()
	const rate, workers, each = 20, 50, 4
	ctx := t.Context()
	var mu sync.Mutex
	var left []int
	refused := 0
	var all sync.WaitGroup
	began := time.Now()
	for _, l := range []account.Limiter{one, other} {
		for range workers {
			all.Go(func() {
				for range each {
					a, err := l.Take(ctx, "us", "crawl", rate)
					mu.Lock()
					switch {
					case err != nil:
						t.Errorf("Take: %v", err)
					case a.OK:
						left = append(left, a.Left)
					default:
						refused++
						if a.Left != 0 || a.Wait <= 0 || a.Wait > time.Minute/rate {
							t.Errorf("refused: %+v", a)
						}
					}
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	filled := int(time.Since(began) / (time.Minute / rate)) // tokens that have come meanwhile, at most
	if n := len(left); n < rate || n > rate+filled || n+refused != 2*workers*each {
		t.Errorf("%d requests are admitted and %d refused, want %d, and at most %d more", n, refused, rate, filled)
	}
	slices.SortFunc(left, func(a, b int) int { return cmp.Compare(b, a) })
	for i, n := range left {
		if filled == 0 && n != rate-1-i {
			t.Errorf("the requests had %v left, want each number once", left)
			break
		}
	}

	take := func(l account.Limiter, team, class string, perMinute int, ok bool, least, most int) {
		t.Helper()
		began := time.Now()
		a, err := l.Take(ctx, team, class, perMinute)
		if slow := time.Since(began) > time.Second; err != nil || a.OK != ok && !slow || (a.Left < least || a.Left > most) && !slow || (a.Left > 0) != (a.Wait == 0) && a.OK {
			t.Errorf("Take(%q, %q, %d): %+v, %v; want %v with %d to %d left", team, class, perMinute, a, err, ok, least, most)
		}
	}
	take(other, "us", "map", 1, true, 0, 0) // another class
	take(one, "us", "map", 1, false, 0, 0)
	take(one, "them", "crawl", 100, true, 99, 99) // another team
	take(other, "them", "crawl", 100, true, 98, 99)
	take(other, "them", "crawl", 2, true, 1, 1)     // the rate is lower now
	take(one, "them", "crawl", 1000, true, 0, 1000) // and higher
	take(one, "\x00\xff ü", "crawl", 5, true, 4, 4)
	take(other, "\x00\xff ü", "crawl", 5, true, 3, 4)
	take(one, "fast", "crawl", 1<<31-1, true, 900_000_000, 1<<31)

	const slow = 2 // a minute, so that nothing comes while the test runs
	for range slow {
		take(one, "slow", "crawl", slow, true, 0, slow)
	}
	take(other, "slow", "crawl", slow, false, 0, 0)
	pass(time.Minute / slow)
	take(other, "slow", "crawl", slow, true, 0, 0)
	take(one, "slow", "crawl", slow, false, 0, 0)
	pass(time.Hour) // a full bucket does not overflow
	take(one, "slow", "crawl", slow, true, 1, 1)
}
