// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/account"
	"example.com/curlew/threat"
)

// TestPolicies checks that policies survive a restart, and that a damaged file is refused.
func TestPolicies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threat.json")
	p, err := account.OpenPolicies(path)
	if err != nil {
		t.Fatal(err)
	}
	set := account.ThreatPolicy{
		Policy:           threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test"}, Failure: threat.Open, Threshold: new(3)},
		RefusesOverrides: true, Updated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if err := p.SetThreatPolicy(t.Context(), "us", set); err != nil {
		t.Fatal(err)
	}
	again, err := account.OpenPolicies(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*account.Policies{p, again} {
		got, found, err := p.ThreatPolicy(t.Context(), "us")
		if err != nil || !found || cmp.Diff(set, got) != "" {
			t.Errorf("%v, %v\n%s", found, err, cmp.Diff(set, got))
		}
		if _, found, _ := p.ThreatPolicy(t.Context(), "them"); found {
			t.Error("another team has the policy too")
		}
	}
	if err := os.WriteFile(path, []byte(`{"us":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := account.OpenPolicies(path); err == nil {
		t.Error("half a file is read")
	}
	lost, err := account.OpenPolicies(filepath.Join(t.TempDir(), "none", "threat.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := lost.SetThreatPolicy(t.Context(), "us", set); err == nil {
		t.Error("a policy is kept in a folder that does not exist")
	}
	if _, found, _ := lost.ThreatPolicy(t.Context(), "us"); found {
		t.Error("a policy that was not kept applies")
	}
}

// TestApply checks that a team cannot change what the operator enforces.
func TestApply(t *testing.T) {
	strict := &threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test"}, Threshold: new(50)}
	for name, tt := range map[string]struct {
		team     threat.Team
		set      account.ThreatPolicy
		policy   *threat.Policy
		override bool
		reason   threat.Reason // of the error; zero: there is none
	}{
		"not enabled": {threat.Team{AllowOverrides: true}, account.ThreatPolicy{}, nil, true, threat.NotEnabled},
		"replaced": {
			threat.Team{Enabled: true, AllowOverrides: true, Policy: strict},
			account.ThreatPolicy{Policy: threat.Policy{Mode: threat.Normal, Whitelist: []string{"good.test"}}},
			&threat.Policy{Mode: threat.Normal, Whitelist: []string{"good.test"}, Threshold: new(75)}, true, 0,
		},
		"turned off": {
			threat.Team{Enabled: true, Policy: strict}, account.ThreatPolicy{}, &threat.Policy{Threshold: new(75)}, false, 0,
		},
		"enforced": {
			threat.Team{Enforced: true, AllowOverrides: true},
			account.ThreatPolicy{},
			&threat.Policy{Mode: threat.Normal, Threshold: new(75)}, true, threat.CannotDisable,
		},
		"tightened": {
			threat.Team{Enabled: true, AllowOverrides: true, OverrideMode: threat.TightenOnly, Policy: strict},
			account.ThreatPolicy{Policy: threat.Policy{Mode: threat.Off, Blacklist: []string{"bad.test"}, Threshold: new(90)}, RefusesOverrides: true},
			&threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test", "bad.test"}, Threshold: new(50)}, false, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.set.Apply(tt.team)
			if f, ok := errors.AsType[*threat.ForbiddenError](err); ok != (tt.reason != 0) || ok && f.Reason != tt.reason {
				t.Errorf("error %v, want reason %d", err, tt.reason)
			}
			empty := cmp.Transformer("empty", func(p threat.Policy) [3][]string {
				return [3][]string{append([]string{}, p.Blacklist...), append([]string{}, p.Whitelist...), append([]string{}, p.BlockedTLDs...)}
			})
			if got.AllowOverrides != tt.override || (got.Policy == nil) != (tt.policy == nil) {
				t.Fatalf("%+v", got)
			}
			if tt.policy == nil {
				return
			}
			if diff := cmp.Diff(*tt.policy, *got.Policy, empty); diff != "" || got.Policy.Mode != tt.policy.Mode || *got.Policy.Threshold != *tt.policy.Threshold {
				t.Errorf("%s\n%+v, threshold %d", diff, got.Policy, *got.Policy.Threshold)
			}
		})
	}
}
