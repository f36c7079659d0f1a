// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoSnapshot means that there is no snapshot of a page.
var ErrNoSnapshot = errors.New("no snapshot")

// Snapshot is the content of a page at one time.
type Snapshot struct {
	Time     time.Time                  `json:"time"`
	Markdown string                     `json:"markdown"`
	Fields   map[string]json.RawMessage `json:"fields,omitzero"` // nil if they were not asked for
}

// Snapshots store the last snapshot of each key. Keys are lower-case hexadecimal.
// If there is no snapshot for a key, or it was evicted, the error of Last wraps
// [ErrNoSnapshot]. The caller may change the result of Last. Save replaces the
// previous snapshot and does not change s. Implementations are safe for
// concurrent use and return when ctx ends. Package
// [example.com/curlew/format/formattest] checks an implementation.
type Snapshots interface {
	Last(ctx context.Context, key string) (*Snapshot, error)
	Save(ctx context.Context, key string, s *Snapshot) error
}

// MemorySnapshots are [Snapshots] in memory. The zero value is ready.
type MemorySnapshots struct {
	MaxBytes int64 // limit for all snapshots together, above which the least recently used are evicted; zero means 64 MiB, -1 means no limit

	mu    sync.Mutex
	used  int64                    // guarded by mu
	byKey map[string]*list.Element // guarded by mu; of keptSnapshot
	order list.List                // guarded by mu; last used first
}

type keptSnapshot struct {
	key string
	raw []byte
}

// Last implements [Snapshots].
func (m *MemorySnapshots) Last(_ context.Context, key string) (*Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byKey[key]
	if e == nil {
		return nil, ErrNoSnapshot
	}
	m.order.MoveToFront(e)
	return readSnapshot(e.Value.(*keptSnapshot).raw) // nothing else is in the list
}

// Save implements [Snapshots].
func (m *MemorySnapshots) Save(_ context.Context, key string, s *Snapshot) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.byKey[key]; e != nil {
		m.drop(e)
	}
	if m.byKey == nil {
		m.byKey = map[string]*list.Element{}
	}
	m.byKey[key] = m.order.PushFront(&keptSnapshot{key, raw})
	m.used += int64(len(raw))
	for most := cmp.Or(m.MaxBytes, 64<<20); most > 0 && m.used > most; {
		m.drop(m.order.Back())
	}
	return nil
}

// drop removes a snapshot. The caller holds mu.
func (m *MemorySnapshots) drop(e *list.Element) {
	kept := m.order.Remove(e).(*keptSnapshot) // nothing else is in the list
	delete(m.byKey, kept.key)
	m.used -= int64(len(kept.raw))
}

// FileSnapshots are [Snapshots] in a directory, with one file each. Files are
// replaced atomically, so a process that is killed leaves the old or the new one.
type FileSnapshots struct{ root *os.Root }

// OpenFileSnapshots opens a directory, and creates it if it does not exist. The
// caller closes it after use.
func OpenFileSnapshots(dir string) (*FileSnapshots, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	return &FileSnapshots{root}, nil
}

// Close closes the directory.
func (f *FileSnapshots) Close() error { return f.root.Close() }

// maxSnapshotFile is the size limit of a file: the longest Markdown, escaped.
const maxSnapshotFile = 8 * maxSnapshot

// Last implements [Snapshots]. A damaged file counts as no snapshot.
func (f *FileSnapshots) Last(ctx context.Context, key string) (*Snapshot, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	name, err := snapshotFile(key)
	if err != nil {
		return nil, err
	}
	file, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoSnapshot
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxSnapshotFile))
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return readSnapshot(raw)
}

// Save implements [Snapshots].
func (f *FileSnapshots) Save(ctx context.Context, key string, s *Snapshot) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	name, err := snapshotFile(key)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err == nil {
		part := name + "." + rand.Text() + ".part"
		if err = f.root.WriteFile(part, raw, 0o600); err == nil {
			err = f.root.Rename(part, name)
		}
		if err != nil {
			_ = f.root.Remove(part)
		}
	}
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

// snapshotFile returns the name of a key's file.
func snapshotFile(key string) (string, error) {
	if key == "" || len(key) > 128 || strings.Trim(key, "0123456789abcdef") != "" {
		return "", fmt.Errorf("snapshot: %w", fs.ErrInvalid)
	}
	return key + ".json", nil
}

func readSnapshot(raw []byte) (*Snapshot, error) {
	s := new(Snapshot)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoSnapshot, err)
	}
	return s, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
