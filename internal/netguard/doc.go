// SPDX-License-Identifier: Apache-2.0

// Package netguard decides which addresses may be reached, and makes every
// dialer, resolver and HTTP client of the module: policy -> client.
//
// A [Policy] judges twice. CheckURL looks at scheme, host and port before any
// name is asked for. Check looks at each real address when it is dialled, so
// redirects, names that change their answer and retries are covered alike.
// Whoever follows redirects asks CheckURL for each hop; the clients of
// [Policy.Client] do so for each request and follow none.
//
// # Security
//
// The rule has the shape of an allow list: globally reachable unicast. No
// environment variable, request field or build tag opens more; the operator's
// Allow does. A refusal reads "blocked by network policy" and nothing else,
// because every further word would tell an attacker about the network; the
// reason is in the fields of [Error], for the audit log.
package netguard
