// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// memory returns how many bytes the processes of a group use alone, without the pages that they
// share. It returns zero if the system does not tell. A sandbox hides other figures.
func memory(group int) (sum int64) {
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range list {
		stat, err := os.ReadFile(path) //nolint:gosec // a path of Glob
		if err != nil {
			continue // the process has ended
		}
		// The name of the program is in parentheses, and may contain any character.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		statm, err := os.ReadFile(filepath.Join(filepath.Dir(path), "statm"))
		if err != nil {
			continue
		}
		var size, resident, shared int64
		if _, err := fmt.Sscan(string(statm), &size, &resident, &shared); err == nil {
			sum += max(resident-shared, 0) * int64(os.Getpagesize())
		}
	}
	return sum
}
