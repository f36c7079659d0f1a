// SPDX-License-Identifier: Apache-2.0

package journal

// SetSegment makes a segment full at n bytes.
func (l *Log) SetSegment(n int64) { l.limit = n }
