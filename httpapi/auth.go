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

// Authenticator says which team a request belongs to. It is called for every
// request. The key is that of the Authorization header. It is empty if there is no
// such header, or none with a bearer key: then the request may be known by something
// else, such as a session, a cookie or a client certificate.
//
// An Authenticator returns an error that wraps [account.ErrKey] if the key is empty,
// unknown, revoked or expired and nothing else identifies the client. It takes the
// same steps for each of these. It returns an error that wraps
// [account.ErrForbidden] if the client is known but may not make this request. Any
// other error is answered with status 500. It does not read the body. It is called
// by several goroutines at once.
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

// authenticate returns the team that r belongs to.
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
