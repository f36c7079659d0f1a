// SPDX-License-Identifier: Apache-2.0

// Command damage reads real documents after it has damaged them: bytes are
// flipped, removed, repeated and moved, and numbers are replaced, in the file
// or in a compressed part, and for PDF also in the cross-reference data. A
// child process reads them and renders their Markdown. A crash, a panic, more
// than 2 s of CPU time or more than 512 MB of memory is a finding. Documents
// that take more than 1 s of CPU time are kept too and listed at the end.
//
//	cd bench && go run ./damage -rounds 78 # some 60,000 documents
//	cd bench && go run ./damage -structure # only PDFs, only what says where objects lie
//	cd bench && go run ./damage -hostile   # the generated files of pdftest
//	cd bench && go run ./damage -losses -kind 2000 # words lost without a warning
//	cd bench && go run ./damage -losses -parts -kind 500 -only office-dev # swapped, doubled, missing and cut parts, wrong IDs, numbers and code pages
//
// The same -seed gives the same damage. CPU time is that of the process, so
// other work on the machine has little influence. Memory is read from /proc and
// counts as zero on other systems.
package main

import (
	"bufio"
	"bytes"
	"cmp"
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
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// Limits for a document, and the CPU time from which it is kept.
const (
	maxCPU    = 2 * time.Second
	slowCPU   = time.Second
	maxMemory = 512 << 20
	maxWait   = 2 * time.Minute // timeout of one document
)

// job is one damaged document.
type job struct {
	Path      string // a file, or the name of a generated one
	Seed      uint64
	Hostile   bool // Path is the name of a generated file, which is not damaged
	Structure bool // damage only cross-reference data
	Parts     bool // damage only how a container holds its parts, and declared code pages
	Losses    bool // compare the words with those of the whole document
}

func (j job) String() string {
	if j.Hostile {
		return j.Path
	}
	return fmt.Sprintf("%s, seed %d", filepath.Base(j.Path), j.Seed)
}

func (j job) data() ([]byte, error) {
	if j.Hostile {
		for _, h := range pdftest.HostileFiles() {
			if h.Name == j.Path {
				return h.Make(), nil
			}
		}
		return nil, fmt.Errorf("no generated file %q", j.Path)
	}
	data, err := os.ReadFile(j.Path)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, filepath.Base(j.Path)) // a hash returns no error
	r := rand.New(rand.NewPCG(j.Seed, h.Sum64()))   //nolint:gosec // the same seed gives the same damage
	if j.Structure {
		return unmap(r, data), nil
	}
	if j.Parts {
		if out := repack(r, data); out != nil {
			return out, nil
		}
		return data, nil
	}
	return damage(r, data), nil
}

// answer is the cost and the result of reading a document.
type answer struct {
	Error  string // kind of the error; empty if there is a tree
	Panic  string
	CPU    time.Duration
	Memory int64 // peak resident memory in bytes
	Size   int   // size of the document in bytes
	Chars  int   // length of its Markdown

	Lost   []string // words that the damaged document still has, but its text does not
	Warned bool     // there is a warning that the whole document does not have
}

// options select what is read.
type options struct {
	corpora, only, keep string
	rounds, parallel    int
	kind                int
	seed                uint64
	hostile, structure  bool
	parts               bool
	each, losses        bool
}

func main() {
	var o options
	flag.StringVar(&o.corpora, "corpora", "../../shared/corpora", "the documents, in folders office-dev and pdf-*-dev")
	flag.IntVar(&o.rounds, "rounds", 3, "damaged copies of each document")
	flag.IntVar(&o.kind, "kind", 0, "damaged documents of each file name extension, instead of -rounds; those that are only text are left out")
	flag.IntVar(&o.parallel, "parallel", 1, "processes that read")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first round")
	flag.StringVar(&o.only, "only", "", "regular expression of the paths")
	flag.StringVar(&o.keep, "keep", filepath.Join(os.TempDir(), "curlew-damage"), "folder for what was found or slow; empty keeps nothing")
	flag.BoolVar(&o.hostile, "hostile", false, "read generated files instead")
	flag.BoolVar(&o.structure, "structure", false, "damage only what says where the objects of PDFs lie")
	flag.BoolVar(&o.parts, "parts", false, "damage only how containers hold their parts (swapped, duplicated, missing, cut), relationships, and declared code pages")
	flag.BoolVar(&o.each, "each", false, "print a line for each document")
	flag.BoolVar(&o.losses, "losses", false, "count the documents that lose words, and those that lose them without a warning")
	child := flag.Bool("child", false, "read jobs from the standard input")
	flag.Parse()
	var err error
	if *child {
		err = serve(os.Stdin, os.Stdout)
	} else {
		err = run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "damage:", err)
		os.Exit(1)
	}
}

// jobs lists the documents to read.
func (o options) jobs() ([]job, error) {
	filter, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	if o.hostile {
		var all []job
		for _, h := range pdftest.HostileFiles() {
			if filter.MatchString(h.Name) {
				all = append(all, job{Path: h.Name, Hostile: true})
			}
		}
		return all, nil
	}
	patterns := []string{"office-dev/*/*", "pdf-*-dev/pdfs/*"}
	if o.structure {
		patterns = patterns[1:]
	}
	var paths []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(o.corpora, pattern))
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !filter.MatchString(p) })
	if len(paths) == 0 {
		return nil, errors.New("no documents: ../shared is absent, or -only fits none")
	}
	rounds := func(string) int { return o.rounds }
	if o.kind > 0 {
		paths = slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(plain, filepath.Ext(p)) })
		count := map[string]int{}
		for _, p := range paths {
			count[filepath.Ext(p)]++
		}
		rounds = func(path string) int { return (o.kind + count[filepath.Ext(path)] - 1) / count[filepath.Ext(path)] }
	}
	var all []job
	for _, path := range paths {
		for round := range rounds(path) {
			all = append(all, job{Path: path, Seed: o.seed + uint64(round), Structure: o.structure, Parts: o.parts, Losses: o.losses})
		}
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(a.Seed, b.Seed) })
	return all, nil
}

// plain are the extensions of the files beside the documents, which say what is in them.
var plain = []string{".md", ".txt", ".json"}

// result is the answer to a job, or why there is none.
type result struct {
	job
	answer

	err error
}

// what returns why a result is a finding, or "".
func (r result) what() string {
	switch {
	case r.err != nil:
		return "no answer: " + r.err.Error()
	case r.Panic != "":
		return r.Panic
	case r.CPU > maxCPU || r.Memory > maxMemory:
		return fmt.Sprintf("%.1f s of CPU, %d MB", r.CPU.Seconds(), r.Memory>>20)
	}
	return ""
}

func run(ctx context.Context, o options) error {
	jobs, err := o.jobs()
	if err != nil {
		return err
	}
	in, out := make(chan job), make(chan result)
	var readers sync.WaitGroup
	for range o.parallel {
		readers.Go(func() {
			p := &process{}
			defer p.stop()
			for j := range in {
				got, err := p.ask(ctx, j)
				if err != nil {
					p.stop()
				}
				out <- result{j, got, err}
			}
		})
	}
	go func() {
		for _, j := range jobs {
			in <- j
		}
		close(in)
		readers.Wait()
		close(out)
	}()
	var sum report
	for r := range out {
		if sum.read++; sum.read%100 == 0 {
			fmt.Fprintf(os.Stderr, "\r%d of %d ", sum.read, len(jobs))
		}
		if err := sum.add(r, o); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr)
	return sum.print(o)
}

// report contains the results of all documents.
type report struct {
	read, findings int
	chars          int
	cpu            time.Duration
	kinds          map[string]int
	slow           []result // over slowCPU or maxMemory, including findings
	worst, most    result
	losses         map[string]*losses // by file name extension
}

// add counts a result, and keeps its document if it is a finding or slow.
func (s *report) add(r result, o options) error {
	if s.kinds == nil {
		s.kinds = map[string]int{}
	}
	s.kinds[r.Error]++
	s.chars += r.Chars
	s.cpu += r.CPU
	if r.CPU > s.worst.CPU {
		s.worst = r
	}
	if r.Memory > s.most.Memory {
		s.most = r
	}
	if o.each {
		fmt.Printf("%s\t%s\t%d\t%.3f s\t%d MB\t%d bytes\n", r.job, r.Error, r.Chars, r.CPU.Seconds(), r.Memory>>20, r.Size)
	}
	if o.losses {
		s.lose(r)
		if err := r.keepLoss(o.keep); err != nil {
			return err
		}
	}
	what := r.what()
	if what != "" {
		s.findings++
		fmt.Printf("\n%s: %s\n", r.job, what)
	}
	if what == "" && r.CPU <= slowCPU {
		return nil
	}
	s.slow = append(s.slow, r)
	return r.save(o.keep)
}

// print writes the totals. If there were findings, it returns an error.
func (s *report) print(o options) error {
	fmt.Printf("%d documents, %d characters, %.0f s of CPU; most CPU %.2f s (%s), most memory %d MB (%s)\n",
		s.read, s.chars, s.cpu.Seconds(), s.worst.CPU.Seconds(), s.worst.job, s.most.Memory>>20, s.most.job)
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		fmt.Printf("%8d %s\n", s.kinds[kind], cmp.Or(kind, "read"))
	}
	if o.losses {
		s.printLosses()
	}
	slices.SortFunc(s.slow, func(a, b result) int { return cmp.Compare(b.CPU, a.CPU) })
	if len(s.slow) > 0 {
		fmt.Printf("%d over %v of CPU or %d MB, or without an answer, kept in %q:\n", len(s.slow), slowCPU, maxMemory>>20, o.keep)
	}
	for _, r := range s.slow[:min(len(s.slow), 50)] {
		fmt.Printf("%8.2f s %5d MB  %s\n", r.CPU.Seconds(), r.Memory>>20, r.job)
	}
	if s.findings > 0 {
		return fmt.Errorf("%d findings", s.findings)
	}
	return nil
}

// save writes the damaged document to dir.
func (j job) save(dir string) error {
	if dir == "" {
		return nil
	}
	data, err := j.data()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	ext := filepath.Ext(j.Path)
	name := strings.TrimSuffix(filepath.Base(j.Path), ext) + "-" + strconv.FormatUint(j.Seed, 10) + cmp.Or(ext, ".pdf")
	return os.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// process is a child process that answers jobs.
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
	p.cmd = exec.CommandContext(ctx, self, "-child") //nolint:gosec // this program
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
		return answer{}, fmt.Errorf("the process has ended\n%s", text[:min(len(text), 2000)])
	}
	var got answer
	return got, json.Unmarshal(p.out.Bytes(), &got)
}

// serve answers jobs until the end of in.
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
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak of memory
	before := spent()
	defer func() {
		a.CPU, a.Memory, a.Size = spent()-before, peak(), len(data)
		if v := recover(); v != nil {
			a.Panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Source{Name: filepath.Base(j.Path), Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		if strings.Contains(err.Error(), "panicked") {
			a.Panic = err.Error()
		}
		a.Error = kindOf(err)
		return a
	}
	for range tree.Blocks() { // only to read them
	}
	var b strings.Builder
	_ = markdown.Render(context.Background(), &b, tree.Root, nil)
	a.Chars = utf8.RuneCountInString(b.String())
	if j.Losses {
		a.compare(j.Path, data, tree, textOf(tree), j.Parts)
	}
	return a
}

// textOf returns the text of a tree without its metadata, scripts and styles, with spaces between its
// elements.
func textOf(tree *parse.Tree) string {
	var b strings.Builder
	_ = tree.WriteHTML(&b)
	_, body, _ := strings.Cut(b.String(), "<body")
	return tags.ReplaceAllString("<"+body, " ")
}

// tags matches tags, and scripts and styles, which are no text.
var tags = regexp.MustCompile(`(?s)<(?:script|style)[\s>].*?</(?:script|style)>|<[^>]*>`)

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

// peak returns the peak resident memory since it was last reset, in bytes.
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
