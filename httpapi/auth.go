// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
)

// Authenticator says which team a key belongs to. It answers an unknown,
// revoked or expired key with an error that wraps [ErrKey], after the same
// steps for each; a known key that may not be used for this request with one
// that wraps [ErrForbidden]; any other error is a 500. It reads no body, and is
// called at once by any number of requests.
type Authenticator func(r *http.Request, key string) (account.Team, error)

// StaticKeys returns an Authenticator for a fixed set of keys, each with its
// team. A key matches with and without a leading "fc-"; one that is empty or
// over 256 bytes matches nothing. Only SHA-256 hashes of the keys are kept: keys
// are random, so no slow hash is needed.
//
// A name "sha256:" with 64 hexadecimal digits stands for the key that has this
// hash, without its "fc-": then the caller need not know the key. One with
// anything else behind the colon matches nothing.
func StaticKeys(keys map[string]account.Team) Authenticator {
	type entry struct {
		hash [sha256.Size]byte
		team account.Team
	}
	known := make(map[[sha256.Size]byte]entry, len(keys))
	for key, team := range keys {
		digits, hashed := strings.CutPrefix(key, "sha256:")
		raw, err := hex.DecodeString(digits)
		switch {
		case hashed && (err != nil || len(raw) != sha256.Size):
		case hashed:
			known[[sha256.Size]byte(raw)] = entry{[sha256.Size]byte(raw), team}
		case len(key) <= account.MaxKey && strings.TrimPrefix(key, "fc-") != "":
			known[account.HashKey(key)] = entry{account.HashKey(key), team}
		}
	}
	return func(_ *http.Request, key string) (account.Team, error) {
		hash := account.HashKey(key)
		held := known[hash] // of an unknown key the zero hash, compared all the same
		if subtle.ConstantTimeCompare(held.hash[:], hash[:]) != 1 || len(key) > account.MaxKey {
			return account.Team{}, account.ErrKey
		}
		return held.team, nil
	}
}

// KeyAuthenticator returns an Authenticator that looks keys up in k. It asks team
// for the policy of a key's team.
func KeyAuthenticator(k *account.Keys, team func(id string) (account.Team, error)) Authenticator {
	return func(_ *http.Request, text string) (account.Team, error) {
		key, err := k.Find(text)
		if err != nil {
			return account.Team{}, err
		}
		t, err := team(key.Team)
		t.KeyID, t.KeyName = key.ID, key.Name
		return t, err
	}
}

// authenticate returns the team that r's key belongs to.
func (h *Handler) authenticate(r *http.Request, socket bool) (account.Team, error) {
	if h.options.Authenticator == nil {
		return account.Team{ID: "default"}, nil // InsecureNoAuth
	}
	header := strings.TrimSpace(r.Header.Get("Authorization"))
	if header == "" && socket {
		if protocols := subprotocols(r); len(protocols) > 0 {
			return h.options.Authenticator(r, protocols[0])
		}
	}
	if header == "" {
		return account.Team{}, errNoKey
	}
	scheme, key, ok := strings.Cut(header, " ")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return account.Team{}, errNoToken
	}
	team, err := h.options.Authenticator(r, key)
	if err == nil && !strings.EqualFold(scheme, "Bearer") {
		return account.Team{}, errBadToken // asked all the same: every refusal takes the same steps
	}
	return team, err
}

// keyRefused tells the audit log of a key that was refused.
func (h *Handler) keyRefused(ctx context.Context, c *call) {
	if h.service.Audit == nil {
		return
	}
	now := time.Now()
	err := audit.Send(context.WithoutCancel(ctx), h.service.Audit, audit.Event{
		Type: audit.AdminActivity, Action: audit.KeyRefused, RequestID: c.id, Endpoint: c.route.class.String(), Started: now, Completed: now, Result: audit.Blocked,
	})
	if err != nil {
		h.logger().ErrorContext(ctx, "audit event lost", "request", c.id, "err", err)
	}
}
