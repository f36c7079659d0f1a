// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/threat"
)

// config is the content of the file that -config names. Unknown fields are an
// error.
type config struct {
	Teams    []team                     `json:"teams"`
	Settings map[string]json.RawMessage `json:"settings"` // values of flags, by their names
}

type team struct {
	ID string `json:"id"`
	// Keys are written as "sha256:" and the hexadecimal SHA-256 of the key
	// without "fc-". Plain keys are accepted with a warning.
	Keys              []string       `json:"keys"`
	Credits           *int           `json:"credits"`           // if missing, unlimited
	Concurrency       int            `json:"concurrency"`       // concurrent pages in all processes that share a store; 0 means the default
	RenderedPages     int            `json:"renderedPages"`     // pages of a crawl that are shown in the browser because they need scripts; 0 means all
	RequestsPerMinute map[string]int `json:"requestsPerMinute"` // by class: crawl, parse, agent, scrape, map, status, account
	Allow             struct {
		IgnoreRobotsTxt   bool `json:"ignoreRobotsTxt"`
		RobotsUserAgent   bool `json:"robotsUserAgent"`
		ZeroDataRetention bool `json:"zeroDataRetention"`

		Endpoints []string `json:"endpoints"` // crawl, batch, agent, parse, scrape, map, search; if missing, all
		Formats   []string `json:"formats"`   // if missing, all
		Actions   []string `json:"actions"`   // if missing, all but executeJavascript
		Scripts   bool     `json:"executeJavascript"`
		SkipTLS   *bool    `json:"skipTlsVerification"`
	} `json:"allow"`
	Retention string `json:"retention"` // how long jobs are kept after their end; if missing, 24h
	Threat    struct {
		Enabled        bool    `json:"enabled"`
		Enforced       bool    `json:"enforced"`
		AllowOverrides *bool   `json:"allowOverrides"` // if missing, they are allowed
		Policy         *policy `json:"policy"`
	} `json:"threat"`
	WebhookSecret string `json:"webhookSecret"` // signs the team's webhooks; if missing, they are not signed
}

// policy has the fields of the contract's threatProtection object.
type policy struct {
	Mode               string   `json:"mode"`
	Blacklist          []string `json:"blacklist"`
	Whitelist          []string `json:"whitelist"`
	BlockedTLDs        []string `json:"blockedTlds"`
	FailurePolicy      string   `json:"failurePolicy"`
	RiskScoreThreshold *int     `json:"riskScoreThreshold"`
}

// access is the access control that results from config, flags and environment.
type access struct {
	keys    map[string]account.Team // by the key without "fc-", or by its hash as in a config
	plain   int                     // number of keys in the config that are not hashed
	taken   map[[sha256.Size]byte]bool
	teams   map[string]account.Team
	secrets map[string]string // webhook secrets by team
	credits map[string]int    // by team, for limited teams
	made    string            // the key that was generated because none was given, or empty
}

// readConfig reads the file at path. An empty path means an empty config.
func readConfig(path string) (config, error) {
	var c config
	if path == "" {
		return c, nil
	}
	data, err := os.ReadFile(path) // #nosec G304 -- the operator's own file
	if err != nil {
		return c, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: unexpected text after the configuration", path)
	}
	return c, nil
}

// access returns the access control for c and the keys of the command line.
// These keys belong to a team "default" without limits. others says whether keys
// can also be stored elsewhere. If not, and there is no key at all, access
// generates one.
func (c config) access(keys []string, others bool) (access, error) {
	a := access{keys: map[string]account.Team{}, taken: map[[sha256.Size]byte]bool{}, teams: map[string]account.Team{}, secrets: map[string]string{}, credits: map[string]int{}}
	var faults []error
	seen := map[string]bool{"default": true}
	for i, t := range c.Teams {
		where := fmt.Sprintf("teams[%d]", i)
		switch {
		case t.ID == "":
			faults = append(faults, fmt.Errorf("%s: no id", where))
		case seen[t.ID]:
			faults = append(faults, fmt.Errorf("%s: duplicate team %q", where, t.ID))
		}
		seen[t.ID] = true
		p, err := t.policy()
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", where, err))
			continue
		}
		if t.Credits != nil {
			a.credits[t.ID] = *t.Credits
		}
		a.secrets[t.ID] = t.WebhookSecret
		a.teams[t.ID] = account.Team{ID: t.ID, Policy: p}
		faults = append(faults, a.add(where, t.Keys, a.teams[t.ID]))
	}
	if len(keys) == 0 && len(a.keys) == 0 && !others {
		a.made = "fc-" + rand.Text()
		keys = []string{a.made}
	}
	unbounded := account.Policy{MaxConcurrency: 64, MaxQueuedPages: curlew.Unlimited}
	plain := a.plain
	a.teams["default"] = account.Team{ID: "default", Policy: unbounded}
	faults = append(faults, a.add("-api-key", keys, a.teams["default"]))
	a.plain = plain // keys of the command line are not stored in a file
	return a, errors.Join(faults...)
}

func (a *access) add(where string, keys []string, t account.Team) error {
	for _, key := range keys {
		bare := strings.TrimPrefix(key, "fc-")
		hash := sha256.Sum256([]byte(bare))
		digits, hashed := strings.CutPrefix(key, "sha256:")
		if hashed {
			raw, err := hex.DecodeString(digits)
			if err != nil || len(raw) != sha256.Size {
				return fmt.Errorf("%s: sha256: must be followed by 64 hexadecimal digits", where)
			}
			hash, bare = [sha256.Size]byte(raw), key
		} else {
			a.plain++
		}
		switch {
		case bare == "" || len(key) > 256 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
			return fmt.Errorf("%s: a key must have 1 to 256 visible ASCII characters", where)
		case a.taken[hash]:
			return fmt.Errorf("%s: another team has the same key", where)
		}
		a.taken[hash] = true
		a.keys[bare] = t
	}
	return nil
}

// authenticator accepts the keys of the config and the command line, and the
// stored keys in hashed.
func (a *access) authenticator(hashed *account.Keys) httpapi.Authenticator {
	plain := httpapi.StaticKeys(a.keys)
	kept := httpapi.KeyAuthenticator(hashed, func(id string) (account.Team, error) {
		if t, ok := a.teams[id]; ok {
			return t, nil
		}
		return account.Team{}, account.ErrKey // the config no longer has the key's team
	})
	return func(r *http.Request, key string) (account.Team, error) {
		team, err := plain(r, key)
		other, otherErr := kept(r, key) // looked up in any case, so that every refusal takes the same steps
		if err == nil {
			return team, nil
		}
		return other, otherErr
	}
}

// policy returns the policy of the team. The error lists all faults.
func (t team) policy() (account.Policy, error) {
	p := account.Policy{
		MaxConcurrency:       t.Concurrency,
		AllowIgnoreRobots:    t.Allow.IgnoreRobotsTxt,
		AllowRobotsUserAgent: t.Allow.RobotsUserAgent,
		AllowEndpoints:       t.Allow.Endpoints,
		AllowFormats:         t.Allow.Formats,
		AllowActions:         t.Allow.Actions,
		AllowScripts:         t.Allow.Scripts,
		MaxRendered:          t.RenderedPages,
		NoSkipTLS:            t.Allow.SkipTLS != nil && !*t.Allow.SkipTLS,
		Threat: threat.Team{
			Enabled:        t.Threat.Enabled || t.Threat.Enforced,
			Enforced:       t.Threat.Enforced,
			AllowOverrides: t.Threat.AllowOverrides == nil || *t.Threat.AllowOverrides,
		},
	}
	if t.Allow.ZeroDataRetention {
		p.ZeroRetention = account.RetentionAllowed
	}
	var faults []error
	if t.Concurrency < 0 {
		faults = append(faults, errors.New("concurrency is below 0"))
	}
	if t.RenderedPages < 0 {
		faults = append(faults, errors.New("renderedPages is below 0"))
	}
	if t.Credits != nil && *t.Credits < 0 {
		faults = append(faults, errors.New("credits are below 0"))
	}
	if t.Retention != "" {
		keep, err := time.ParseDuration(t.Retention)
		if err == nil && keep <= 0 {
			err = errors.New("must be above zero")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("retention: %w", err))
		}
		p.Retention = keep
	}
	rates := map[string]*int{
		"crawl": &p.Rates.Crawl, "agent": &p.Rates.Agent, "parse": &p.Rates.Parse, "scrape": &p.Rates.Scrape,
		"map": &p.Rates.Map, "status": &p.Rates.Status, "account": &p.Rates.Account,
	}
	for class, n := range t.RequestsPerMinute {
		switch rate := rates[class]; {
		case rate == nil:
			faults = append(faults, fmt.Errorf("requestsPerMinute: no class %q", class))
		case n < 1:
			faults = append(faults, fmt.Errorf("requestsPerMinute.%s is below 1", class))
		default:
			*rate = n
		}
	}
	if t.Threat.Policy != nil {
		stored, err := t.Threat.Policy.policy()
		faults = append(faults, err)
		p.Threat.Policy = &stored
	}
	return p, errors.Join(faults...)
}

// policy returns the threat policy. Missing fields have the contract's
// defaults.
func (p policy) policy() (threat.Policy, error) {
	out := threat.Policy{Blacklist: p.Blacklist, Whitelist: p.Whitelist, BlockedTLDs: p.BlockedTLDs, Threshold: p.RiskScoreThreshold}
	var faults []error
	switch {
	case p.Mode == "normal":
		out.Mode = threat.Normal
	case p.Mode != "" && p.Mode != "off":
		faults = append(faults, fmt.Errorf("threat.policy.mode: %q is neither off nor normal", p.Mode))
	}
	switch {
	case p.FailurePolicy == "open":
		out.Failure = threat.Open
	case !slices.Contains([]string{"", "closed"}, p.FailurePolicy):
		faults = append(faults, fmt.Errorf("threat.policy.failurePolicy: %q is neither open nor closed", p.FailurePolicy))
	}
	if _, err := threat.Compile(out); err != nil {
		faults = append(faults, fmt.Errorf("threat.policy: %w", err))
	}
	return out, errors.Join(faults...)
}
