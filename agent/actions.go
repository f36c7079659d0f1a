// SPDX-License-Identifier: Apache-2.0

package agent

// Bounds of a decision.
const (
	maxActions = 8
	maxHandles = 32
	maxQuery   = 256 // characters
	maxWhy     = 160
	maxNote    = 300
	maxMapped  = 500
	maxHits    = 20
)
