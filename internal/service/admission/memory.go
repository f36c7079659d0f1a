// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is the assumed memory in bytes if the machine's is unknown.
const unknownMemory = 4 << 30

// Memory returns the memory in bytes that the process may use: that of the
// machine, or the lowest limit of its control groups.
func Memory() int64 {
	most := int64(unknownMemory)
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		_, after, _ := bytes.Cut(info, []byte("MemTotal:"))
		line, _, _ := bytes.Cut(after, []byte("kB"))
		if kb, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64); err == nil && kb > 0 {
			most = kb << 10
		}
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "": // version 2
			most = lowest(most, "/sys/fs/cgroup", fields[2], "memory.max")
		case fields[1] == "memory":
			most = lowest(most, "/sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes")
		}
	}
	return most
}

// lowest returns the lowest of most and the limits of a control group and its
// parents. In a container the group may be mounted as the root.
func lowest(most int64, root, group, file string) int64 {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := os.ReadFile(path.Join(root, group, file)); err == nil { //nolint:gosec // a file of the kernel
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 { // otherwise "max"
				most = min(most, n)
			}
		}
		if group == "/" {
			return most
		}
	}
}
