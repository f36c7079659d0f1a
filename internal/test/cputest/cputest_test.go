// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cputest_test

import (
	"testing"
	"time"

	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestUsed(t *testing.T) {
	before := cputest.Used(t)
	n := 0
	for cputest.Used(t) < before+20*time.Millisecond {
		n++ // a test that does not end shows that no time is counted
	}
	if n == 0 {
		t.Error("reading the time took 20 ms")
	}
}
