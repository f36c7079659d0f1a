// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Mode switches threat protection.
type Mode uint8

// Modes; the first is the default.
const (
	Off    Mode = iota // nothing is checked, lists included
	Normal             // lists, then the classifier
)

// String returns the wire name: off or normal.
func (m Mode) String() string { return name(int(m), "off", "normal") }

// ParseMode reads a wire name.
func ParseMode(s string) (Mode, bool) {
	switch s {
	case "off":
		return Off, true
	case "normal":
		return Normal, true
	}
	return 0, false
}

// FailurePolicy says what becomes of a URL about which the classifier could not
// be asked.
type FailurePolicy uint8

// Failure policies; the first is the default.
const (
	Closed FailurePolicy = iota // it is blocked
	Open                        // it is allowed
)

// String returns the wire name: closed or open.
func (f FailurePolicy) String() string { return name(int(f), "closed", "open") }

// ParseFailurePolicy reads a wire name.
func ParseFailurePolicy(s string) (FailurePolicy, bool) {
	switch s {
	case "closed":
		return Closed, true
	case "open":
		return Open, true
	}
	return 0, false
}

// Rule is what decided about a URL.
type Rule uint8

// Rules; the zero value is none.
const (
	_           Rule = iota
	ByWhitelist      // a whitelist entry allows it, above all else
	ByBlacklist      // a blacklist entry blocks it
	ByTLD            // a blocked TLD blocks it
	ByRisk           // its score reaches the threshold
	ByFailure        // the classifier could not be asked: blocked or allowed by the FailurePolicy
	ByDefault        // nothing speaks against it
)

// String returns the wire name, such as blocked-tld.
func (r Rule) String() string {
	return name(int(r), "", "whitelist", "blacklist", "blocked-tld", "risk-score", "provider-failure", "default-allow")
}

// name returns the i-th of names, and a number where there is none.
func name(i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// DefaultThreshold is the score from which on a URL is blocked where a policy
// names none.
const DefaultThreshold = 75

// ScanCredits is what one classified URL costs.
const ScanCredits = 2

// Policy is a rule set. The zero value checks nothing.
//
// An entry of Blacklist or Whitelist is a name, which stands for itself and all
// names below it; "*." and a name, which stands for the names below it alone; or
// an IP address. Names may be Unicode. An entry of BlockedTLDs is the end of a
// name, of one label or more (zip, co.uk), without a leading dot. Case and
// space around an entry do not matter. Their order does not either.
type Policy struct {
	Mode                              Mode
	Blacklist, Whitelist, BlockedTLDs []string
	Failure                           FailurePolicy
	Threshold                         *int // 0 to 100; nil means 75

	// Stars admits entries of the two lists with stars inside (ad*.example.com).
	// A star stands for any run of characters, dots included, the entry for the
	// whole host; its last two labels have no star. Overrides never have them.
	Stars bool
}

// Verdict is what a classifier knows of a URL.
type Verdict struct {
	Score      int  // 0, harmless, to 100
	Known      bool // false: the classifier has no opinion, and Score means nothing
	Categories []string
	Provider   string
	Expires    time.Time // zero: unknown
}

// Classifier scores URLs. Implementations are safe for concurrent use and
// return when ctx ends. They answer with one verdict for each target, in the
// order of t, or with an error; a URL that they do not know is no error but a
// verdict without Known. They keep neither t nor what it points to, and of a
// target with NoStore nothing at all. [example.com/curlew/threat/threattest] checks
// one.
//
// It is a batch, because some providers charge or limit by call; one target is
// normal.
type Classifier interface {
	Classify(ctx context.Context, t []Target) ([]Verdict, error)
}

// Decision is the answer about one URL.
type Decision struct {
	Allowed bool
	Scanned bool // a classifier gave a verdict
	Rule    Rule
	Pattern string // the entry that matched, in its normal form; empty where no list decided
	Verdict Verdict
	Credits int // 0 or 2: what this answer was charged
}

// Why a check fails other than by a block.
var (
	ErrBlocked = errors.New("blocked by threat protection")
	ErrPolicy  = errors.New("invalid policy")                   // a stored one: the operator's fault, not the caller's
	ErrEntry   = errors.New("invalid entry")                    // of a list given to Compile
	ErrHost    = errors.New("invalid host")                     // it parses, but can be no name to look up
	ErrPaused  = errors.New("classifier is paused")             // too many failures in a row
	ErrAnswer  = errors.New("classifier's answer is no answer") // wrong length, score out of range, a panic
)

// Error says what could not be checked.
type Error struct {
	URL string // without userinfo; empty where the policy is at fault
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

// BlockedError refuses a URL. It wraps [ErrBlocked].
type BlockedError struct {
	URL      string // without userinfo and fragment
	Decision Decision
}

// Error names the URL and the rule: clients look for both.
func (e *BlockedError) Error() string {
	return "URL " + e.URL + " is blocked by threat protection (rule: " + e.Decision.Rule.String() + ")"
}

// Unwrap returns [ErrBlocked].
func (e *BlockedError) Unwrap() error { return ErrBlocked }
