// SPDX-License-Identifier: Apache-2.0

package fetch

import "container/list"

// lru is what a cache holds, the least recently used last. The zero value is
// empty. It is not safe for concurrent use.
type lru struct {
	order list.List // of *held, the most recently used first
	byKey map[Key]*list.Element
	total int64 // of the costs
}

// held is one value of a cache.
type held struct {
	key   Key
	cost  int64  // bytes of the budget
	size  int64  // of the file, where there is one
	value []byte // where it is in memory
}

// get returns what key holds and makes it the most recently used; nil where
// that is nothing.
func (l *lru) get(key Key) *held {
	at := l.byKey[key]
	if at == nil {
		return nil
	}
	l.order.MoveToFront(at)
	return at.Value.(*held) //nolint:forcetypeassert // the list holds nothing else
}

// put holds h as the most recently used, in place of what its key held.
func (l *lru) put(h *held) {
	l.remove(h.key)
	if l.byKey == nil {
		l.byKey = map[Key]*list.Element{}
	}
	l.byKey[h.key] = l.order.PushFront(h)
	l.total += h.cost
}

// remove forgets key, and reports whether it held something.
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

// evict forgets the least recently used values until the rest costs no more
// than budget, and calls gone with each.
func (l *lru) evict(budget int64, gone func(Key)) {
	for l.total > budget {
		h := l.order.Back().Value.(*held) //nolint:forcetypeassert // see get
		l.remove(h.key)
		gone(h.key)
	}
}
