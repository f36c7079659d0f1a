// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/threat"
)

// TestPolicyMatrix is all of section 1.3: enabled x enforced x overrides
// allowed x stored policy x override. It compares Resolve with a second
// implementation that has one line for each rule.
func TestPolicyMatrix(t *testing.T) {
	off, normal := threat.Off, threat.Normal
	stored := map[string]*threat.Policy{
		"none":   nil,
		"off":    {Mode: threat.Off, Whitelist: []string{"org.example"}},
		"normal": {Mode: threat.Normal, Whitelist: []string{"org.example"}, Threshold: new(50)},
	}
	overrides := map[string]*threat.Override{
		"none":      nil,
		"{}":        {},
		"off":       {Mode: &off},
		"normal":    {Mode: &normal},
		"blacklist": {Blacklist: &[]string{"bad.example"}},
		"whitelist": {Whitelist: &[]string{}},
		"malformed": {Blacklist: &[]string{"http://x"}},
	}
	for i := range 8 {
		tm := threat.Team{Enabled: i&1 != 0, Enforced: i&2 != 0, AllowOverrides: i&4 != 0}
		for org, policy := range stored {
			tm.Policy = policy
			for name, o := range overrides {
				p, err := threat.Resolve(tm, o)
				got := outcome(p, err)
				if want := expected(tm, name, o); got != want {
					t.Errorf("enabled %v, enforced %v, overrides %v, stored %s, override %s: %s, want %s",
						tm.Enabled, tm.Enforced, tm.AllowOverrides, org, name, got, want)
				}
			}
		}
	}
}

func outcome(p threat.Policy, err error) string {
	if f, ok := errors.AsType[*threat.ForbiddenError](err); ok {
		return fmt.Sprint("403 ", f.Reason)
	}
	if _, ok := errors.AsType[*threat.FieldError](err); ok {
		return "400"
	}
	if err != nil {
		return err.Error()
	}
	threshold := threat.DefaultThreshold
	if p.Threshold != nil {
		threshold = *p.Threshold
	}
	return fmt.Sprint(p.Mode, len(p.Blacklist), len(p.Whitelist), threshold)
}

func expected(tm threat.Team, name string, o *threat.Override) string {
	enabled := tm.Enabled || tm.Enforced
	switch {
	case name == "malformed":
		return "400"
	case o != nil && !enabled:
		return fmt.Sprint("403 ", threat.NotEnabled)
	case o != nil && !tm.AllowOverrides:
		return fmt.Sprint("403 ", threat.OverridesDisabled)
	case tm.Enforced && name == "off":
		return fmt.Sprint("403 ", threat.CannotDisable)
	case !enabled:
		return outcome(threat.Policy{}, nil)
	}
	var p threat.Policy
	if tm.Policy != nil {
		p = *tm.Policy
	}
	if tm.Enforced {
		p.Mode = threat.Normal
	}
	switch name {
	case "off":
		p.Mode = threat.Off
	case "normal":
		p.Mode = threat.Normal
	case "blacklist":
		p.Blacklist = *o.Blacklist
	case "whitelist":
		p.Whitelist = nil
	}
	return outcome(p, nil)
}

// TestPolicyTable is the table of the reference.
func TestPolicyTable(t *testing.T) {
	off, normal := threat.Off, threat.Normal
	lists := &threat.Override{Blacklist: &[]string{"bad.example"}}
	for _, tt := range []struct {
		team threat.Team
		o    *threat.Override
		want string
	}{
		{threat.Team{}, nil, "off 0 0 75"},
		{threat.Team{AllowOverrides: true}, &threat.Override{}, "403 1"},
		{threat.Team{Enabled: true, AllowOverrides: true}, nil, "off 0 0 75"},
		{threat.Team{Enabled: true, AllowOverrides: true}, &threat.Override{Mode: &normal}, "normal 0 0 75"},
		{threat.Team{Enabled: true, AllowOverrides: true}, lists, "off 1 0 75"},
		{threat.Team{Enabled: true, AllowOverrides: true, Policy: &threat.Policy{Mode: threat.Normal}}, &threat.Override{Mode: &off}, "off 0 0 75"},
		{threat.Team{Enabled: true, Policy: &threat.Policy{Mode: threat.Normal}}, nil, "normal 0 0 75"},
		{threat.Team{Enabled: true, Policy: &threat.Policy{Mode: threat.Normal}}, lists, "403 2"},
		{threat.Team{Enforced: true, AllowOverrides: true}, nil, "normal 0 0 75"},
		{threat.Team{Enforced: true, AllowOverrides: true}, &threat.Override{Mode: &off}, "403 3"},
		{threat.Team{Enforced: true}, &threat.Override{Mode: &off}, "403 2"},
	} {
		p, err := threat.Resolve(tt.team, tt.o)
		if got := outcome(p, err); got != tt.want {
			t.Errorf("Resolve(%+v, %+v): %s, want %s", tt.team, tt.o, got, tt.want)
		}
	}
}

// TestPolicyStoredBroken checks that an invalid stored policy refuses all
// requests of the team, and is not reported as a fault of the request.
func TestPolicyStoredBroken(t *testing.T) {
	for _, p := range []*threat.Policy{
		{Blacklist: []string{"http://x"}},
		{Whitelist: []string{"com"}},
		{BlockedTLDs: []string{".zip"}},
		{Mode: 9},
		{Failure: 9},
		{Threshold: new(101)},
	} {
		_, err := threat.Resolve(threat.Team{Enabled: true, Policy: p}, nil)
		if !errors.Is(err, threat.ErrPolicy) {
			t.Errorf("%+v: error %v, want ErrPolicy", p, err)
		}
		if _, ok := errors.AsType[*threat.FieldError](err); ok {
			t.Errorf("%+v: error %v blames the request", p, err)
		}
		if _, err := threat.Resolve(threat.Team{Policy: p}, nil); err != nil {
			t.Errorf("%+v, not enabled: %v", p, err)
		}
	}
}

func TestForbiddenTexts(t *testing.T) {
	for r, want := range map[threat.Reason]string{
		threat.NotEnabled:        "not enabled",
		threat.OverridesDisabled: "overrides are disabled",
		threat.CannotDisable:     "cannot be off",
	} {
		if got := (&threat.ForbiddenError{Reason: r}).Error(); !strings.Contains(got, want) {
			t.Errorf("reason %d: %q lacks %q", r, got, want)
		}
	}
}

func TestTighten(t *testing.T) {
	org := &threat.Policy{
		Mode:        threat.Normal,
		Blacklist:   []string{"bad.example"},
		Whitelist:   []string{"a.example", "*.b.example", "c.example", "1.2.3.4", "x.d.example"},
		BlockedTLDs: []string{"zip"},
		Failure:     threat.Closed,
		Threshold:   new(60),
	}
	tm := threat.Team{Enabled: true, AllowOverrides: true, OverrideMode: threat.TightenOnly, Policy: org}
	got, err := threat.Resolve(tm, &threat.Override{
		Mode:        new(threat.Off),
		Blacklist:   &[]string{"worse.example", "bad.example"},
		Whitelist:   &[]string{"deep.a.example", "b.example", "*.c.example", "1.2.3.4", "d.example", "other.example"},
		BlockedTLDs: &[]string{"mov", "zip"},
		Failure:     new(threat.Open),
		Threshold:   new(80),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := threat.Policy{
		Mode:        threat.Normal,
		Blacklist:   []string{"bad.example", "worse.example"},
		Whitelist:   []string{"*.b.example", "1.2.3.4", "x.d.example", "deep.a.example", "*.c.example"},
		BlockedTLDs: []string{"zip", "mov"},
		Failure:     threat.Closed,
		Threshold:   new(60),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bad.example"}, org.Blacklist); diff != "" {
		t.Errorf("the stored policy has changed:\n%s", diff)
	}
}

// TestTightenNeverLoosens checks that what a TightenOnly override allows is
// allowed by both the organization and the override.
func TestTightenNeverLoosens(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		org, other := randomPolicy(r), randomPolicy(r)
		org.Mode, other.Mode = threat.Normal, threat.Normal
		org.Stars = false
		tm := threat.Team{Enabled: true, AllowOverrides: true, OverrideMode: threat.TightenOnly, Policy: &org}
		both, err := threat.Resolve(tm, &threat.Override{
			Blacklist: &other.Blacklist, Whitelist: &other.Whitelist, BlockedTLDs: &other.BlockedTLDs,
			Failure: &other.Failure, Threshold: other.Threshold,
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			target, score := randomTarget(t, r), r.IntN(101)
			strict := slowDecide(both, target.Host, &score).Rule
			a, b := slowDecide(org, target.Host, &score), slowDecide(other, target.Host, &score)
			if strict == threat.ByWhitelist && (a.Rule != threat.ByWhitelist || b.Rule != threat.ByWhitelist) {
				t.Fatalf("seed %d: %s is whitelisted by both together only\norg %+v\noverride %+v", seed, target.Host, org, other)
			}
			if a.Rule == threat.ByWhitelist && b.Rule == threat.ByWhitelist && strict != threat.ByWhitelist {
				t.Fatalf("seed %d: %s is whitelisted by each alone only\norg %+v\noverride %+v", seed, target.Host, org, other)
			}
			if slowDecide(both, target.Host, &score).Allowed && !a.Allowed {
				t.Fatalf("seed %d: %s is allowed by both together\norg %+v\noverride %+v", seed, target.Host, org, other)
			}
		}
	}
}
