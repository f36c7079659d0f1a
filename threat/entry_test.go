// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/threat"
)

// bad marks an entry that is refused. A part of the error text follows.
const bad = "!"

// entryTable has entries of a blacklist or whitelist with their normal form, or why they
// are invalid.
var entryTable = []struct{ raw, want string }{
	{"example.com", "example.com"},
	{" Example.COM ", "example.com"},
	{"example.com.", "example.com"},
	{"*.example.com", "*.example.com"},
	{"foo_bar.example.com", "foo_bar.example.com"},
	{"bücher.example", "xn--bcher-kva.example"},
	{"*.BÜCHER.example", "*.xn--bcher-kva.example"},
	{"xn--bcher-kva.example", "xn--bcher-kva.example"},
	{"example。com", "example.com"}, // U+3002
	{"1.2.3.4", "1.2.3.4"},
	{"0x7f.1", "127.0.0.1"},
	{"0.11", "0.0.0.11"},
	{"3279880203", "195.127.0.11"},
	{"[2001:db8::1]", "[2001:db8::1]"},
	{"2001:DB8:0::1", "[2001:db8::1]"},
	{"::ffff:1.2.3.4", "1.2.3.4"},
	{"[::1]", "[::1]"},
	{strings.Repeat("a", 63) + ".com", strings.Repeat("a", 63) + ".com"},
	{strings.Repeat("a.", 125) + "com", strings.Repeat("a.", 125) + "com"}, // 253

	{"", bad + "empty"},
	{"  ", bad + "empty"},
	{"*.", bad + "empty"},
	{"http://example.com", bad + "protocol"},
	{"example.com/", bad + "path"},
	{"example.com/path", bad + "path"},
	{`example.com\path`, bad + "path"},
	{"example.com?q", bad + "path"},
	{"example.com#f", bad + "path"},
	{"example.com:80", bad + "port"},
	{"1.2.3.4:80", bad + "port"},
	{"[::1]:80", bad + "port"},
	{"[::1", bad + "port"},
	{"fe80::1%eth0", bad + "path"},
	{"user@example.com", bad + "userinfo"},
	{"*", bad + "star"},
	{"ad*.example.com", bad + "star"},
	{"a.*.example.com", bad + "star"},
	{"*.*.example.com", bad + "star"},
	{"*example.com", bad + "star"},
	{"*.1.2.3.4", bad + "star"},
	{"com", bad + "blockedTlds"},
	{"*.com", bad + "blockedTlds"},
	{"localhost", bad + "blockedTlds"},
	{"a..com", bad + "valid"},
	{".example.com", bad + "valid"},
	{"example.com..", bad + "valid"},
	{strings.Repeat("a", 64) + ".com", bad + "valid"},
	{strings.Repeat("a.", 126) + "com", bad + "valid"}, // 255
	{"exam ple.com", bad + "spaces"},
	{"example.com\t", bad + "spaces"},
	{"example\n.com", bad + "spaces"},
	{"exam\x00ple.com", bad + "control"},
	{"example%2ecom", bad + "path"},
	{"xn--a.example", bad + "valid"}, // not valid Punycode
	{"1.2.3.256", bad + "valid"},     // ends in a number but is not an address
	{"exa|mple.com", bad + "valid"},
	{"[example.com]", bad + "valid"},
	{"\xff.com", bad + "valid"},
}

func TestEntry(t *testing.T) {
	for _, tt := range entryTable {
		for _, path := range []string{"blacklist", "whitelist"} {
			list := &[]string{"first.example", tt.raw, "last.example"}
			o := &threat.Override{Blacklist: list}
			if path == "whitelist" {
				o = &threat.Override{Whitelist: list}
			}
			n, err := o.Normalize()
			checkEntry(t, tt.raw, tt.want, path, err, func() []string {
				if path == "whitelist" {
					return *n.Whitelist
				}
				return *n.Blacklist
			})
		}
	}
}

// checkEntry compares the normal form of the entry raw, which is the second of
// three, or the error, with want.
func checkEntry(t *testing.T, raw, want, path string, err error, list func() []string) {
	t.Helper()
	part, fails := strings.CutPrefix(want, bad)
	if !fails {
		if err != nil {
			t.Errorf("%q: %v", raw, err)
		} else if got := list()[1]; got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
		return
	}
	f, ok := errors.AsType[*threat.FieldError](err)
	if !ok {
		t.Errorf("%q: error %v, want a FieldError", raw, err)
		return
	}
	if f.Path != path+"[1]" || !strings.Contains(f.Msg, part) {
		t.Errorf("%q: error %v, want %s[1] with %q", raw, f, path, part)
	}
}

func TestTLDEntry(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"zip", "zip"},
		{" zip ", "zip"},
		{"ZIP", bad + "lower case"},
		{"co.Uk", bad + "lower case"},
		{"РФ", bad + "lower case"},
		{"co.uk", "co.uk"},
		{"рф", "xn--p1ai"},
		{"xn--p1ai", "xn--p1ai"},
		{"a.b.c", "a.b.c"},
		{"zip.", "zip"},
		{".zip", bad + "begin with a dot"},
		{"", bad + "empty"},
		{"*.zip", bad + "star"},
		{"1.2.3.4", bad + "top-level"},
		{"42", bad + "top-level"},
		{"::1", bad + "top-level"},
		{"zip/", bad + "path"},
		{"a..b", bad + "valid"},
	} {
		o := &threat.Override{BlockedTLDs: &[]string{"first", tt.raw, "last"}}
		n, err := o.Normalize()
		checkEntry(t, tt.raw, tt.want, "blockedTlds", err, func() []string { return *n.BlockedTLDs })
	}
}

// TestPolicyTLD checks that the organization's own policy may use upper case.
func TestPolicyTLD(t *testing.T) {
	rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, BlockedTLDs: []string{"ZIP"}})
	if err != nil {
		t.Fatal(err)
	}
	target, err := threat.ParseTarget("http://a.zip/")
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := (&threat.Gate{Rules: rules}).Local(target); !ok || d.Allowed {
		t.Errorf("a.zip: %+v %v, want it blocked", d, ok)
	}
}

func TestNormalize(t *testing.T) {
	same := make([]string, 1001)
	for i := range same {
		same[i] = "example.com"
	}
	full := same[:1000]
	for _, tt := range []struct {
		name string
		o    threat.Override
		path string // of the invalid field, or empty
	}{
		{"empty", threat.Override{}, ""},
		{"1000 items", threat.Override{Blacklist: &full, Whitelist: &full}, ""},
		{"1001 items, one entry", threat.Override{Blacklist: &same}, "blacklist"},
		{"1001 on the whitelist", threat.Override{Whitelist: &same}, "whitelist"},
		{"1001 TLDs", threat.Override{BlockedTLDs: &same}, "blockedTlds"},
		{"threshold 0", threat.Override{Threshold: new(0)}, ""},
		{"threshold 100", threat.Override{Threshold: new(100)}, ""},
		{"threshold 101", threat.Override{Threshold: new(101)}, "riskScoreThreshold"},
		{"threshold -1", threat.Override{Threshold: new(-1)}, "riskScoreThreshold"},
		{"mode 2", threat.Override{Mode: new(threat.Mode(2))}, "mode"},
		{"failure policy 2", threat.Override{Failure: new(threat.FailurePolicy(2))}, "failurePolicy"},
	} {
		_, err := tt.o.Normalize()
		f, _ := errors.AsType[*threat.FieldError](err)
		if got := fmt.Sprint(f != nil, err == nil); got != fmt.Sprint(tt.path != "", tt.path == "") || f != nil && f.Path != tt.path {
			t.Errorf("%s: error %v, want at %q", tt.name, err, tt.path)
		}
	}
}

func TestNormalizeKeeps(t *testing.T) {
	black := []string{"B.example", "a.example", "b.EXAMPLE", "*.b.example"}
	before := slices.Clone(black)
	o := &threat.Override{Blacklist: &black, Whitelist: &[]string{}}
	n, err := o.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b.example", "a.example", "*.b.example"}, *n.Blacklist); diff != "" {
		t.Errorf("blacklist (-want +got):\n%s", diff)
	}
	if n.Whitelist == nil || *n.Whitelist == nil || len(*n.Whitelist) != 0 {
		t.Error("an empty whitelist is not an absent one")
	}
	if n.BlockedTLDs != nil {
		t.Error("blockedTlds came from nowhere")
	}
	if !slices.Equal(black, before) {
		t.Error("the caller's list is changed")
	}
	again, err := n.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(n, again); diff != "" {
		t.Errorf("normalizing twice (-once +twice):\n%s", diff)
	}
}

func FuzzOverride(f *testing.F) {
	for _, tt := range entryTable {
		f.Add(tt.raw, "zip", uint8(0), uint8(3), int8(50))
	}
	f.Add("a.example,*.a.example,1.2.3.4", "co.uk,рф", uint8(7), uint8(63), int8(-1))
	f.Fuzz(func(t *testing.T, list, tlds string, team, fields uint8, threshold int8) {
		o := &threat.Override{}
		entries := strings.Split(list, ",")
		ends := strings.Split(tlds, ",")
		if fields&1 != 0 {
			o.Mode = new(threat.Mode(fields >> 6 & 1))
		}
		if fields&2 != 0 {
			o.Blacklist = &entries
		}
		if fields&4 != 0 {
			o.Whitelist = &entries
		}
		if fields&8 != 0 {
			o.BlockedTLDs = &ends
		}
		if fields&16 != 0 {
			o.Failure = new(threat.FailurePolicy(fields >> 7))
		}
		if fields&32 != 0 {
			o.Threshold = new(int(threshold))
		}
		stored := &threat.Policy{Mode: threat.Normal, Blacklist: []string{"b.example"}, Whitelist: []string{"w.example", "*.a.example"}, Threshold: new(40)}
		tm := threat.Team{Enabled: team&1 != 0, Enforced: team&2 != 0, AllowOverrides: team&4 != 0, Policy: stored}
		if team&8 != 0 {
			tm.OverrideMode = threat.TightenOnly
		}
		p, err := threat.Resolve(tm, o)
		checkResolved(t, tm, o, p, err)
	})
}

// checkResolved compares the result of Resolve for tm and o with section 1.3,
// step by step.
func checkResolved(t *testing.T, tm threat.Team, o *threat.Override, p threat.Policy, err error) {
	t.Helper()
	n, malformed := o.Normalize()
	if malformed != nil {
		if _, ok := errors.AsType[*threat.FieldError](err); !ok {
			t.Fatalf("malformed, and the error is %v", err)
		}
		return
	}
	var want threat.Reason
	switch {
	case !tm.Enabled && !tm.Enforced:
		want = threat.NotEnabled
	case !tm.AllowOverrides:
		want = threat.OverridesDisabled
	case tm.Enforced && n.Mode != nil && *n.Mode == threat.Off:
		want = threat.CannotDisable
	}
	if f, ok := errors.AsType[*threat.ForbiddenError](err); ok || want != 0 {
		if !ok || f.Reason != want {
			t.Fatalf("error %v, want reason %d", err, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := threat.Compile(p); err != nil {
		t.Errorf("a resolved policy does not compile: %v", err)
	}
	if tm.Enforced && p.Mode == threat.Off {
		t.Error("enforced, and off")
	}
	if tm.OverrideMode == threat.Replace {
		if n.Blacklist != nil && !slices.Equal(p.Blacklist, *n.Blacklist) {
			t.Errorf("blacklist %q, want %q", p.Blacklist, *n.Blacklist)
		}
		if n.Whitelist == nil && !slices.Equal(p.Whitelist, tm.Policy.Whitelist) {
			t.Errorf("whitelist %q, want the stored one", p.Whitelist)
		}
		return
	}
	if p.Mode < tm.Policy.Mode || p.Failure > tm.Policy.Failure || *p.Threshold > *tm.Policy.Threshold {
		t.Errorf("%+v is laxer than %+v", p, *tm.Policy)
	}
	for _, e := range tm.Policy.Blacklist {
		if !slices.Contains(p.Blacklist, e) {
			t.Errorf("%q has left the blacklist", e)
		}
	}
}
