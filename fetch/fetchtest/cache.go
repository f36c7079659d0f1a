// SPDX-License-Identifier: Apache-2.0

package fetchtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"example.com/curlew/fetch"
)

// CheckCache tests that a Cache fulfills the contract of the interface. It
// calls open once for each subtest. open returns an empty cache that holds at
// least 4 MiB and accepts values of 1 MiB, and cleans up through t.
func CheckCache(t *testing.T, open func(t testing.TB) fetch.Cache) {
	t.Helper()
	for _, s := range []struct {
		name string
		test func(c *cacheCheck)
	}{
		{"missing", (*cacheCheck).missing},
		{"values", (*cacheCheck).values},
		{"replace", (*cacheCheck).replace},
		{"delete", (*cacheCheck).delete},
		{"ownership", (*cacheCheck).ownership},
		{"context", (*cacheCheck).context},
		{"large", (*cacheCheck).large},
		{"flood", (*cacheCheck).flood},
		{"random", (*cacheCheck).random},
		{"concurrency", (*cacheCheck).concurrency},
	} {
		t.Run(s.name, func(t *testing.T) { s.test(&cacheCheck{T: t, cache: open(t)}) })
	}
}

// cacheCheck is one subtest.
type cacheCheck struct {
	*testing.T
	cache fetch.Cache
}

// cacheKey returns key number n.
func cacheKey(n int) fetch.Key { return sha256.Sum256([]byte(strconv.Itoa(n))) }

func (c *cacheCheck) put(n int, value string) {
	c.Helper()
	if err := c.cache.Put(c.Context(), cacheKey(n), []byte(value)); err != nil {
		c.Fatalf("Put(%d) = %v", n, err)
	}
}

// is checks that Get returns want for key n. An empty want means that the key
// is not stored.
func (c *cacheCheck) is(n int, want string) {
	c.Helper()
	got, err := c.cache.Get(c.Context(), cacheKey(n))
	switch {
	case want == "" && (got != nil || !errors.Is(err, fetch.ErrNotCached)):
		c.Errorf("Get(%d) = %.40q, %v, want ErrNotCached", n, got, err)
	case want != "" && (err != nil || string(got) != want):
		c.Errorf("Get(%d) = %.40q, %v, want %.40q", n, got, err, want)
	}
}

func (c *cacheCheck) missing() {
	c.is(1, "")
	if err := c.cache.Delete(c.Context(), cacheKey(1)); err != nil {
		c.Errorf("Delete of what is not there = %v", err)
	}
	c.put(1, "one")
	c.is(2, "")
}

func (c *cacheCheck) values() {
	values := []string{"1", "\x00", "\n\n", "a\r\nb", "\xff\xfe", string(make([]byte, 100_000))}
	for n, v := range values {
		c.put(n, v)
	}
	for n, v := range values {
		c.is(n, v)
		c.is(n, v)
	}
}

func (c *cacheCheck) replace() {
	for _, v := range []string{"short", "a good deal longer", "x"} {
		c.put(1, v)
		c.is(1, v)
	}
}

func (c *cacheCheck) delete() {
	c.put(1, "one")
	c.put(2, "two")
	if err := c.cache.Delete(c.Context(), cacheKey(1)); err != nil {
		c.Errorf("Delete = %v", err)
	}
	c.is(1, "")
	c.is(2, "two")
	c.put(1, "again")
	c.is(1, "again")
}

func (c *cacheCheck) ownership() {
	value := []byte("mine")
	if err := c.cache.Put(c.Context(), cacheKey(1), value); err != nil {
		c.Fatal(err)
	}
	clear(value)
	c.is(1, "mine")
	got, err := c.cache.Get(c.Context(), cacheKey(1))
	if err != nil {
		c.Fatal(err)
	}
	clear(got)
	_ = append(got, "more"...)
	c.is(1, "mine")
}

func (c *cacheCheck) context() {
	c.put(1, "one")
	gone := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(c.Context())
	cancel(gone)
	if got, err := c.cache.Get(ctx, cacheKey(1)); got != nil || err == nil || errors.Is(err, fetch.ErrNotCached) {
		c.Errorf("Get after the end of ctx = %q, %v", got, err)
	}
	if err := c.cache.Put(ctx, cacheKey(2), []byte("two")); err == nil {
		c.Error("Put after the end of ctx is no error")
	}
	if err := c.cache.Delete(ctx, cacheKey(1)); err == nil {
		c.Error("Delete after the end of ctx is no error")
	}
	c.is(1, "one")
	c.is(2, "")
}

// large stores a value of the largest size. It must be stored completely or not
// at all, and the value that it replaces must be gone.
func (c *cacheCheck) large() {
	c.put(1, "small")
	large := bytes.Repeat([]byte{7}, fetch.MaxCached)
	_ = c.cache.Put(c.Context(), cacheKey(1), large)
	got, err := c.cache.Get(c.Context(), cacheKey(1))
	if err == nil && !bytes.Equal(got, large) || err != nil && !errors.Is(err, fetch.ErrNotCached) {
		c.Errorf("a value of %d bytes is %d bytes, %v", len(large), len(got), err)
	}
	c.put(1, "small again")
	c.is(1, "small again")
}

// flood stores more than most caches hold. The last value must be there.
func (c *cacheCheck) flood() {
	value := bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16)
	for n := range 100 {
		if err := c.cache.Put(c.Context(), cacheKey(n), value); err != nil {
			c.Fatal(err)
		}
		c.is(n, string(value))
	}
}

// random compares the cache with a map.
func (c *cacheCheck) random() {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	model := map[int]string{}
	for i := range 500 {
		n := r.IntN(20)
		switch r.IntN(4) {
		case 0:
			model[n] = strconv.Itoa(i) + string(make([]byte, r.IntN(5000)))
			c.put(n, model[n])
		case 1:
			delete(model, n)
			if err := c.cache.Delete(c.Context(), cacheKey(n)); err != nil {
				c.Fatal(err)
			}
		default:
			c.is(n, model[n])
		}
		if c.Failed() {
			c.Fatalf("seed %d, step %d", seed, i)
		}
	}
}

// concurrency checks that concurrent readers see complete values only.
func (c *cacheCheck) concurrency() {
	const keys = 4
	var wg sync.WaitGroup
	defer wg.Wait()
	for worker := range 8 {
		wg.Go(func() {
			for i := range 50 {
				key := cacheKey(i % keys)
				switch worker % 4 {
				case 0, 1:
					value := bytes.Repeat([]byte{byte('a' + i%26)}, 1+i*100)
					if err := c.cache.Put(c.Context(), key, value); err != nil {
						c.Errorf("Put = %v", err)
					}
				case 2:
					got, err := c.cache.Get(c.Context(), key)
					if err != nil && !errors.Is(err, fetch.ErrNotCached) || len(bytes.Trim(got, string(got[:min(1, len(got))]))) > 0 {
						c.Errorf("Get = %.40q, %v", got, err)
					}
				default:
					if err := c.cache.Delete(c.Context(), key); err != nil {
						c.Errorf("Delete = %v", err)
					}
				}
			}
		})
	}
}
