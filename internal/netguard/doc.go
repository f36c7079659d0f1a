// SPDX-License-Identifier: Apache-2.0

// Package netguard decides which addresses may be reached, and creates all
// dialers, resolvers and HTTP clients of the module.
//
// A [Policy] checks twice. CheckURL checks the scheme, host and port before a
// name is resolved. Check checks each actual address when it is dialed, so that
// redirects, names with changing addresses and retries are covered too. Code
// that follows redirects must call CheckURL for each hop. The clients of
// [Policy.Client] call it for each request and follow no redirects.
//
// # Security
//
// Only globally reachable unicast addresses are allowed. No environment
// variable, request field or build tag allows more; only the operator's Allow
// does. The text of a refusal is always "blocked by network policy", because
// any detail would tell an attacker about the network. The reason is in the
// fields of [Error], for the audit log.
package netguard
