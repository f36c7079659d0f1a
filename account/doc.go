// SPDX-License-Identifier: Apache-2.0

// Package account describes teams: their permissions ([Policy]), their API keys
// ([Keys]), their credits ([Credits], stored by a [Ledger]) and how often they may make
// requests ([Limiter]).
//
// It decides nothing about a request. The Service of package curlew enforces
// the policy of the calling team.
//
// # Security
//
// Only the SHA-256 of a key is stored. Unknown, revoked and expired keys are
// refused after the same steps, so that they take the same time.
package account
