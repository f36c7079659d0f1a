// SPDX-License-Identifier: Apache-2.0

package fetch

import "container/list"

// lru holds the values of a cache in the order of their use. The zero value is
// empty. It is not safe for concurrent use.
type lru struct {
	order list.List // of *held, the most recently used first
	byKey map[Key]*list.Element
	total int64 // sum of the costs
}

// held is one value of a cache.
type held struct {
	key   Key
	cost  int64  // what the value takes of the budget, in bytes
	size  int64  // of the file, if the value is in one
	value []byte // nil if the value is in a file
}

// get returns the value of key and makes it the most recently used, or nil if
// there is none.
func (l *lru) get(key Key) *held {
	at := l.byKey[key]
	if at == nil {
		return nil
	}
	l.order.MoveToFront(at)
	return at.Value.(*held) //nolint:forcetypeassert // the list contains only *held
}

// put adds h as the most recently used value and replaces the one of the same
// key.
func (l *lru) put(h *held) {
	l.remove(h.key)
	if l.byKey == nil {
		l.byKey = map[Key]*list.Element{}
	}
	l.byKey[h.key] = l.order.PushFront(h)
	l.total += h.cost
}

// remove deletes key and reports whether it was there.
func (l *lru) remove(key Key) bool {
	at := l.byKey[key]
	if at == nil {
		return false
	}
	l.total -= at.Value.(*held).cost //nolint:forcetypeassert // see get
	l.order.Remove(at)
	delete(l.byKey, key)
	return true
}

// evict removes the least recently used values until the rest costs at most
// budget, and calls gone for each.
func (l *lru) evict(budget int64, gone func(Key)) {
	for l.total > budget {
		h := l.order.Back().Value.(*held) //nolint:forcetypeassert // see get
		l.remove(h.key)
		gone(h.key)
	}
}
