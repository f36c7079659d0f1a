// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultURL = "https://webrisk.googleapis.com"
	maxDiff    = 64 << 20 // bytes of a response with a list
	maxSearch  = 1 << 20  // bytes of a response with hashes
	diffTime   = 5 * time.Minute
)

var errDiffTime = fmt.Errorf("no answer within %v", diffTime)

// Responses of the provider. encoding/json ignores the case of field names.
type (
	diffAnswer struct {
		ResponseType string
		Additions    struct {
			RawHashes []struct {
				PrefixSize int
				RawHashes  []byte
			}
			RiceHashes *json.RawMessage
		}
		Removals struct {
			RawIndices  struct{ Indices []int32 }
			RiceIndices *json.RawMessage
		}
		NewVersionToken     string
		Checksum            struct{ SHA256 []byte }
		RecommendedNextDiff time.Time
	}
	searchAnswer struct {
		Threats []struct {
			Hash        []byte
			ThreatTypes []string
			ExpireTime  time.Time
		}
		NegativeExpireTime time.Time
	}
)

// diff requests the changes of a list since token, or the whole list.
func (c *Client) diff(ctx context.Context, kind, token string) (*diffAnswer, error) {
	ctx, stop := context.WithTimeoutCause(ctx, diffTime, errDiffTime)
	defer stop()
	q := url.Values{"threatType": {kind}, "constraints.supportedCompressions": {"RAW"}}
	if token != "" {
		q.Set("versionToken", token)
	}
	a := new(diffAnswer)
	if err := c.get(ctx, "threatLists:computeDiff", q, maxDiff, a); err != nil {
		return nil, err
	}
	return a, nil
}

// search requests the full hashes that start with prefix.
func (c *Client) search(ctx context.Context, prefix string) (*searchAnswer, error) {
	q := url.Values{"hashPrefix": {base64.StdEncoding.EncodeToString([]byte(prefix))}, "threatTypes": c.types()}
	a := new(searchAnswer)
	if err := c.get(ctx, "hashes:search", q, maxSearch, a); err != nil {
		return nil, err
	}
	return a, nil
}

// get makes one call and decodes the response of at most limit bytes. The error
// is an [*Error].
func (c *Client) get(ctx context.Context, call string, q url.Values, limit int64, answer any) error {
	fault := func(status int, err error) error {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err // the outer error contains the query
		}
		return &Error{Call: call, Status: status, Err: err}
	}
	client, err := c.client()
	if err != nil {
		return fault(0, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base()+"/v1/"+call+"?"+q.Encode(), nil)
	if err != nil {
		return fault(0, err)
	}
	r.Header.Set("Accept", "application/json")
	if c.Key != "" {
		r.Header.Set("X-Goog-Api-Key", c.Key)
	}
	resp, err := client.Do(r)
	if err != nil {
		return fault(0, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be reused
		return fault(resp.StatusCode, ErrStatus)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return fault(0, err)
	case int64(len(body)) > limit:
		return fault(0, fmt.Errorf("%w: more than %d bytes", ErrAnswer, limit))
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fault(0, fmt.Errorf("%w: %w", ErrAnswer, err))
	}
	return nil
}

func (c *Client) base() string {
	if c.BaseURL == "" {
		return defaultURL
	}
	return strings.TrimRight(c.BaseURL, "/")
}

// apply returns base changed by the response. base is the version that the
// request named, or nil. It is not modified. Errors wrap [ErrAnswer], and in
// particular [ErrChecksum].
func (a *diffAnswer) apply(base *list) (*list, error) {
	var removed []int32
	switch {
	case a.Additions.RiceHashes != nil || a.Removals.RiceIndices != nil:
		return nil, fmt.Errorf("%w: it is compressed, although no compression was requested", ErrAnswer)
	case len(a.NewVersionToken) > maxToken:
		return nil, fmt.Errorf("%w: the version token has %d bytes", ErrAnswer, len(a.NewVersionToken))
	case a.ResponseType == "RESET":
		base = nil
	case a.ResponseType != "DIFF":
		return nil, fmt.Errorf("%w: the response type is neither DIFF nor RESET", ErrAnswer)
	case base == nil:
		return nil, fmt.Errorf("%w: a DIFF without a list that it changes", ErrAnswer)
	default:
		removed = a.Removals.RawIndices.Indices
	}
	blocks := make([]block, len(a.Additions.RawHashes))
	for i, h := range a.Additions.RawHashes {
		blocks[i] = block{h.PrefixSize, h.RawHashes}
	}
	l, err := newList(base, removed, blocks)
	if err != nil {
		return nil, err
	}
	if sum := l.sum(); len(a.Checksum.SHA256) != sha256.Size || string(sum[:]) != string(a.Checksum.SHA256) {
		return nil, ErrChecksum
	}
	l.token = a.NewVersionToken
	return l, nil
}
