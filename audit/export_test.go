// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"maps"
	"slices"
)

// BreakFile makes the next write to the file of f fail.
func BreakFile(f *File) { _ = f.file.Close() }

// TeamIDs returns the teams whose events are kept.
func (r *Recent) TeamIDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.teams))
}
