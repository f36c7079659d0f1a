// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// atOnce is the number of documents that are read concurrently.
const atOnce = 8

// scale compares one core with all cores: the wall time of eight concurrent
// documents, and of the pages of one long document. The CPU time shows how much
// the cores slow each other down.
func scale(files []string, keys map[string]string, rounds int) {
	var readable []string
	long, pages := "", 0
	for _, f := range files { // warm-up
		r, err := convert(f, keys[filepath.Base(f)])
		if err != nil {
			continue
		}
		readable = append(readable, f)
		if n := len(r.tree.Pages); n > pages {
			long, pages = f, n
		}
	}
	compare(fmt.Sprintf("%d documents, %d at once", len(readable), atOnce), rounds, func() { side(readable, keys) })
	compare(fmt.Sprintf("the %d pages of %s, ten times", pages, filepath.Base(long)), rounds, func() {
		for range 10 {
			if _, err := convert(long, keys[filepath.Base(long)]); err != nil {
				fail(err)
			}
		}
	})
}

// side reads files, eight at a time.
func side(files []string, keys map[string]string) {
	next := make(chan string)
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for f := range next {
				if _, err := convert(f, keys[filepath.Base(f)]); err != nil {
					fail(err)
				}
			}
		})
	}
	for _, f := range files {
		next <- f
	}
	close(next)
	wg.Wait()
}

// compare runs work on one core and on all in turns, and reports the best of
// each.
func compare(name string, rounds int, work func()) {
	all := runtime.NumCPU()
	wall := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	spent := wall
	for range max(1, rounds) {
		for i, cores := range [...]int{1, all} {
			runtime.GOMAXPROCS(cores)
			runtime.GC()
			start, before := time.Now(), cpu(syscall.RUSAGE_SELF)
			work()
			wall[i], spent[i] = min(wall[i], time.Since(start)), min(spent[i], cpu(syscall.RUSAGE_SELF)-before)
		}
	}
	speedup := wall[0].Seconds() / wall[1].Seconds()
	fmt.Printf("%s: wall time on one core %v, on %d %v: %.2f times as fast, %.2f of the cores; CPU time %v and %v: %.2f\n",
		name, wall[0].Round(time.Millisecond), all, wall[1].Round(time.Millisecond), speedup, speedup/float64(all),
		spent[0].Round(time.Millisecond), spent[1].Round(time.Millisecond), spent[1].Seconds()/spent[0].Seconds())
}
