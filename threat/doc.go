// SPDX-License-Identifier: Apache-2.0

// Package threat decides about URLs before they are asked for: URL -> may I?
//
// A [Policy] is what an organisation wants, an [Override] what one request
// wants otherwise; [Resolve] makes one policy of both, and [Compile] makes it
// [Rules]. A [Gate] holds the rules for one job and asks a [Classifier] about
// URLs on which the lists are silent.
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
// The package does no I/O; a Classifier may. Import it to guard requests of
// your own; crawls and agents get it through hooks of their engines.
//
// # Security
//
// A host has one form here, that of internal/weburl, which is the form that is
// dialled: whatever spelling a URL uses, the rules judge where it leads.
// Lists match in time linear in the host and without regular expressions.
package threat
