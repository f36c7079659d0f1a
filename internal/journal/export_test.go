// SPDX-License-Identifier: Apache-2.0

package journal

// SetSegment sets the size of a segment.
func (l *Log) SetSegment(n int64) { l.limit = n }
