// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"time"
)

// Key names a creation of a job, or an [Runner.AppendOnce], that must happen once
// in all processes that share a [Keyer].
type Key struct {
	Name string        // unique for the owner and the kind of the job; 1 to 255 bytes of text
	Data []byte        // opaque to the store, which returns it in a [KeyError]
	Life time.Duration // how long the store remembers the key, which must be positive; from the store: how much longer

	Job string // ID of the job that was created or appended to; set by the store
}

// KeyError means that the key was used before, so nothing was created or appended.
type KeyError struct{ Key Key } // the key as it was stored by the earlier call

// Error returns the ID of the job of the earlier call.
func (e *KeyError) Error() string { return "the key was used for job " + e.Key.Job }

// Keyer is an optional interface of a [Store] that several processes share.
//
// Its Create stores [Job].Key in the same transaction as the job. If a job of the
// same owner and kind has used the name before, it creates nothing and returns a
// [*KeyError]. If two processes create at the same time, one of them succeeds. Its
// spaces implement [KeyedSpace]. A key outlives its job.
type Keyer interface {
	// Key returns the key with this name, or nil if no job has used it.
	Key(ctx context.Context, owner, kind, name string) (*Key, error)
}

// KeyedSpace is an optional interface of a [Space] of a [Keyer].
type KeyedSpace interface {
	// AppendOnce is like Append, and stores the key in the same transaction. If the
	// name was used before, it appends nothing and returns a [*KeyError]. All items
	// must be of the kind [Input].
	AppendOnce(ctx context.Context, k *Key, items ...Item) error
}

// AppendOnce is like [Runner.Append], and the store remembers the key if it is a
// [Keyer]. Other stores ignore the key.
func (r *Runner) AppendOnce(ctx context.Context, owner, id string, k *Key, items ...Item) error {
	return r.append(ctx, owner, id, items, func(s Space) Space {
		if keyed, ok := s.(KeyedSpace); ok && k != nil {
			return onceSpace{s, keyed, k}
		}
		return s
	})
}

// onceSpace is a space that appends with a key.
type onceSpace struct {
	Space
	keyed KeyedSpace
	key   *Key
}

// Append implements [Space].
func (s onceSpace) Append(ctx context.Context, items ...Item) error {
	return s.keyed.AppendOnce(ctx, s.key, items...)
}

// Key returns the key with this name, or nil if it is unknown or the store is no
// [Keyer].
func (r *Runner) Key(ctx context.Context, owner, kind, name string) (*Key, error) {
	if s, ok := r.store().(Keyer); ok {
		return s.Key(ctx, owner, kind, name)
	}
	return nil, nil //nolint:nilnil // no key is not an error
}
