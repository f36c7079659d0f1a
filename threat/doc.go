// SPDX-License-Identifier: Apache-2.0

// Package threat decides whether a URL may be requested.
//
// A [Policy] contains the rules of an organization, and an [Override] contains
// the changes that one request asks for. [Resolve] combines both into one
// policy, and [Compile] turns it into [Rules]. A [Gate] applies the rules to
// the URLs of one job, and asks a [Classifier] about URLs that no list decides.
//
//	rules, err := threat.Compile(policy)
//	...
//	gate := &threat.Gate{Rules: rules, Classifier: scanner}
//	t, err := threat.ParseTarget(url)
//	...
//	if _, err := gate.Check(ctx, t); err != nil {
//		return err // a *threat.BlockedError, or the check could not be made
//	}
//
// The package does no I/O, but a Classifier may. Import it to check requests of
// your own. Crawls and agents use it through hooks of their engines.
//
// # Security
//
// A host has a single form here, the one of internal/weburl, which is also the
// one that is dialed. However a URL is spelled, the rules apply to the host
// that it leads to. Matching takes time linear in the length of the host and
// uses no regular expressions.
package threat
