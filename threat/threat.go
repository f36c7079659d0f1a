// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Mode turns threat protection on or off.
type Mode uint8

// Modes; the first is the default.
const (
	Off    Mode = iota // nothing is checked, not even the lists
	Normal             // the lists are checked, then the classifier
)

// String returns the name in requests: off or normal.
func (m Mode) String() string { return name(int(m), "off", "normal") }

// ParseMode parses the output of [Mode.String].
func ParseMode(s string) (Mode, bool) {
	switch s {
	case "off":
		return Off, true
	case "normal":
		return Normal, true
	}
	return 0, false
}

// FailurePolicy says what happens to a URL if the classifier fails.
type FailurePolicy uint8

// Failure policies; the first is the default.
const (
	Closed FailurePolicy = iota // the URL is blocked
	Open                        // the URL is allowed
)

// String returns the name in requests: closed or open.
func (f FailurePolicy) String() string { return name(int(f), "closed", "open") }

// ParseFailurePolicy parses the output of [FailurePolicy.String].
func ParseFailurePolicy(s string) (FailurePolicy, bool) {
	switch s {
	case "closed":
		return Closed, true
	case "open":
		return Open, true
	}
	return 0, false
}

// Rule is the reason for a decision about a URL.
type Rule uint8

// Rules; the zero value is no rule.
const (
	_           Rule = iota
	ByWhitelist      // a whitelist entry allows the URL; this precedes all other rules
	ByBlacklist      // a blacklist entry blocks the URL
	ByTLD            // a blocked TLD blocks the URL
	ByRisk           // the score of the URL reaches the threshold
	ByFailure        // the classifier failed, so the FailurePolicy decides
	ByDefault        // no rule blocks the URL
)

// String returns the name in responses, such as blocked-tld.
func (r Rule) String() string {
	return name(int(r), "", "whitelist", "blacklist", "blocked-tld", "risk-score", "provider-failure", "default-allow")
}

// name returns names[i], or the number i if there is no such name.
func name(i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// DefaultThreshold is the lowest score that is blocked if the policy sets no
// threshold.
const DefaultThreshold = 75

// ScanCredits is the price of one classified URL in credits.
const ScanCredits = 2

// Policy contains the rules that decide which URLs may be requested. The zero value
// allows all URLs.
//
// An entry of Blacklist or Whitelist is a name, which matches itself and all
// names below it; or "*." and a name, which matches only the names below it; or
// an IP address. Names may be Unicode. An entry of BlockedTLDs is the end of a
// name, of one or more labels (zip, co.uk), without a leading dot. Letter case
// and space around an entry are ignored. The order of entries has no meaning.
type Policy struct {
	Mode                              Mode
	Blacklist, Whitelist, BlockedTLDs []string
	Failure                           FailurePolicy
	Threshold                         *int // 0 to 100; nil means 75

	// Stars allows stars inside the entries of Blacklist and Whitelist
	// (ad*.example.com). A star matches any sequence of characters, including
	// dots. The entry matches only whole hosts, and its last two labels contain
	// no star. Overrides never allow such entries.
	Stars bool
}

// Verdict is the result of a [Classifier] for one URL.
type Verdict struct {
	Score      int  // from 0, harmless, to 100
	Known      bool // if false, the classifier does not know the URL, and Score has no meaning
	Categories []string
	Provider   string
	Expires    time.Time // zero if unknown
}

// Classifier scores URLs. Implementations are safe for concurrent use and
// return when ctx ends. They return one verdict for each target, in the order
// of t, or an error. A URL that they do not know is not an error, but a verdict
// with a false Known. They retain neither t nor anything that it refers to, and
// store nothing about a target with NoStore.
// [example.com/curlew/threat/threattest.Check] tests an implementation.
//
// Classify takes several targets, because some providers charge or limit by
// calls. Usually there is only one.
type Classifier interface {
	Classify(ctx context.Context, t []Target) ([]Verdict, error)
}

// Decision says whether a URL may be requested, and why.
type Decision struct {
	Allowed bool
	Scanned bool // a classifier returned a verdict
	Rule    Rule
	Pattern string // the matching entry in normal form; empty if no list decided
	Verdict Verdict
	Credits int // credits charged for this answer: 0 or 2
}

// Reasons why a check fails.
var (
	ErrBlocked = errors.New("blocked by threat protection")
	ErrPolicy  = errors.New("invalid policy")              // a stored policy, so the fault is the operator's, not the caller's
	ErrEntry   = errors.New("invalid entry")               // in a list given to Compile
	ErrHost    = errors.New("invalid host")                // the URL is valid, but its host cannot be looked up
	ErrPaused  = errors.New("classifier is paused")        // because of too many consecutive failures
	ErrAnswer  = errors.New("invalid classifier response") // wrong length, a score out of range, or a panic
)

// Error says what could not be checked and why.
type Error struct {
	URL string // without userinfo; empty if the policy is invalid
	Err error
}

// Error returns "threat <url>: <cause>".
func (e *Error) Error() string {
	if e.URL == "" {
		return "threat: " + e.Err.Error()
	}
	return "threat " + e.URL + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// BlockedError says that a URL is blocked. It wraps [ErrBlocked].
type BlockedError struct {
	URL      string // without userinfo and fragment
	Decision Decision
}

// Error names the URL and the rule, because clients search for both.
func (e *BlockedError) Error() string {
	return "URL " + e.URL + " is blocked by threat protection (rule: " + e.Decision.Rule.String() + ")"
}

// Unwrap returns [ErrBlocked].
func (e *BlockedError) Unwrap() error { return ErrBlocked }
