// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
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
	ErrPayment = errors.New("not enough credits (running jobs hold those that they have reserved)")
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

// KeyStore stores the keys of [Keys], for example in a database that several processes
// share. Implementations are safe for concurrent use, never get the text of a key, and
// return when ctx ends.
type KeyStore interface {
	// AddKey stores a new key. It sets Created, and Expires if life is above zero, by the
	// clock of the store. After an error the key is not valid, except if it is not known
	// whether the store has done it.
	AddKey(ctx context.Context, k *Key, life time.Duration) error

	// RevokeKey revokes the key with an id and returns it. If the key was revoked before,
	// it changes nothing and revoked is false. If there is no such key, the error wraps
	// [ErrNoKey].
	RevokeKey(ctx context.Context, id string) (k Key, revoked bool, err error)

	// ListKeys returns the keys of a team, the oldest first. If team is empty, it returns
	// the keys of all teams.
	ListKeys(ctx context.Context, team string) ([]Key, error)

	// FindKey returns the valid key with a hash. If the key is unknown, revoked or, by the
	// clock of the store, expired, the error is [ErrKey], after the same steps in each case.
	FindKey(ctx context.Context, hash [sha256.Size]byte) (Key, error)
}

// Keys creates, revokes and checks API keys, and stores their SHA-256. A slow hash is not
// necessary, because keys are random. The zero value stores them in memory, and one from
// [OpenKeys] also in a file. Keys is safe for concurrent use.
type Keys struct {
	// Store stores the keys. Nil means in memory, or in the file of OpenKeys.
	Store KeyStore

	// Audit gets an event for each key that is created or revoked. It may be
	// nil.
	Audit audit.Sink

	own keyFile
}

// OpenKeys reads the keys in the file at path, which need not exist. Each
// change writes a new file that replaces the old one. Changes by another
// process, such as a revocation, take effect here within a second. If the file
// cannot be read, all keys are refused. Two processes must not change the file
// at the same instant. Errors come from the file system, or say what is wrong
// with the file.
func OpenKeys(path string) (*Keys, error) {
	k := &Keys{own: keyFile{path: path}}
	if err := k.own.look(); err != nil {
		return nil, err
	}
	return k, nil
}

// store returns where the keys are stored.
func (k *Keys) store() KeyStore {
	if k.Store != nil {
		return k.Store
	}
	return &k.own
}

// Create creates a key of 256 random bits for a team. It returns the key, which
// cannot be read again. The key expires after life; zero means never. If the
// key cannot be stored, it is not created. The error may also come from the
// audit log.
func (k *Keys) Create(ctx context.Context, team, name string, life time.Duration) (string, Key, error) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails (crypto/rand)
	text := "fc-" + base64.RawURLEncoding.EncodeToString(raw)
	hash := HashKey(text)
	key := Key{ID: uuid.New(), Name: name, Team: team, Last4: text[len(text)-4:], Hash: hex.EncodeToString(hash[:])}
	if err := k.store().AddKey(ctx, &key, life); err != nil {
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
// ErrNoKey, or comes from the store.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	key, revoked, err := k.store().RevokeKey(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("revoke %s: %w", id, err)
	case !revoked:
		return nil
	}
	return k.tell(ctx, audit.KeyRevoked, key, key.Revoked)
}

// List returns the keys of a team, the oldest first. If team is empty, it
// returns the keys of all teams.
func (k *Keys) List(ctx context.Context, team string) ([]Key, error) {
	list, err := k.store().ListKeys(ctx, team)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return list, nil
}

// Find returns the key with the given text, with or without a leading "fc-". If
// the key is unknown, revoked or expired, the error is [ErrKey], after the same
// steps in each case. Any other error comes from the store.
func (k *Keys) Find(ctx context.Context, text string) (Key, error) {
	hash := HashKey(text)
	key, err := k.store().FindKey(ctx, hash)
	if err != nil {
		return Key{}, err
	}
	var held [sha256.Size]byte
	_, _ = hex.Decode(held[:], []byte(key.Hash))
	if subtle.ConstantTimeCompare(held[:], hash[:]) != 1 || len(text) > MaxKey {
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
