// SPDX-License-Identifier: Apache-2.0

package protocol

// Limits of a decision.
const (
	MaxActions = 8
	MaxHandles = 32
	MaxQuery   = 256 // characters
	MaxWhy     = 160
	MaxNote    = 300
	MaxMapped  = 500
	MaxHits    = 20
)
