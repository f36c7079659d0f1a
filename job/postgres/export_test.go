// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"fmt"
)

// Self returns the identifier of the process of s.
func Self(s *Store) string { return s.self }

// Sweep removes expired jobs now.
func Sweep(s *Store, ctx context.Context) error { return s.sweep(ctx) } //nolint:revive // a method in disguise

// Dated returns the identifier of a job as if it had been made some days later.
func Dated(id string, days int) string {
	d := dayOf(id) + day(days)
	h := fmt.Sprintf("%012x", int64(d)*dayMillis)
	return h[:8] + "-" + h[8:] + id[13:]
}
