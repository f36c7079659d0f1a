// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/account"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// ask asks blocklist and threat gate for a start URL. What its scan costs is
// carried by its page.
func (s *Service) ask(ctx context.Context, team *account.Team, a *meter, u weburl.URL) error {
	if entry, ok := blocked(&team.Policy, u); ok {
		return &Error{Err: errBlocked, Text: "URL " + weburl.Redacted(u.String()) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	ctx, n := tallied(ctx)
	err := admit(ctx, a.gate, u.String())
	a.scans.add(u.String(), int(n.Load()))
	return err
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
		return &Error{Err: errBlocked, Text: "Webhook " + weburl.Redacted(h.URL) + " is blocked for this team (rule: blocklist " + entry + ")"}
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

// clamp returns n, or the bound where n is above it; a bound of zero or
// [Unlimited] is none.
func clamp(n, bound int) int {
	if bound <= 0 {
		return n
	}
	return min(n, bound)
}
