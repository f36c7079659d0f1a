// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"slices"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/httpapi/internal/wire"
)

// allowFormats refuses formats that the key may not ask for.
func allowFormats(p *account.Policy, w *wire.Scrape) error {
	for _, f := range w.Formats {
		if !allows(p.AllowFormats, f.Type) {
			return refuse(account.ErrForbidden, "This key may not ask for the format "+f.Type+".")
		}
	}
	return nil
}

// verifyTLS withdraws skipTlsVerification where the team may not skip, and
// returns a warning where it was asked for.
func verifyTLS(p *account.Policy, w *wire.Scrape) []string {
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

// allows reports whether a list of what is allowed holds name; nil holds all.
func allows(list []string, name string) bool { return list == nil || slices.Contains(list, name) }

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
