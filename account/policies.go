// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/curlew/threat"
)

// ThreatPolicy is a threat policy that a team has set for itself.
type ThreatPolicy struct {
	Policy           threat.Policy
	RefusesOverrides bool // requests of the team may not change it
	Updated          time.Time
}

// ThreatPolicies stores the threat policies that teams set for themselves.
// Implementations are safe for concurrent use and return when ctx ends.
type ThreatPolicies interface {
	// ThreatPolicy returns the policy of a team. If the team has not set one, found is
	// false.
	ThreatPolicy(ctx context.Context, team string) (p ThreatPolicy, found bool, err error)

	// SetThreatPolicy replaces the policy of a team. After it has returned nil, the
	// policy is durable.
	SetThreatPolicy(ctx context.Context, team string, p ThreatPolicy) error
}

// Apply returns the settings of t with the policy that the team has set. What the operator
// enforces stays: an enforced protection is not turned off, overrides that the operator
// does not allow stay so, and with [threat.TightenOnly] the operator's policy is only
// tightened. If p would turn off an enforced protection, the error is a
// [*threat.ForbiddenError], and t is returned with the mode normal.
func (p *ThreatPolicy) Apply(t threat.Team) (threat.Team, error) {
	if !t.Enabled && !t.Enforced {
		return t, &threat.ForbiddenError{Reason: threat.NotEnabled}
	}
	own, refused := p.Policy, error(nil)
	if t.Enforced && own.Mode == threat.Off {
		own.Mode, refused = threat.Normal, &threat.ForbiddenError{Reason: threat.CannotDisable}
	}
	base := t
	base.AllowOverrides = true
	threshold := threat.DefaultThreshold
	if own.Threshold != nil {
		threshold = *own.Threshold
	}
	resolved, err := threat.Resolve(base, &threat.Override{
		Mode: &own.Mode, Blacklist: &own.Blacklist, Whitelist: &own.Whitelist, BlockedTLDs: &own.BlockedTLDs,
		Failure: &own.Failure, Threshold: &threshold,
	})
	if err != nil {
		return t, err
	}
	t.Policy = &resolved
	t.AllowOverrides = t.AllowOverrides && !p.RefusesOverrides
	return t, refused
}

// Policies implements [ThreatPolicies]. The zero value stores them in memory, and one of
// [OpenPolicies] also in a file. Only one process may change the file.
type Policies struct {
	path string // empty means in memory only

	mu   sync.Mutex
	sets map[string]ThreatPolicy // guarded by mu; by team; replaced as a whole
}

// OpenPolicies reads the policies in the file at path, which need not exist. Each change
// writes a new file that replaces the old one. Errors come from the file system, or say
// what is wrong with the file.
func OpenPolicies(path string) (*Policies, error) {
	p := &Policies{path: path}
	data, err := os.ReadFile(path) // #nosec G304 -- the operator's own file
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p.sets)
	}
	if err != nil {
		return nil, fmt.Errorf("open policies: %w", err)
	}
	return p, nil
}

// ThreatPolicy implements [ThreatPolicies].
func (p *Policies) ThreatPolicy(_ context.Context, team string) (ThreatPolicy, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set, found := p.sets[team]
	return set, found, nil
}

// SetThreatPolicy implements [ThreatPolicies].
func (p *Policies) SetThreatPolicy(_ context.Context, team string, set ThreatPolicy) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := maps.Clone(p.sets)
	if next == nil {
		next = map[string]ThreatPolicy{}
	}
	next[team] = set
	if p.path != "" {
		if err := replaceFile(p.path, next); err != nil {
			return fmt.Errorf("keep policies: %w", err)
		}
	}
	p.sets = next
	return nil
}

// replaceFile writes v as JSON to a new file that takes the place of path.
func replaceFile(path string, v any) (err error) {
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".policies-") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir) // #nosec G304 -- the operator's own
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
