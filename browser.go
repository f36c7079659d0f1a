// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/account"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/threat"
)

// mayShow returns an error if the browser b cannot show pages as o asks, or if the
// caller's key may not ask for it.
func (c *Caller) mayShow(b *viewing.Browser, o *ScrapeOptions) error {
	if err := able(b, o.Browser); err != nil || o.Browser == nil {
		return err
	}
	policy := &c.Team.Policy
	for _, s := range o.Browser.Steps {
		name := viewing.ActionName(s.Kind)
		if s.Kind == render.Script && !policy.AllowScripts {
			return refuse(account.ErrForbidden, "executeJavascript is not enabled for this team.")
		}
		if !allows(policy.AllowActions, name) {
			return refuse(account.ErrForbidden, "This key may not ask for the action "+name+".")
		}
	}
	if o.Browser.Scroll != nil && (!allows(policy.AllowActions, "scroll") || !allows(policy.AllowActions, "click")) {
		return refuse(account.ErrForbidden, "This key may not ask for the option scroll, which needs the actions scroll and click.")
	}
	if o.Browser.Screenshot != nil && o.FormNames == nil && !allows(policy.AllowFormats, "screenshot") {
		return refuse(account.ErrForbidden, "This key may not ask for the format screenshot.")
	}
	return nil
}

// pageBounds is like bounds, for pages that the browser b shows as o says. A nil o has no
// pages.
func (c *Caller) pageBounds(b *viewing.Browser, o *ScrapeOptions, zeroRetention bool, over *threat.Override) (bounds, error) {
	if o == nil {
		return c.bounds(nil, zeroRetention, over)
	}
	rules, err := c.bounds(&o.ParseOptions, zeroRetention, over)
	if err == nil {
		err = c.mayShow(b, o)
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
