// SPDX-License-Identifier: Apache-2.0

package memtest_test

import (
	"runtime"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/memtest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestPeak(t *testing.T) {
	before := memtest.Peak(t)
	if now := memtest.Resident(t); now > before {
		before = now // it may have grown in the meantime
	}
	used := make([]byte, 64<<20)
	for i := range used {
		used[i] = 1
	}
	if got := memtest.Peak(t); got < before+32<<20 || got > before+1<<30 {
		t.Errorf("the peak is %d MiB after 64 MiB more than %d MiB", got>>20, before>>20)
	}
	if now, peak := memtest.Resident(t), memtest.Peak(t); now > peak || now < 1<<20 {
		t.Errorf("%d bytes are in memory, the peak is %d", now, peak)
	}
	runtime.KeepAlive(used)
}
