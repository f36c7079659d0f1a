// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"runtime/debug"
	"testing"
)

// setting returns the setting of the garbage collector.
func setting() int {
	n := debug.SetGCPercent(startPercent)
	debug.SetGCPercent(n)
	return n
}

// initial is the setting before the main function.
var initial = func() int { _ = usual; return setting() }()

// TestGC checks that the setting of the garbage collector is restored, whatever it was.
func TestGC(t *testing.T) {
	if initial != startPercent {
		t.Errorf("the setting is %d before the main function, want %d", initial, startPercent)
	}
	for name, restore := range map[string]func(){"RestoreGC": RestoreGC, "Shrink": Shrink} {
		if restore(); setting() != usual || usual == startPercent {
			t.Errorf("the setting is %d after %s, want %d", setting(), name, usual)
		}
		if DelayGC(); setting() != startPercent {
			t.Errorf("the setting is %d after DelayGC", setting())
		}
	}
	RestoreGC()
}
