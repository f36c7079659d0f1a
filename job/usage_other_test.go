// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package job_test

import (
	"testing"
	"time"
)

// usage is not available on this system.
func usage(testing.TB) time.Duration { return 0 }
