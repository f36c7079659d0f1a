// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
)

// Authenticator returns the team of a request. It is called for every request
// with the key in the Authorization header. The key is empty if there is no
// such header or if it has no bearer key. Then the request may be identified by
// something else, such as a session, a cookie or a client certificate.
//
// If the key is empty, unknown, revoked or expired and nothing else identifies
// the client, an Authenticator returns an error that wraps [account.ErrKey]. It
// must do the same work in each of these cases, so that its time reveals
// nothing. If the client is known but may not make this request, the error
// wraps [account.ErrForbidden]. Any other error is answered with status 500. An
// Authenticator must not read the body, and must be safe for concurrent use.
type Authenticator func(r *http.Request, key string) (account.Team, error)

// StaticKeys returns an Authenticator for a fixed set of keys with their teams.
// A key matches with and without a leading "fc-". An empty key, and one of more
// than 256 bytes, never matches. Only SHA-256 hashes of the keys are stored. A
// slow hash is not necessary, because keys are random.
//
// A name "sha256:" followed by 64 hexadecimal digits stands for the key with
// this hash, without its "fc-", so that the caller need not know the key. A
// name with anything else after "sha256:" never matches.
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
		held := known[hash] // the zero hash for an unknown key, which takes the same time to compare
		if subtle.ConstantTimeCompare(held.hash[:], hash[:]) != 1 || len(key) > account.MaxKey {
			return account.Team{}, account.ErrKey
		}
		return held.team, nil
	}
}

// KeyAuthenticator returns an Authenticator that looks up keys in k. It calls
// team for the policy of a key's team.
func KeyAuthenticator(k *account.Keys, team func(id string) (account.Team, error)) Authenticator {
	return func(r *http.Request, text string) (account.Team, error) {
		key, err := k.Find(r.Context(), text)
		if err != nil {
			return account.Team{}, err
		}
		t, err := team(key.Team)
		t.KeyID, t.KeyName = key.ID, key.Name
		return t, err
	}
}

// authenticate returns the team of r.
func (h *Handler) authenticate(r *http.Request, socket bool) (account.Team, error) {
	if h.options.Authenticator == nil {
		return account.Team{ID: "default"}, nil // InsecureNoAuth
	}
	key, missing := bearer(r, socket)
	team, err := h.options.Authenticator(r, key)
	if missing != nil && errors.Is(err, account.ErrKey) {
		err = missing
	}
	return team, err
}

// bearer returns the key of a request. If there is none, the error says why.
func bearer(r *http.Request, socket bool) (key string, missing error) {
	header := strings.TrimSpace(r.Header.Get("Authorization"))
	if header == "" && socket {
		if protocols := subprotocols(r); len(protocols) > 0 {
			return protocols[0], nil
		}
	}
	if header == "" {
		return "", errNoKey
	}
	scheme, key, ok := strings.Cut(header, " ")
	key = strings.TrimSpace(key)
	switch {
	case !ok || key == "":
		return "", errNoToken
	case !strings.EqualFold(scheme, "Bearer"):
		return "", errBadToken
	}
	return key, nil
}

// keyRefused writes the audit event of a refused key.
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
