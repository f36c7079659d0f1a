// SPDX-License-Identifier: Apache-2.0

// Command damage reads real documents that it has damaged: bytes flipped, cut,
// repeated and moved, numbers exchanged, in the file or within a part that it
// packs. A process of its own reads them and writes their Markdown; its death,
// a panic, over 5 s of CPU time or over 512 MB of memory is a finding.
//
//	cd bench && go run ./damage -rounds 10
//
// The same -seed damages in the same way; -keep writes the findings down.
// Memory is read from /proc: on other systems it counts as none.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

const (
	maxCPU    = 5 * time.Second
	maxMemory = 512 << 20
	maxWait   = 2 * time.Minute // for the answer of one document
)

// job is one damaged document.
type job struct {
	Path string
	Seed uint64
}

func (j job) String() string { return fmt.Sprintf("%s, seed %d", filepath.Base(j.Path), j.Seed) }

func (j job) data() ([]byte, error) {
	data, err := os.ReadFile(j.Path)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	io.WriteString(h, filepath.Base(j.Path))
	return damage(rand.New(rand.NewPCG(j.Seed, h.Sum64())), data), nil
}

// answer is what reading it took.
type answer struct {
	Error  string // its kind; empty for a tree
	Panic  string
	CPU    time.Duration
	Memory int64 // most that was resident, in bytes
}

func main() {
	corpora := flag.String("corpora", "../../shared/corpora", "the documents, in folders office-dev and pdf-*-dev")
	rounds := flag.Int("rounds", 3, "damaged copies of each document")
	seed := flag.Uint64("seed", 1, "of the first round")
	only := flag.String("only", "", "regular expression of the paths")
	keep := flag.String("keep", "", "folder for what was found; empty keeps nothing")
	child := flag.Bool("child", false, "read jobs from the standard input")
	flag.Parse()
	var err error
	if *child {
		err = serve(os.Stdin, os.Stdout)
	} else {
		err = run(context.Background(), *corpora, *only, *keep, *rounds, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "damage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, corpora, only, keep string, rounds int, seed uint64) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var paths []string
	for _, pattern := range []string{"office-dev/*/*", "pdf-*-dev/pdfs/*"} {
		found, err := filepath.Glob(filepath.Join(corpora, pattern))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !filter.MatchString(p) })
	if len(paths) == 0 {
		return errors.New("no documents: ../shared is absent, or -only fits none")
	}
	reader := &process{}
	defer reader.stop()
	kinds := map[string]int{}
	var worst, most answer
	var worstJob, mostJob job
	findings := 0
	for round := range rounds {
		for i, path := range paths {
			if i%100 == 0 {
				fmt.Fprintf(os.Stderr, "\rround %d of %d, %d of %d ", round+1, rounds, i, len(paths))
			}
			j := job{path, seed + uint64(round)}
			got, err := reader.ask(ctx, j)
			what := ""
			switch {
			case err != nil:
				what = "no answer: " + err.Error()
				reader.stop()
			case got.Panic != "":
				what = got.Panic
			case got.CPU > maxCPU || got.Memory > maxMemory:
				what = fmt.Sprintf("%.1f s of CPU, %d MB", got.CPU.Seconds(), got.Memory>>20)
			}
			if what != "" {
				findings++
				fmt.Printf("\n%s: %s\n", j, what)
				if err := j.save(keep); err != nil {
					return err
				}
			}
			kinds[got.Error]++
			if got.CPU > worst.CPU {
				worst, worstJob = got, j
			}
			if got.Memory > most.Memory {
				most, mostJob = got, j
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	fmt.Printf("%d documents, %d damaged copies of each; most CPU %.1f s (%s), most memory %d MB (%s)\n",
		len(paths), rounds, worst.CPU.Seconds(), worstJob, most.Memory>>20, mostJob)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Printf("%8d %s\n", kinds[kind], map[bool]string{true: "read"}[kind == ""]+kind)
	}
	if findings > 0 {
		return fmt.Errorf("%d findings", findings)
	}
	return nil
}

// save writes the damaged document into dir.
func (j job) save(dir string) error {
	if dir == "" {
		return nil
	}
	data, err := j.data()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	ext := filepath.Ext(j.Path)
	name := strings.TrimSuffix(filepath.Base(j.Path), ext) + "-" + strconv.FormatUint(j.Seed, 10) + ext
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}

// process is a reader that answers jobs.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	bad *bytes.Buffer
}

func (p *process) start(ctx context.Context) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.cmd = exec.CommandContext(ctx, self, "-child")
	p.bad = &bytes.Buffer{}
	p.cmd.Stderr = p.bad
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<20)
	return p.cmd.Start()
}

func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.cmd = nil
}

func (p *process) ask(ctx context.Context, j job) (answer, error) {
	if p.cmd == nil {
		if err := p.start(ctx); err != nil {
			return answer{}, err
		}
	}
	if err := json.NewEncoder(p.in).Encode(j); err != nil {
		return answer{}, fmt.Errorf("%w\n%s", err, p.bad)
	}
	late := time.AfterFunc(maxWait, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	if !p.out.Scan() {
		_ = p.cmd.Wait()
		text := p.bad.String()
		return answer{}, fmt.Errorf("the process is gone\n%s", text[:min(len(text), 2000)])
	}
	var got answer
	return got, json.Unmarshal(p.out.Bytes(), &got)
}

// serve answers jobs until in ends.
func serve(in io.Reader, out io.Writer) error {
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var j job
		if err := dec.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		data, err := j.data()
		if err != nil {
			return err
		}
		if err := enc.Encode(read(j, data)); err != nil {
			return err
		}
	}
}

func read(j job, data []byte) (a answer) {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	before := spent()
	defer func() {
		a.CPU, a.Memory = spent()-before, peak()
		if v := recover(); v != nil {
			a.Panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Source{Name: filepath.Base(j.Path), Data: bytes.NewReader(data), Size: int64(len(data))}, parse.Options{})
	if err != nil {
		if strings.Contains(err.Error(), "panicked") {
			a.Panic = err.Error()
		}
		a.Error = kindOf(err)
		return a
	}
	for range tree.Blocks() { // reading them is all
	}
	var b strings.Builder
	_ = markdown.Render(&b, tree.Root, nil)
	return a
}

func kindOf(err error) string {
	for _, kind := range []error{
		parse.ErrUnsupported, parse.ErrCorrupt, parse.ErrLimit, parse.ErrEncrypted, parse.ErrOCRRequired,
	} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "another error"
}

// spent is the CPU time of the process so far.
func spent() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the most bytes that were resident since the peak began anew.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, _ = fmt.Sscan(after, &kb)
	return kb << 10
}
