// SPDX-License-Identifier: Apache-2.0

package agent

// Wrappers are what was learned of templates of pages, shared between runs.
// The zero value is ready to use.
type Wrappers struct{}
