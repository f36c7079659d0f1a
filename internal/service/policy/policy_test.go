// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"testing"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/weburl"
)

// TestRefusals asks each function for what a policy allows and for what it refuses.
func TestRefusals(t *testing.T) {
	list := func(names ...string) []string { return names }
	none := []string{}
	click := &render.Request{Steps: []render.Step{{Kind: render.Click}}}
	script := &render.Request{Steps: []render.Step{{Kind: render.Script}}}
	shot := &render.Request{Screenshot: new(render.Shot)}
	scroll := &render.Request{Scroll: new(render.Until)}
	answer := &format.Options{Forms: []format.Form{format.Markdown, format.Answer}}
	parsed := &format.Options{Forms: []format.Form{format.JSONForm}, JSON: format.Extraction{Deterministic: true}}
	for _, c := range []struct {
		name      string
		policy    account.Policy
		ask       func(p *account.Policy) string
		forbidden string // the beginning of the refusal; empty means that it is allowed
	}{
		{"all endpoints", account.Policy{}, func(p *account.Policy) string { return policy.Endpoint(p, "crawl") }, ""},
		{"an endpoint", account.Policy{AllowEndpoints: list("crawl")}, func(p *account.Policy) string { return policy.Endpoint(p, "crawl") }, ""},
		{"another endpoint", account.Policy{AllowEndpoints: list("crawl")}, func(p *account.Policy) string { return policy.Endpoint(p, "map") }, "This key may not use the endpoint map."},
		{"no endpoint", account.Policy{AllowEndpoints: none}, func(p *account.Policy) string { return policy.Endpoint(p, "") }, "This key may not use"},

		{"all forms", account.Policy{}, func(p *account.Policy) string { return policy.Forms(p, nil, answer) }, ""},
		{"a form by its first name", account.Policy{AllowFormats: list("markdown", "question")}, func(p *account.Policy) string { return policy.Forms(p, nil, answer) }, ""},
		{"a form by its second name", account.Policy{AllowFormats: list("markdown", "query")}, func(p *account.Policy) string { return policy.Forms(p, nil, answer) }, ""},
		{"another form", account.Policy{AllowFormats: list("markdown")}, func(p *account.Policy) string { return policy.Forms(p, nil, answer) }, "This key may not ask for the format question."},
		{"names", account.Policy{AllowFormats: list("query")}, func(p *account.Policy) string { return policy.Forms(p, list("query"), answer) }, ""},
		{"another name of the same form", account.Policy{AllowFormats: list("query")}, func(p *account.Policy) string { return policy.Forms(p, list("question"), answer) }, "This key may not ask for the format question."},
		{"no names", account.Policy{AllowFormats: none}, func(p *account.Policy) string { return policy.Forms(p, none, answer) }, ""},
		{"deterministic JSON", account.Policy{AllowFormats: list("json")}, func(p *account.Policy) string { return policy.Forms(p, nil, parsed) }, "This key may not ask for the format deterministicJson."},

		{"no browser", account.Policy{AllowActions: none}, func(p *account.Policy) string { return policy.View(p, nil, false) }, ""},
		{"an action", account.Policy{}, func(p *account.Policy) string { return policy.View(p, click, false) }, ""},
		{"another action", account.Policy{AllowActions: list("wait")}, func(p *account.Policy) string { return policy.View(p, click, false) }, "This key may not ask for the action click."},
		{"a script", account.Policy{}, func(p *account.Policy) string { return policy.View(p, script, false) }, "executeJavascript is not enabled"},
		{"an allowed script", account.Policy{AllowScripts: true}, func(p *account.Policy) string { return policy.View(p, script, false) }, ""},
		{"a script that is not in the list", account.Policy{AllowScripts: true, AllowActions: list("click")}, func(p *account.Policy) string { return policy.View(p, script, false) }, "This key may not ask for the action executeJavascript."},
		{"scrolling", account.Policy{AllowActions: list("scroll", "click")}, func(p *account.Policy) string { return policy.View(p, scroll, false) }, ""},
		{"scrolling without clicks", account.Policy{AllowActions: list("scroll")}, func(p *account.Policy) string { return policy.View(p, scroll, false) }, "This key may not ask for the option scroll"},
		{"a screenshot", account.Policy{AllowFormats: list("markdown")}, func(p *account.Policy) string { return policy.View(p, shot, false) }, "This key may not ask for the format screenshot."},
		{"a screenshot that a name stands for", account.Policy{AllowFormats: list("markdown")}, func(p *account.Policy) string { return policy.View(p, shot, true) }, ""},

		{"robots.txt", account.Policy{}, func(p *account.Policy) string { return policy.Robots(p, crawl.RobotsStrict, "") }, ""},
		{"to ignore robots.txt", account.Policy{}, func(p *account.Policy) string { return policy.Robots(p, crawl.RobotsIgnore, "") }, "ignoreRobotsTxt is not"},
		{"to ignore robots.txt, allowed", account.Policy{AllowIgnoreRobots: true}, func(p *account.Policy) string { return policy.Robots(p, crawl.RobotsIgnore, "") }, ""},
		{"another name in robots.txt", account.Policy{AllowIgnoreRobots: true}, func(p *account.Policy) string { return policy.Robots(p, crawl.RobotsStrict, "me") }, "robotsUserAgent is not"},
		{"another name in robots.txt, allowed", account.Policy{AllowRobotsUserAgent: true}, func(p *account.Policy) string { return policy.Robots(p, crawl.RobotsStrict, "me") }, ""},
	} {
		if got := c.ask(&c.policy); got != c.forbidden && (c.forbidden == "" || len(got) < len(c.forbidden) || got[:len(c.forbidden)] != c.forbidden) {
			t.Errorf("%s: %q, want %q", c.name, got, c.forbidden)
		}
	}
}

// TestRetained tries each policy with and without a request for zero data retention.
func TestRetained(t *testing.T) {
	for _, c := range []struct {
		policy           account.Retention
		asked            bool
		retained, refuse bool
	}{
		{account.RetentionOff, false, false, false},
		{account.RetentionOff, true, true, true},
		{account.RetentionAllowed, false, false, false},
		{account.RetentionAllowed, true, true, false},
		{account.RetentionForced, false, true, false},
		{account.RetentionForced, true, true, false},
	} {
		retained, refusal := policy.Retained(&account.Policy{ZeroRetention: c.policy}, c.asked)
		if retained != c.retained || (refusal != "") != c.refuse {
			t.Errorf("policy %d, asked %t: %t, %q", c.policy, c.asked, retained, refusal)
		}
	}
}

// TestBounds reads the numbers of a policy, with their defaults.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		policy        account.Policy
		atOnce, queue int
	}{
		{account.Policy{}, 8, 50_000},
		{account.Policy{MaxConcurrency: 3, MaxQueuedPages: 7}, 3, 7},
		{account.Policy{MaxConcurrency: -1, MaxQueuedPages: account.Unlimited}, 1, -1},
	} {
		if a, q := policy.AtOnce(&c.policy), policy.Queue(&c.policy); a != c.atOnce || q != c.queue {
			t.Errorf("%+v: %d at once and %d waiting, want %d and %d", c.policy, a, q, c.atOnce, c.queue)
		}
	}
	for _, c := range []struct{ n, bound, want int }{{5, 0, 5}, {5, account.Unlimited, 5}, {5, 3, 3}, {5, 9, 5}} {
		if got := policy.AtMost(c.n, c.bound); got != c.want {
			t.Errorf("%d at most %d: %d, want %d", c.n, c.bound, got, c.want)
		}
	}
}

// TestBlocked asks for URLs of blocked domains, of their subdomains, and of others that only
// look like them.
func TestBlocked(t *testing.T) {
	p := &account.Policy{Blocklist: []string{" Never.TEST. ", "bücher.example", "", "."}}
	for url, entry := range map[string]string{
		"http://never.test/":             " Never.TEST. ",
		"https://a.b.NEVER.test:8080/?x": " Never.TEST. ",
		"http://xn--bcher-kva.example/":  "bücher.example",
		"http://notnever.test/":          "",
		"http://never.test.example/":     "",
		"http://other.test/never.test":   "",
	} {
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if entry != "" {
			want = "Webhook " + u.String() + " is blocked for this team (rule: blocklist " + entry + ")"
		}
		if got := policy.Blocked(p, "Webhook", u); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	u, err := weburl.Parse("http://user:secret@never.test/?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	if got, shown := policy.Blocked(p, "URL", u), weburl.Redacted(u.String()); got != "URL "+shown+" is blocked for this team (rule: blocklist  Never.TEST. )" {
		t.Errorf("%q does not show %q", got, shown)
	}
}
