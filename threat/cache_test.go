// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"example.com/curlew/threat"
)

func TestCache(t *testing.T) {
	var c threat.Cache
	compile := func(p threat.Policy) *threat.Rules {
		t.Helper()
		r, err := c.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	base := threat.Policy{Mode: threat.Normal, Blacklist: []string{"ab.example", "c.example"}}
	first := compile(base)
	if compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{"ab.example", "c.example"}, Threshold: new(75)}) != first {
		t.Error("equal policies have rules of their own")
	}
	for _, p := range []threat.Policy{
		{Blacklist: base.Blacklist},
		{Mode: threat.Normal, Whitelist: base.Blacklist},
		{Mode: threat.Normal, BlockedTLDs: base.Blacklist},
		{Mode: threat.Normal, Blacklist: []string{"ab.example"}},
		{Mode: threat.Normal, Blacklist: []string{"ab.example"}, Whitelist: []string{"c.example"}},
		{Mode: threat.Normal, Blacklist: base.Blacklist, Failure: threat.Open},
		{Mode: threat.Normal, Blacklist: base.Blacklist, Stars: true},
		{Mode: threat.Normal, Blacklist: base.Blacklist, Threshold: new(74)},
	} {
		if compile(p) == first {
			t.Errorf("%+v shares the rules of %+v", p, base)
		}
	}
	if _, err := c.Compile(threat.Policy{Blacklist: []string{"http://x"}}); !errors.Is(err, threat.ErrEntry) {
		t.Errorf("error %v, want ErrEntry", err)
	}
}

// TestCacheMany compiles more policies than the cache stores.
func TestCacheMany(t *testing.T) {
	var c threat.Cache
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 600 {
				host := fmt.Sprintf("h%d.example", i)
				r, err := c.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{host}})
				if err != nil {
					t.Error(err)
					return
				}
				g := threat.Gate{Rules: r}
				if _, decided := g.Local(target(t, "http://"+host+"/")); !decided {
					t.Errorf("the rules for %s are another's", host)
				}
			}
		})
	}
	wg.Wait()
}
