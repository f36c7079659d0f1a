// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"context"
	"errors"
	"fmt"

	"example.com/curlew/threat"
)

// scores is a classifier that looks scores up in a table.
type scores map[string]int

func (s scores) Classify(_ context.Context, t []threat.Target) ([]threat.Verdict, error) {
	list := make([]threat.Verdict, len(t))
	for i, tg := range t {
		list[i].Score, list[i].Known = s[tg.Host]
	}
	return list, nil
}

func Example() {
	rules, err := threat.Compile(threat.Policy{
		Mode:        threat.Normal,
		Whitelist:   []string{"docs.zip"},
		Blacklist:   []string{"*.ads.example", "192.0.2.7"},
		BlockedTLDs: []string{"zip"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := &threat.Gate{
		Rules:      rules,
		Classifier: &threat.Scanner{Classifier: scores{"phish.example": 98}},
	}
	for _, url := range []string{
		"https://docs.zip/manual",
		"https://update.zip/",
		"https://x.ads.example/pixel",
		"http://3221225991/", // 192.0.2.7 written as one number
		"https://phish.example/login",
		"https://harmless.example/",
	} {
		t, err := threat.ParseTarget(url)
		if err != nil {
			fmt.Println(err)
			continue
		}
		d, err := gate.Check(context.Background(), t)
		if err != nil && !errors.Is(err, threat.ErrBlocked) {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s %v %v %q\n", t.Host, d.Allowed, d.Rule, d.Pattern)
	}
	// Output:
	// docs.zip true whitelist "docs.zip"
	// update.zip false blocked-tld "zip"
	// x.ads.example false blacklist "*.ads.example"
	// 192.0.2.7 false blacklist "192.0.2.7"
	// phish.example false risk-score ""
	// harmless.example true default-allow ""
}

// A request may only tighten the policy of its organization.
func ExampleResolve() {
	team := threat.Team{
		Enforced:       true,
		AllowOverrides: true,
		OverrideMode:   threat.TightenOnly,
		Policy:         &threat.Policy{Whitelist: []string{"example.com"}},
	}
	p, err := threat.Resolve(team, &threat.Override{
		Whitelist: &[]string{"docs.example.com", "elsewhere.example"},
		Threshold: new(90),
	})
	fmt.Println(p.Mode, p.Whitelist, *p.Threshold, err)

	_, err = threat.Resolve(team, &threat.Override{Blacklist: &[]string{"a.example", "https://b.example/"}})
	fmt.Println(err)

	_, err = threat.Resolve(team, &threat.Override{Mode: new(threat.Off)})
	fmt.Println(err)
	// Output:
	// normal [docs.example.com] 75 <nil>
	// blacklist[1]: must be a host name without protocol, port, path or userinfo
	// Threat protection is enforced for this team and cannot be off.
}
