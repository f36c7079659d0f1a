// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/internal/uuid"
)

var (
	// ErrKey means that a key is unknown, malformed, revoked or expired.
	ErrKey = errors.New("invalid key")
	// ErrForbidden means that a key is known and may not be used for a request.
	// The text of the error that wraps it reaches the client.
	ErrForbidden = errors.New("forbidden")
	// ErrNoKey means that no key has the given id.
	ErrNoKey = errors.New("no such key")
)

// Key is what is known of an API key. The key itself is shown once, by
// [Keys.Create].
type Key struct {
	ID      string    `json:"id"` // UUIDv7
	Name    string    `json:"name,omitempty"`
	Team    string    `json:"team"`
	Last4   string    `json:"last4"` // characters, so that people know it again
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Revoked time.Time `json:"revoked,omitzero"` // zero: it is not
	Hash    string    `json:"sha256"`           // of the key without "fc-", in hexadecimal digits
}

// Keys keeps API keys by their SHA-256: they are random, so no slow hash is
// needed. The zero value keeps them in memory, one of [OpenKeys] in a file too.
// It is safe for concurrent use.
type Keys struct {
	// Audit is told of keys that are made and revoked; nil: nobody is.
	Audit audit.Sink

	path string // empty: in memory alone

	mu     sync.RWMutex
	keys   map[[sha256.Size]byte]Key // guarded by mu; replaced, never changed
	file   fs.FileInfo               // guarded by mu; what they were read from; nil: there was no file
	looked time.Time                 // guarded by mu; when that was last made sure of
	fault  error                     // guarded by mu; why it could not be read then
}

// OpenKeys reads the keys in the file at path; it need not be there yet. Every
// change is written to a new file that takes the place of the old one. What
// another process changes, such as one that revokes a key, holds here within a
// second; a file that cannot be read then lets nobody in. Two processes should
// not make changes at the same instant. Errors are the file system's, or say
// what is wrong with the file.
func OpenKeys(path string) (*Keys, error) {
	k := &Keys{path: path}
	if err := k.look(); err != nil {
		return nil, err
	}
	return k, nil
}

// lookAgain is how long the keys are taken for those of the file.
const lookAgain = time.Second

// known returns the keys.
func (k *Keys) known() (map[[sha256.Size]byte]Key, error) {
	k.mu.RLock()
	keys, looked, fault := k.keys, k.looked, k.fault
	k.mu.RUnlock()
	if k.path == "" || time.Since(looked) < lookAgain {
		return keys, fault
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.looked) < lookAgain { // by another request meanwhile
		return k.keys, k.fault
	}
	err := k.look()
	return k.keys, err
}

// look looks at the file, and notes what came of it: one that cannot be read is
// not tried for each request. The caller holds mu.
func (k *Keys) look() error {
	if k.path == "" {
		return nil
	}
	k.fault = k.reread()
	k.looked = time.Now()
	return k.fault
}

// reread reads the file, if it is not the one that the keys are from. The caller
// holds mu.
func (k *Keys) reread() error {
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

// Create makes a key of 256 random bits for a team and returns it, for the only
// time. It expires after life; zero means never. Errors are the file system's,
// and then there is no new key, or the audit log's.
func (k *Keys) Create(ctx context.Context, team, name string, life time.Duration) (string, Key, error) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails (crypto/rand)
	text := "fc-" + base64.RawURLEncoding.EncodeToString(raw)
	hash := HashKey(text)
	key := Key{
		ID: uuid.New(), Name: name, Team: team, Last4: text[len(text)-4:],
		Created: time.Now().UTC(), Hash: hex.EncodeToString(hash[:]),
	}
	if life > 0 {
		key.Expires = key.Created.Add(life)
	}
	if _, err := k.change(func(keys map[[sha256.Size]byte]Key) bool {
		keys[hash] = key
		return true
	}); err != nil {
		return "", Key{}, fmt.Errorf("keep key %s: %w", key.ID, err)
	}
	return text, key, k.tell(ctx, audit.KeyCreated, key, key.Created)
}

// tell writes to the audit log what became of a key.
func (k *Keys) tell(ctx context.Context, what audit.Action, key Key, at time.Time) error {
	return audit.Send(ctx, k.Audit, audit.Event{
		Type: audit.AdminActivity, Action: what, TeamID: key.Team, Key: audit.Key{ID: key.ID, Name: key.Name}, Started: at, Completed: at,
	})
}

// Revoke ends a key. Revoking it again changes nothing. Errors wrap ErrNoKey, or
// are the file system's.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	var found Key
	changed, err := k.change(func(keys map[[sha256.Size]byte]Key) bool {
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
	switch {
	case err != nil:
		return fmt.Errorf("revoke %s: %w", id, err)
	case found.ID == "":
		return fmt.Errorf("revoke %s: %w", id, ErrNoKey)
	case !changed:
		return nil
	}
	return k.tell(ctx, audit.KeyRevoked, found, found.Revoked)
}

// List returns the keys of a team, the oldest first; of all teams where team is
// empty. Where the file cannot be read they are those that were last known.
func (k *Keys) List(team string) []Key {
	keys, _ := k.known()
	var list []Key
	for _, key := range keys {
		if team == "" || key.Team == team {
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Key) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// change makes a change to the keys, in the file first, and reports whether
// there was one.
func (k *Keys) change(edit func(map[[sha256.Size]byte]Key) bool) (bool, error) {
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

// save puts a new file in the place of the old one, and returns it.
func (k *Keys) save(keys map[[sha256.Size]byte]Key) (file fs.FileInfo, err error) {
	list := slices.SortedFunc(maps.Values(keys), func(a, b Key) int { return strings.Compare(a.ID, b.ID) })
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

// nobody is the hash of no key.
var nobody = strings.Repeat("0", hex.EncodedLen(sha256.Size))

// Find returns what is known of a key, given with or without a leading "fc-". If
// the key is unknown, revoked or expired, the error is [ErrKey], after the same
// steps for each. Any other error is of the file of keys.
func (k *Keys) Find(text string) (Key, error) {
	hash := HashKey(text)
	keys, err := k.known()
	if err != nil {
		return Key{}, err
	}
	key, there := keys[hash]
	if !there {
		key.Hash = nobody // decoded and compared all the same
	}
	var held [sha256.Size]byte
	_, _ = hex.Decode(held[:], []byte(key.Hash))
	now := time.Now()
	expired := !key.Expires.IsZero() && !now.Before(key.Expires)
	if subtle.ConstantTimeCompare(held[:], hash[:]) != 1 || len(text) > MaxKey || expired || !key.Revoked.IsZero() {
		return Key{}, ErrKey
	}
	return key, nil
}

// MaxKey is the length of the longest key that is looked up, in bytes.
const MaxKey = 256

// HashKey returns the SHA-256 of a key without its leading "fc-", which is all
// that is kept of a key.
func HashKey(key string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.TrimPrefix(key, "fc-")))
}
