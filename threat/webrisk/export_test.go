// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

const (
	MaxKept = maxKept
	MaxDiff = maxDiff
)

// Expressions returns the expressions of a canonical URL.
func Expressions(canonical string) []string {
	var all []string
	s := spansOf(canonical)
	for _, h := range s.hosts[:s.nHosts] {
		for _, p := range s.paths[:s.nPaths] {
			all = append(all, h+p)
		}
	}
	return all
}

// Entries returns the entries of the list of a threat type in order, or nil if
// there is no list.
func (c *Client) Entries(kind string) []string {
	s, err := c.open()
	if err != nil {
		return nil
	}
	for i, k := range c.types() {
		if l := s.lists[i].list.Load(); k == kind && l != nil {
			return l.entries()
		}
	}
	return nil
}

func (l *list) entries() []string {
	all := []string{}
	l.each(func(short uint32, long string) {
		if long == "" {
			long = string([]byte{byte(short >> 24), byte(short >> 16), byte(short >> 8), byte(short)})
		}
		all = append(all, long)
	})
	return all
}

// SetList installs a list of four-byte prefixes.
func (c *Client) SetList(kind string, short []uint32) {
	s, err := c.open()
	if err != nil {
		panic(err)
	}
	for i, k := range c.types() {
		if k == kind {
			l := &list{short: short, synced: time.Now()}
			l.arrange()
			s.lists[i].list.Store(l)
		}
	}
	s.opened.Do(func() { close(s.tried) })
}

// Kept returns the number of cached prefixes and hashes.
func (c *Client) Kept() int {
	s, _ := c.open()
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	n := 0
	for _, a := range s.cache.answers {
		n += 1 + len(a.hashes)
	}
	if n != s.cache.size {
		panic(fmt.Sprintf("the cache counts %d, holds %d", s.cache.size, n))
	}
	return n
}

// Keep caches that a prefix is clean until the given time.
func (c *Client) Keep(prefix string, until time.Time) {
	s, _ := c.open()
	s.cache.put(prefix, &answer{clean: until}, time.Now())
}

// Apply applies a response to a list of entries, which may be nil, and returns
// the new entries and their checksum.
func Apply(entries []string, body []byte) ([]string, error) {
	var a diffAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	var base *list
	if entries != nil {
		var blocks []block
		for _, e := range entries {
			blocks = append(blocks, block{len(e), []byte(e)})
		}
		var err error
		if base, err = newList(nil, nil, blocks); err != nil {
			return nil, err
		}
	}
	before := fmt.Sprint(entries)
	l, err := a.apply(base)
	if base != nil && fmt.Sprint(base.entries()) != before {
		panic("apply has changed its base")
	}
	if err != nil {
		return nil, err
	}
	if sum := l.sum(); string(sum[:]) != string(a.Checksum.SHA256) {
		panic("a wrong checksum passes")
	}
	return l.entries(), nil
}

// DecodeFile decodes a list file and returns its entries and the result of
// encoding the list again.
func DecodeFile(b []byte) (entries []string, again []byte, err error) {
	l, err := decode(b)
	if err != nil {
		return nil, nil, err
	}
	return l.entries(), l.encode(), nil
}

// EncodeFile returns a list file.
func EncodeFile(entries []string, token string, synced time.Time) []byte {
	var blocks []block
	for _, e := range entries {
		blocks = append(blocks, block{len(e), []byte(e)})
	}
	l, err := newList(nil, nil, blocks)
	if err != nil {
		panic(err)
	}
	l.token, l.synced = token, synced
	return l.encode()
}

// Search decodes a response about prefix and returns what it says about a hash.
func Search(body []byte, prefix string, hash [sha256.Size]byte) (types []string, until time.Time, err error) {
	var s searchAnswer
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, until, err
	}
	types, until = answerOf(&s, prefix, []string{"MALWARE", "SOCIAL_ENGINEERING"}).of(&hash)
	return types, until, nil
}
