// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package subprocess

import (
	"os"
	"os/exec"
)

const supported = false

func self() (string, error) { return "", ErrPlatform }

func own(*exec.Cmd) {}

func setLimits(int64, int64) error { return ErrPlatform }

func outOfMemory(*os.ProcessState) bool { return false }
