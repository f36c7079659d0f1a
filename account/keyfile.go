// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"
)

// keyFile implements [KeyStore] in memory and, if it has a path, in a file.
type keyFile struct {
	path string // empty means in memory only

	mu     sync.RWMutex
	keys   map[[sha256.Size]byte]Key // guarded by mu; replaced as a whole, never modified
	file   fs.FileInfo               // guarded by mu; the file that the keys were read from; nil if it did not exist
	looked time.Time                 // guarded by mu; when the file was last checked
	fault  error                     // guarded by mu; why it could not be read then, or nil
}

// lookAgain is how often the file is checked for changes.
const lookAgain = time.Second

// known returns the current keys.
func (k *keyFile) known() (map[[sha256.Size]byte]Key, error) {
	k.mu.RLock()
	keys, looked, fault := k.keys, k.looked, k.fault
	k.mu.RUnlock()
	if k.path == "" || time.Since(looked) < lookAgain {
		return keys, fault
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.looked) < lookAgain { // another request has checked the file in the meantime
		return k.keys, k.fault
	}
	err := k.look()
	return k.keys, err
}

// look checks the file and records the result, so that an unreadable file is
// not read for each request. The caller holds mu.
func (k *keyFile) look() error {
	if k.path == "" {
		return nil
	}
	k.fault = k.reread()
	k.looked = time.Now()
	return k.fault
}

// reread reads the file again if it has changed. The caller holds mu.
func (k *keyFile) reread() error {
	file, err := os.Stat(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		k.keys, k.file = nil, nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("open keys: %w", err)
	}
	if k.file == nil || !os.SameFile(file, k.file) || file.Size() != k.file.Size() || !file.ModTime().Equal(k.file.ModTime()) {
		keys, err := readKeys(k.path)
		if err != nil {
			return fmt.Errorf("open keys: %w", err)
		}
		k.keys, k.file = keys, file
	}
	return nil
}

// readKeys reads a file of keys.
func readKeys(path string) (map[[sha256.Size]byte]Key, error) {
	data, err := os.ReadFile(path) // #nosec G304 -- the operator's own file
	if err != nil {
		return nil, err
	}
	var list []Key
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	keys := make(map[[sha256.Size]byte]Key, len(list))
	for _, key := range list {
		raw, err := hex.DecodeString(key.Hash)
		if err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("%s: key %s has no SHA-256", path, key.ID)
		}
		keys[[sha256.Size]byte(raw)] = key
	}
	return keys, nil
}

// AddKey implements [KeyStore].
func (k *keyFile) AddKey(_ context.Context, key *Key, life time.Duration) error {
	raw, err := hex.DecodeString(key.Hash)
	if err != nil || len(raw) != sha256.Size {
		return fmt.Errorf("key %s has no SHA-256", key.ID)
	}
	key.Created = time.Now().UTC()
	if life > 0 {
		key.Expires = key.Created.Add(life)
	}
	_, err = k.change(func(keys map[[sha256.Size]byte]Key) bool {
		keys[[sha256.Size]byte(raw)] = *key
		return true
	})
	return err
}

// RevokeKey implements [KeyStore].
func (k *keyFile) RevokeKey(_ context.Context, id string) (found Key, revoked bool, err error) {
	revoked, err = k.change(func(keys map[[sha256.Size]byte]Key) bool {
		for hash, key := range keys {
			if key.ID != id {
				continue
			}
			if found = key; !key.Revoked.IsZero() {
				return false
			}
			found.Revoked = time.Now().UTC()
			keys[hash] = found
			return true
		}
		return false
	})
	if err == nil && found.ID == "" {
		err = ErrNoKey
	}
	return found, revoked, err
}

// ListKeys implements [KeyStore].
func (k *keyFile) ListKeys(_ context.Context, team string) ([]Key, error) {
	keys, err := k.known()
	if err != nil {
		return nil, err
	}
	var list []Key
	for _, key := range keys {
		if team == "" || key.Team == team {
			list = append(list, key)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list, nil
}

// FindKey implements [KeyStore].
func (k *keyFile) FindKey(_ context.Context, hash [sha256.Size]byte) (Key, error) {
	keys, err := k.known()
	if err != nil {
		return Key{}, err
	}
	key, known := keys[hash]
	expired := !key.Expires.IsZero() && !time.Now().Before(key.Expires)
	if !known || expired || !key.Revoked.IsZero() {
		return Key{}, ErrKey
	}
	return key, nil
}

// change applies edit to the keys, first in the file. It reports whether edit
// changed anything.
func (k *keyFile) change(edit func(map[[sha256.Size]byte]Key) bool) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.look(); err != nil {
		return false, err
	}
	next := maps.Clone(k.keys)
	if next == nil {
		next = map[[sha256.Size]byte]Key{}
	}
	if !edit(next) {
		return false, nil
	}
	if k.path != "" {
		file, err := k.save(next)
		if err != nil {
			return false, err
		}
		k.file = file
	}
	k.keys = next
	return true, nil
}

// save replaces the file by a new one and returns it.
func (k *keyFile) save(keys map[[sha256.Size]byte]Key) (file fs.FileInfo, err error) {
	list := slices.Collect(maps.Values(keys))
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(k.path)
	f, err := os.CreateTemp(dir, ".keys-") // mode 0600
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Sync())
	file, told := f.Stat()
	if err = errors.Join(err, told, f.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), k.path); err != nil {
		return nil, err
	}
	d, err := os.Open(dir) // #nosec G304 -- the operator's own
	if err != nil {
		return nil, err
	}
	return file, errors.Join(d.Sync(), d.Close())
}
