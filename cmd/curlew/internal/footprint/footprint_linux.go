// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unmapFile unmaps the pages of the executable file.
func unmapFile() {
	executable, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	for _, m := range unchanged(maps, executable) {
		for _, advice := range []uintptr{syscall.MADV_RANDOM, syscall.MADV_DONTNEED} {
			// If the kernel refuses, nothing has changed.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, advice)
		}
	}
}

// unchanged returns the mappings of a file, in the form of /proc/self/smaps, that cannot be
// written and whose pages are all as in the file. A debugger or a probe changes pages when
// it sets a breakpoint, and unmapping them would remove it.
func unchanged(smaps io.Reader, file string) []mapping {
	var all []mapping
	var current *mapping // the mapping whose fields follow, if it is wanted
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		switch {
		case strings.Contains(name, " "): // the colon is that of a device
			current = nil
			var m mapping
			var rights, offset, device, inode string
			if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s", &m.start, &m.end, &rights, &offset, &device, &inode); n < 6 {
				continue
			}
			if strings.HasPrefix(rights, "r-") && strings.HasSuffix(line, " "+file) {
				current = &m
			}
		case current == nil:
		case name == "Anonymous" && strings.TrimSpace(value) != "0 kB":
			current = nil
		case name == "VmFlags": // the last field
			all = append(all, *current)
			current = nil
		}
	}
	return all
}
