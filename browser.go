// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"

	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/threat"
)

// pageBounds is like bounds, for pages that the browser b shows as o says. A nil o has no
// pages.
func (c *Caller) pageBounds(b *viewing.Browser, o *ScrapeOptions, zeroRetention bool, over *threat.Override) (bounds, error) {
	if o == nil {
		return c.bounds(nil, zeroRetention, over)
	}
	rules, err := c.bounds(&o.ParseOptions, zeroRetention, over)
	if err == nil {
		err = cmp.Or(able(b, o.Browser), forbid(policy.View(&c.Team.Policy, o.Browser, o.FormNames != nil)))
	}
	return rules, err
}

// able returns an error if the browser cannot do what r asks. r may be nil.
func able(b *viewing.Browser, r *render.Request) error {
	no := b.Check(r)
	switch {
	case no == nil:
		return nil
	case no.Kind == "":
		return &Error{Err: ErrRequest, Field: "Browser", Text: no.Wish + " " + no.Why}
	}
	return refuse(faults.ErrActions, "Actions are not supported by this server: "+no.Wish+" "+no.Why+".")
}

// File returns a picture or PDF of a page and its media type. id, n and key are from its
// URL, which is [ScrapeOptions].Files + id + "/" + n + "?sig=" + key. Whoever has the URL
// may read the file, so there is no Caller. If there is no such file, if its job has
// been deleted, or if the key is wrong, the error wraps [job.ErrNotFound].
func (s *Service) File(ctx context.Context, id string, n int, key string) (data []byte, mediaType string, err error) {
	f, err := s.parts().files.Open(ctx, id, n, key)
	return f.Data, f.Type, err
}
