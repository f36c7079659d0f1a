// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/uuid"
)

// Encode returns the JSON body of the event. kind is the kind of the job, such as crawl, and
// job its ID.
func (e *Event) Encode(kind, job string, metadata map[string]string) ([]byte, error) {
	return jsonenc.Encode(envelope{
		Success: e.Success, Type: kind + "." + e.Name, ID: job, WebhookID: uuid.Derive(job, e.Name, int64(e.Index)),
		Data: append([]json.RawMessage{}, e.Data...), Error: e.Err, Metadata: metadata,
	})
}

// Send makes one attempt to deliver an event of a job of the given kind, such as crawl. The
// job is the ID of a job. The caller repeats the attempt if it fails.
func (c *Config) Send(ctx context.Context, to *Hook, kind, job string, e *Event) error {
	if err := c.CheckURL(to.URL); err != nil {
		return err
	}
	body, err := e.Encode(kind, job, to.Metadata)
	if err != nil {
		return err
	}
	once := *c
	once.Client = c.NewClient()
	if c.Client == nil {
		defer once.Client.CloseIdleConnections()
	}
	return once.Post(ctx, to, "", body)
}

// errReceiver is a response with a status other than 2xx.
var errReceiver = errors.New("receiver refused the event")

// Post makes one attempt to send the body of an event of a team, with c.Client, which must be
// set. It signs the body with the key of the team. A response with a status other than 2xx is
// an error.
func (c *Config) Post(ctx context.Context, to *Hook, team string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, v := range to.Headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Content-Type", "application/json")
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "curlew")
	}
	if err := c.sign(ctx, req.Header, team, body); err != nil {
		return err
	}
	resp, err := c.Client.Do(req)
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err // the outer error contains the URL, which may include a secret
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxHookAnswer) // read so that the connection can be reused
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%w: status %d", errReceiver, resp.StatusCode)
	}
	return nil
}

// Headers of a signed event. The first signs the body, the second the time and
// the body.
const (
	headerSignature = "X-Firecrawl-Signature"
	headerTimed     = "X-Curlew-Signature"
)

// sign adds the signatures of body if the team has a secret.
func (c *Config) sign(ctx context.Context, h http.Header, team string, body []byte) error {
	if c.Secret == nil {
		return nil
	}
	secret, err := c.Secret(ctx, team)
	if err != nil || secret == "" {
		return err
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	h.Set(headerSignature, "sha256="+signature(secret, body))
	h.Set(headerTimed, "t="+now+",v1="+signature(secret, []byte(now+"."), body))
	return nil
}

// signature returns the HMAC-SHA256 of the parts in hexadecimal digits.
func signature(secret string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}
