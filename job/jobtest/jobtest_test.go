// SPDX-License-Identifier: Apache-2.0

package jobtest_test

import (
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/job"
	"example.com/curlew/job/jobtest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestMemory(t *testing.T) {
	jobtest.Check(t, func(*testing.T) job.Store { return new(job.Memory) })
}
