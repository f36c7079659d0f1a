// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"example.com/curlew/threat"
)

// slowMatch reports whether a normalized entry matches the host. It applies the rules of
// matchTable one by one, without a map.
func slowMatch(entry, host string) bool {
	if addr, ok := slowAddr(host); ok {
		if entry == host {
			return true
		}
		b := addr.As16()
		nat := addr.Is6() && netip.MustParsePrefix("64:ff9b::/96").Contains(addr)
		return nat && entry == fmt.Sprintf("%d.%d.%d.%d", b[12], b[13], b[14], b[15])
	}
	if name, below := strings.CutPrefix(entry, "*."); below && !strings.Contains(name, "*") {
		return strings.HasSuffix(host, "."+name)
	}
	if strings.Contains(entry, "*") {
		re := strings.ReplaceAll(regexp.QuoteMeta(entry), `\*`, ".*")
		return regexp.MustCompile("^" + re + "$").MatchString(host)
	}
	return host == entry || strings.HasSuffix(host, "."+entry)
}

func slowTLD(entry, host string) bool {
	_, addr := slowAddr(host)
	return !addr && (host == entry || strings.HasSuffix(host, "."+entry))
}

func slowAddr(host string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return a, err == nil
}

// slowDecide decides like a Policy, rule by rule: the whitelist, the blacklist, the
// top-level domains, and then the score, which is nil if it is unknown.
func slowDecide(p threat.Policy, host string, score *int) threat.Decision {
	if p.Mode == threat.Off {
		return threat.Decision{Allowed: true, Rule: threat.ByDefault}
	}
	for _, e := range p.Whitelist {
		if slowMatch(e, host) {
			return threat.Decision{Allowed: true, Rule: threat.ByWhitelist}
		}
	}
	for _, e := range p.Blacklist {
		if slowMatch(e, host) {
			return threat.Decision{Rule: threat.ByBlacklist}
		}
	}
	for _, e := range p.BlockedTLDs {
		if slowTLD(e, host) {
			return threat.Decision{Rule: threat.ByTLD}
		}
	}
	threshold := threat.DefaultThreshold
	if p.Threshold != nil {
		threshold = *p.Threshold
	}
	if score != nil && *score >= threshold {
		return threat.Decision{Rule: threat.ByRisk}
	}
	return threat.Decision{Allowed: true, Rule: threat.ByDefault}
}

var (
	labels = []string{"a", "b", "ab", "example", "xn--bcher-kva", "x_y"}
	tops   = []string{"com", "zip", "uk", "xn--p1ai"}
	addrs  = []string{"1.2.3.4", "[2001:db8::1]", "[64:ff9b::102:304]", "0.0.0.11"}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// randomName returns a name of 1 to 5 labels from a small alphabet, so that
// entries often match hosts.
func randomName(r *rand.Rand, least int) string {
	name := pick(r, tops)
	for range least - 1 + r.IntN(5-least) {
		name = pick(r, labels) + "." + name
	}
	return name
}

// randomPolicy returns a normalized policy without stars inside entries.
func randomPolicy(r *rand.Rand) threat.Policy {
	list := func(of func() string) []string {
		l := []string{}
		seen := map[string]bool{}
		for range r.IntN(5) {
			if e := of(); !seen[e] {
				seen[e] = true
				l = append(l, e)
			}
		}
		return l
	}
	entry := func() string {
		switch r.IntN(6) {
		case 0:
			return pick(r, addrs)
		case 1, 2:
			return "*." + randomName(r, 2)
		}
		return randomName(r, 2)
	}
	p := threat.Policy{
		Mode:        threat.Mode(min(r.IntN(4), 1)),
		Blacklist:   list(entry),
		Whitelist:   list(entry),
		BlockedTLDs: list(func() string { return randomName(r, 1) }),
		Failure:     threat.FailurePolicy(r.IntN(2)),
	}
	p.Threshold = new(r.IntN(101))
	return p
}

func randomTarget(t testing.TB, r *rand.Rand) threat.Target {
	t.Helper()
	host := randomName(r, 1)
	if r.IntN(5) == 0 {
		host = pick(r, addrs)
	}
	return target(t, "http://"+host+"/")
}

func target(t testing.TB, url string) threat.Target {
	t.Helper()
	tg, err := threat.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}
