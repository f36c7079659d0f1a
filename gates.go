// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"time"

	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
)

// retention says whether a request has zero data retention.
func (h *Handler) retention(p *Policy, asked *bool) (bool, error) {
	want := value(asked, false)
	switch {
	case p.ZeroRetention == RetentionForced:
		want = true
	case want && p.ZeroRetention == RetentionOff:
		return false, refuse(ErrForbidden, "zeroDataRetention is not enabled for this team.")
	}
	return want, nil
}

// formats refuses formats that the key may not ask for.
func (p *Policy) formats(w *wire.Scrape) error {
	for _, f := range w.Formats {
		if !allows(p.AllowFormats, f.Type) {
			return refuse(ErrForbidden, "This key may not ask for the format "+f.Type+".")
		}
	}
	return nil
}

// verifyTLS withdraws skipTlsVerification where the team may not skip, and
// returns a warning where it was asked for.
func (p *Policy) verifyTLS(w *wire.Scrape) []string {
	if !p.NoSkipTLS {
		return nil
	}
	asked := value(w.SkipTLSVerification, false)
	w.SkipTLSVerification = new(false)
	if asked {
		return []string{"The option skipTlsVerification has no effect: it is not enabled for this team."}
	}
	return nil
}

// ask asks blocklist and threat gate for a start URL. What its scan costs is
// carried by its page.
func (h *Handler) ask(ctx context.Context, team *Team, a *account, u weburl.URL) error {
	if entry, ok := team.Policy.blocked(u); ok {
		return &refusal{why: errBlocked, text: "URL " + redacted(u.String()) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	ctx, n := tallied(ctx)
	err := admit(ctx, a.gate, u.String())
	a.scans.add(u.String(), int(n.Load()))
	return err
}

// queue refuses new jobs while too many pages wait.
func (h *Handler) queue(team *Team) error {
	bound := team.Policy.queuedPages()
	if bound >= 0 && h.service.backlog.left(team.ID) >= bound {
		return &refusal{why: errRate, wait: 10 * time.Second}
	}
	return nil
}
