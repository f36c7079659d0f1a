// SPDX-License-Identifier: Apache-2.0

// Package account knows teams: what each may do ([Policy]), its API keys ([Keys])
// and its credits ([Credits], kept by a [Ledger]).
//
// It decides nothing about a request. The Service of package curlew enforces the
// policy of the team on whose behalf it works.
//
// # Security
//
// Keys are kept by their SHA-256. An unknown, a revoked and an expired key are
// refused after the same steps.
package account
