// SPDX-License-Identifier: Apache-2.0

// Package agent gathers data: question -> answer.
//
// Its engine is still to come. What stands is what the contract needs to check
// a question and to say that no model is configured.
package agent

import "errors"

// ErrNoModel means that an agent has no model to ask.
var ErrNoModel = errors.New("no model is configured")
