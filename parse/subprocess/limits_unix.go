// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package subprocess

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

const supported = true

// self returns the path of this program. On Linux the path stays valid if
// the file is replaced while the host runs.
func self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// own puts cmd into a new process group. The whole group is killed with it.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// setLimits bounds this process: bytes of address space beyond the current
// size, and seconds of CPU time. A negative bound means none.
func setLimits(memory, cpu int64) error {
	if memory >= 0 {
		if err := lower(syscall.RLIMIT_AS, addressSpace()+uint64(memory)); err != nil && runtime.GOOS == "linux" {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	if cpu >= 0 {
		if err := lower(syscall.RLIMIT_CPU, uint64(cpu)); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return os.NewSyscallError("setrlimit", lower(syscall.RLIMIT_CORE, 0)) // a core dump would contain the document
}

// lower sets the soft and the hard limit of a resource, unless they are
// lower already. At the hard limit the kernel kills the process, and the
// process cannot raise it again.
func lower(resource int, to uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	to = min(to, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: to, Max: to})
}

// addressSpace returns the size of this process's address space in bytes.
func addressSpace() uint64 {
	const unknown = 4 << 30 // a high estimate
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return unknown
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseUint(pages, 10, 64)
	if err != nil || n > math.MaxInt64>>16 {
		return unknown
	}
	return n * uint64(os.Getpagesize()) // #nosec G115 -- positive
}

// outOfMemory reports whether the process was killed by a signal that this
// package did not send. The kernel does that if memory runs out.
func outOfMemory(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
