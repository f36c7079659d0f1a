// SPDX-License-Identifier: Apache-2.0

package curlew

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
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/job"
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

	mu   sync.RWMutex
	keys map[[sha256.Size]byte]Key // guarded by mu
}

// OpenKeys reads the keys in the file at path; it need not be there yet. Every
// change is written to a new file that takes the place of the old one. Errors
// are the file system's, or say what is wrong with the file.
func OpenKeys(path string) (*Keys, error) {
	k := &Keys{path: path, keys: map[[sha256.Size]byte]Key{}}
	data, err := os.ReadFile(path) // #nosec G304 -- the operator's own file
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open keys: %w", err)
	}
	var list []Key
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("open keys: %s: %w", path, err)
	}
	for _, key := range list {
		raw, err := hex.DecodeString(key.Hash)
		if err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("open keys: %s: key %s has no SHA-256", path, key.ID)
		}
		k.keys[[sha256.Size]byte(raw)] = key
	}
	return k, nil
}

// Create makes a key of 256 random bits for a team and returns it, for the only
// time. It expires after life; zero means never. Errors are the file system's,
// and then there is no new key, or the audit log's.
func (k *Keys) Create(ctx context.Context, team, name string, life time.Duration) (string, Key, error) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails (crypto/rand)
	text := "fc-" + base64.RawURLEncoding.EncodeToString(raw)
	hash := keyHash(text)
	key := Key{
		ID: job.NewID(), Name: name, Team: team, Last4: text[len(text)-4:],
		Created: time.Now().UTC(), Hash: hex.EncodeToString(hash[:]),
	}
	if life > 0 {
		key.Expires = key.Created.Add(life)
	}
	if err := k.set(hash, key); err != nil {
		return "", Key{}, err
	}
	return text, key, k.tell(ctx, audit.KeyCreated, key, key.Created)
}

// tell writes to the audit log what became of a key.
func (k *Keys) tell(ctx context.Context, what audit.Action, key Key, at time.Time) error {
	return audit.Send(ctx, k.Audit, audit.Event{
		Type: audit.AdminActivity, Action: what, TeamID: key.Team, Key: audit.Key{ID: key.ID, Name: key.Name}, Started: at, Completed: at,
	})
}

// ErrNoKey means that no key has an id.
var ErrNoKey = errors.New("no such key")

// Revoke ends a key. Revoking it again changes nothing. Errors wrap ErrNoKey, or
// are the file system's.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	k.mu.RLock()
	var (
		hash  [sha256.Size]byte
		found Key
	)
	for h, key := range k.keys {
		if key.ID == id {
			hash, found = h, key
		}
	}
	k.mu.RUnlock()
	switch {
	case found.ID == "":
		return fmt.Errorf("revoke %s: %w", id, ErrNoKey)
	case !found.Revoked.IsZero():
		return nil
	}
	found.Revoked = time.Now().UTC()
	if err := k.set(hash, found); err != nil {
		return err
	}
	return k.tell(ctx, audit.KeyRevoked, found, found.Revoked)
}

// List returns the keys of a team, the oldest first; of all teams where team is
// empty.
func (k *Keys) List(team string) []Key {
	k.mu.RLock()
	defer k.mu.RUnlock()
	var list []Key
	for _, key := range k.keys {
		if team == "" || key.Team == team {
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Key) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// set keeps a key, in the file first.
func (k *Keys) set(hash [sha256.Size]byte, key Key) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := maps.Clone(k.keys)
	if next == nil {
		next = map[[sha256.Size]byte]Key{}
	}
	next[hash] = key
	if k.path != "" {
		if err := k.save(next); err != nil {
			return fmt.Errorf("keep key %s: %w", key.ID, err)
		}
	}
	k.keys = next
	return nil
}

// save puts a new file in the place of the old one.
func (k *Keys) save(keys map[[sha256.Size]byte]Key) (err error) {
	list := slices.SortedFunc(maps.Values(keys), func(a, b Key) int { return strings.Compare(a.ID, b.ID) })
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	dir := filepath.Dir(k.path)
	f, err := os.CreateTemp(dir, ".keys-") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), k.path); err != nil {
		return err
	}
	d, err := os.Open(dir) // #nosec G304 -- the operator's own
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Authenticator returns one that knows these keys; team is asked for the policy
// of a key's team. An unknown, revoked or expired key is refused after the same
// steps.
func (k *Keys) Authenticator(team func(id string) (Team, error)) Authenticator {
	return func(_ *http.Request, text string) (Team, error) {
		hash := keyHash(text)
		k.mu.RLock()
		key := k.keys[hash]
		k.mu.RUnlock()
		var held [sha256.Size]byte // of an unknown key zero, compared all the same
		_, _ = hex.Decode(held[:], []byte(key.Hash))
		now := time.Now()
		expired := !key.Expires.IsZero() && !now.Before(key.Expires)
		if subtle.ConstantTimeCompare(held[:], hash[:]) != 1 || len(text) > maxKey || expired || !key.Revoked.IsZero() {
			return Team{}, ErrKey
		}
		t, err := team(key.Team)
		t.KeyID, t.KeyName = key.ID, key.Name
		return t, err
	}
}
