// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// entry is a mapping as /proc/self/smaps shows it.
func entry(head, anonymous string) string {
	return head + "\nSize:                  8 kB\nRss:                   8 kB\nAnonymous:             " + anonymous + " kB\nSwap:                  0 kB\nVmFlags: rd ex mr mw me \n"
}

func TestUnchanged(t *testing.T) {
	const file = "/opt/my bin/curlew"
	text := entry("00400000-01364000 r-xp 00000000 fe:00 247278                     "+file, "0") +
		entry("01364000-02348000 r--p 00f64000 fe:00 247278                     "+file, "4") + // a breakpoint
		entry("02348000-0254b000 rw-p 01f48000 fe:00 247278                     "+file, "0") +
		entry("0254b000-0259a000 rw-p 00000000 00:00 0 ", "8") +
		entry("7f0000000000-7f0000001000 r--p 00000000 fe:00 12                 /other"+file+"x", "0") +
		entry("7f0000002000-7f0000003000 r--p 00000000 fe:00 247278             "+file, "0") +
		"garbage: of a later kernel\n"
	want := []mapping{{0x400000, 0x1364000}, {0x7f0000002000, 0x7f0000003000}}
	if got := unchanged(strings.NewReader(text), file); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	for i := range text { // a list that is cut off names no mapping that it does not describe completely
		if got := unchanged(strings.NewReader(text[:i]), file); len(got) > 2 {
			t.Fatalf("cut at %d: %x", i, got)
		}
	}
}

// TestShrink checks that a process still runs, and that its executable file is found in the
// list of the kernel.
func TestShrink(t *testing.T) {
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("kernel: there is no /proc/self/smaps: ", err)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := unchanged(bytes.NewReader(text), executable); len(got) == 0 {
		t.Errorf("no mapping of %s in %s", executable, text)
	}
	before := strings.Repeat("x", 1<<20)
	Shrink()
	Shrink()
	if strings.Count(before, "x") != 1<<20 {
		t.Error("the memory of the process has changed")
	}
}
