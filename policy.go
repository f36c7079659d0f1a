// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"example.com/curlew/account"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// retention says whether a request has zero data retention.
func (h *Handler) retention(p *account.Policy, asked *bool) (bool, error) {
	want := value(asked, false)
	switch {
	case p.ZeroRetention == account.RetentionForced:
		want = true
	case want && p.ZeroRetention == account.RetentionOff:
		return false, refuse(account.ErrForbidden, "zeroDataRetention is not enabled for this team.")
	}
	return want, nil
}

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

// ask asks blocklist and threat gate for a start URL. What its scan costs is
// carried by its page.
func (h *Handler) ask(ctx context.Context, team *account.Team, a *meter, u weburl.URL) error {
	if entry, ok := blocked(&team.Policy, u); ok {
		return &refusal{why: errBlocked, text: "URL " + redacted(u.String()) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	ctx, n := tallied(ctx)
	err := admit(ctx, a.gate, u.String())
	a.scans.add(u.String(), int(n.Load()))
	return err
}

// queue refuses new jobs while too many pages wait.
func (h *Handler) queue(team *account.Team) error {
	bound := queuedPages(&team.Policy)
	if bound >= 0 && h.service.backlog.left(team.ID) >= bound {
		return &refusal{why: errRate, wait: 10 * time.Second}
	}
	return nil
}

// concurrency returns how many pages a team may work on at once.
func concurrency(p *account.Policy) int { return max(1, cmp.Or(p.MaxConcurrency, 8)) }

// queuedPages returns how many pages of a team may wait. A negative number means no bound.
func queuedPages(p *account.Policy) int { return cmp.Or(p.MaxQueuedPages, 50_000) }

// allows reports whether a list of what is allowed holds name; nil holds all.
func allows(list []string, name string) bool { return list == nil || slices.Contains(list, name) }

// blocked returns the entry of the blocklist of p that covers u.
func blocked(p *account.Policy, u weburl.URL) (string, bool) {
	host := u.HostKey()
	i := slices.IndexFunc(p.Blocklist, func(entry string) bool {
		domain := strings.ToLower(strings.Trim(entry, ". "))
		if strings.ContainsFunc(domain, func(r rune) bool { return r > unicode.MaxASCII }) {
			u, err := weburl.Parse("http://" + domain)
			if err != nil {
				return false
			}
			domain = u.HostKey()
		}
		return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
	})
	if i < 0 {
		return "", false
	}
	return p.Blocklist[i], true
}

// askHook asks blocklist and threat lists for a webhook's target; scores are
// for pages.
func askHook(team *account.Team, g *threat.Gate, h *webhook.Hook) error {
	if h == nil {
		return nil
	}
	u, err := weburl.Parse(h.URL)
	if err != nil {
		return err
	}
	if entry, ok := blocked(&team.Policy, u); ok {
		return &refusal{why: errBlocked, text: "Webhook " + redacted(h.URL) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	if g == nil {
		return nil
	}
	target, err := threat.ParseTarget(h.URL)
	if err != nil {
		return err
	}
	if d, ok := g.Local(target); ok && !d.Allowed {
		return &threat.BlockedError{URL: target.URL, Decision: d}
	}
	return nil
}
