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
	// ErrForbidden means that a key is valid but may not be used for a request.
	// The text of an error that wraps it is sent to the client.
	ErrForbidden = errors.New("forbidden")
	// ErrNoKey means that there is no key with the given id.
	ErrNoKey = errors.New("no such key")
	// ErrPayment means that a team does not have enough credits for a request.
	ErrPayment = errors.New("credits used up")
)

// Key describes an API key. The key itself is returned only once, by
// [Keys.Create].
type Key struct {
	ID      string    `json:"id"` // UUIDv7
	Name    string    `json:"name,omitempty"`
	Team    string    `json:"team"`
	Last4   string    `json:"last4"` // last four characters, by which people recognize the key
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
	Revoked time.Time `json:"revoked,omitzero"` // zero if the key is not revoked
	Hash    string    `json:"sha256"`           // hash of the key without "fc-", in hexadecimal digits
}

// Keys stores API keys by their SHA-256. A slow hash is not necessary, because
// keys are random. The zero value stores them in memory. Keys from [OpenKeys]
// are also stored in a file. Keys is safe for concurrent use.
type Keys struct {
	// Audit gets an event for each key that is created or revoked. It may be
	// nil.
	Audit audit.Sink

	path string // empty means in memory only

	mu     sync.RWMutex
	keys   map[[sha256.Size]byte]Key // guarded by mu; replaced as a whole, never modified
	file   fs.FileInfo               // guarded by mu; the file that the keys were read from; nil if it did not exist
	looked time.Time                 // guarded by mu; when the file was last checked
	fault  error                     // guarded by mu; why it could not be read then, or nil
}

// OpenKeys reads the keys in the file at path, which need not exist. Each
// change writes a new file that replaces the old one. Changes by another
// process, such as a revocation, take effect here within a second. If the file
// cannot be read, all keys are refused. Two processes must not change the file
// at the same instant. Errors come from the file system, or say what is wrong
// with the file.
func OpenKeys(path string) (*Keys, error) {
	k := &Keys{path: path}
	if err := k.look(); err != nil {
		return nil, err
	}
	return k, nil
}

// lookAgain is how often the file is checked for changes.
const lookAgain = time.Second

// known returns the current keys.
func (k *Keys) known() (map[[sha256.Size]byte]Key, error) {
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
func (k *Keys) look() error {
	if k.path == "" {
		return nil
	}
	k.fault = k.reread()
	k.looked = time.Now()
	return k.fault
}

// reread reads the file again if it has changed. The caller holds mu.
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

// Create creates a key of 256 random bits for a team. It returns the key, which
// cannot be read again. The key expires after life; zero means never. If the
// file cannot be written, no key is created. The error may also come from the
// audit log.
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

// tell writes a change of a key to the audit log.
func (k *Keys) tell(ctx context.Context, what audit.Action, key Key, at time.Time) error {
	return audit.Send(ctx, k.Audit, audit.Event{
		Type: audit.AdminActivity, Action: what, TeamID: key.Team, Key: audit.Key{ID: key.ID, Name: key.Name}, Started: at, Completed: at,
	})
}

// Revoke revokes a key. Revoking it again does nothing. The error wraps
// ErrNoKey, or comes from the file system.
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

// List returns the keys of a team, the oldest first. If team is empty, it
// returns the keys of all teams. If the file cannot be read, it returns the
// last known keys.
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

// change applies edit to the keys, first in the file. It reports whether edit
// changed anything.
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

// save replaces the file by a new one and returns it.
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

// nobody is a text that is not the hash of any key. Find compares with it if a key is
// unknown, so that this takes as long as for a known one.
var nobody = strings.Repeat("0", hex.EncodedLen(sha256.Size))

// Find returns the key with the given text, with or without a leading "fc-". If
// the key is unknown, revoked or expired, the error is [ErrKey], after the same
// steps in each case. Any other error comes from the file of keys.
func (k *Keys) Find(text string) (Key, error) {
	hash := HashKey(text)
	keys, err := k.known()
	if err != nil {
		return Key{}, err
	}
	key, there := keys[hash]
	if !there {
		key.Hash = nobody // decode and compare anyway, so that the steps are the same
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

// MaxKey is the maximum length of a key in bytes. Longer keys are not looked
// up.
const MaxKey = 256

// HashKey returns the SHA-256 of a key without its leading "fc-". Only this
// hash is stored.
func HashKey(key string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.TrimPrefix(key, "fc-")))
}
