// SPDX-License-Identifier: Apache-2.0

package job

import "example.com/curlew/internal/uuid"

// NewID returns a new UUIDv7 in lower case (RFC 9562, 5.7). The ids of one
// process are strictly increasing, as text and as bytes, even if the clock
// stops or is set back. It is safe for concurrent use.
func NewID() string { return uuid.New() }

// ValidID reports whether id is a UUIDv7 in the form that [NewID] writes: lower
// case, with hyphens. Such an id is safe as a file name.
func ValidID(id string) bool { return uuid.Valid(id) }
