// SPDX-License-Identifier: Apache-2.0

package netguard

import "net/netip"

// Private are the ranges to allow for a crawl of the operator's own network:
// RFC 1918, loopback, unique local and shared address space.
var Private = prefixes(
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "::1/128", "fc00::/7", "100.64.0.0/10",
)

// metadata are the addresses of cloud metadata services. Only an Allow prefix
// of a single address allows one.
var metadata = prefixes(
	"169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128",
	"fd00:42::42/128", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32",
)

// block is a refused range with its reason.
type block struct {
	prefix netip.Prefix
	reason string
}

// blocks4 are the refused ranges of IPv4: the IANA special-purpose registry,
// multicast, the reserved class, and Azure's host service, which has a public
// address.
var blocks4 = blocks(
	"0.0.0.0/8", "this network", // RFC 791; Linux connects 0.0.0.0 to localhost
	"10.0.0.0/8", "private", // RFC 1918
	"100.64.0.0/10", "carrier-grade NAT", // RFC 6598
	"127.0.0.0/8", "loopback", // RFC 1122
	"168.63.129.16/32", "Azure host service",
	"169.254.0.0/16", "link-local", // RFC 3927
	"172.16.0.0/12", "private", // RFC 1918
	"192.0.0.0/24", "IETF protocol assignments", // RFC 6890
	"192.0.2.0/24", "documentation", // RFC 5737
	"192.31.196.0/24", "AS112", // RFC 7535
	"192.52.193.0/24", "AMT", // RFC 7450
	"192.88.99.0/24", "6to4 relay", // RFC 7526
	"192.168.0.0/16", "private", // RFC 1918
	"192.175.48.0/24", "AS112", // RFC 7534
	"198.18.0.0/15", "benchmarking", // RFC 2544
	"198.51.100.0/24", "documentation", // RFC 5737
	"203.0.113.0/24", "documentation", // RFC 5737
	"224.0.0.0/4", "multicast", // RFC 5771
	"240.0.0.0/4", "reserved", // RFC 1112
)

// global6 is the part of IPv6 that IANA has allocated, and blocks6 are the
// refused ranges within it. All forms that embed an IPv4 address are outside
// global6 or within blocks6.
var (
	global6 = netip.MustParsePrefix("2000::/3")
	blocks6 = blocks(
		"2001::/23", "IETF protocol assignments", // RFC 2928; holds Teredo and ORCHID
		"2001:db8::/32", "documentation", // RFC 3849
		"2002::/16", "6to4", // RFC 3056
		"2620:4f:8000::/48", "AS112", // RFC 7534
		"3fff::/20", "documentation", // RFC 9637
	)
)

// specialNames are never resolved.
var specialNames = []string{"localhost", "localdomain", "local", "internal", "home.arpa", "onion"}

// badPorts are the bad ports of the Fetch standard, section 2.9, in ascending
// order.
var badPorts = []int{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
	109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526,
	530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045,
	4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// special returns why a plain address is not globally reachable unicast, or "".
func special(a netip.Addr) string {
	list := blocks4
	if a.Is6() {
		if !global6.Contains(a) {
			return "outside 2000::/3"
		}
		list = blocks6
	}
	for i := range list {
		if list[i].prefix.Contains(a) {
			return list[i].reason
		}
	}
	return ""
}

// prefixes parses prefixes.
func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, s := range texts {
		list[i] = netip.MustParsePrefix(s)
	}
	return list
}

// blocks parses alternating prefixes and reasons.
func blocks(texts ...string) []block {
	list := make([]block, 0, len(texts)/2)
	for i := 0; i+1 < len(texts); i += 2 {
		list = append(list, block{netip.MustParsePrefix(texts[i]), texts[i+1]})
	}
	return list
}
