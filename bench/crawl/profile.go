// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
)

// profile starts the CPU profile of a client. The returned function ends it and
// also writes an allocation profile. If there is no directory for profiles, it
// does nothing.
func profile(client string, r run) (stop func() error, err error) {
	if r.Profiles == "" {
		return func() error { return nil }, nil
	}
	name := filepath.Join(r.Profiles, strings.ReplaceAll(client, ", ", "-"))
	cpu, err := os.Create(name + ".cpu")
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(err, cpu.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		allocs, err := os.Create(name + ".allocs")
		if err != nil {
			return errors.Join(err, cpu.Close())
		}
		return errors.Join(pprof.Lookup("allocs").WriteTo(allocs, 0), allocs.Close(), cpu.Close())
	}, nil
}
