// SPDX-License-Identifier: Apache-2.0

package jpx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/pdf/jpx"
)

// scene returns the samples of one component of a picture with strokes, a
// gradient and noise.
func scene(r *rand.Rand, w, h, depth int) []int {
	out := make([]int, w*h)
	most := 1<<depth - 1
	kind := r.IntN(4)
	for i := range out {
		switch kind {
		case 0:
			out[i] = most
		case 1:
			out[i] = most * (i%w + i/w) / (w + h)
		case 2:
			out[i] = r.IntN(most + 1)
		default:
			out[i] = min(max(most/2+(r.IntN(9)-4)*most/64, 0), most)
		}
	}
	for range 3 + w*h/200 {
		x, y, dx, dy, v := r.IntN(w), r.IntN(h), 1+r.IntN(1+w/4), 1+r.IntN(3), r.IntN(most+1)
		if r.IntN(2) == 0 {
			dx, dy = dy, dx
		}
		for j := y; j < min(h, y+dy); j++ {
			for i := x; i < min(w, x+dx); i++ {
				out[j*w+i] = v
			}
		}
	}
	return out
}

// rawBytes returns samples in the raw file format of OpenJPEG.
func rawBytes(samples []int, depth int) (out []byte) {
	for _, v := range samples {
		if depth > 8 {
			out = binary.BigEndian.AppendUint16(out, uint16(v))
		} else {
			out = append(out, byte(v))
		}
	}
	return out
}

// trial is an image with its encoding parameters.
type trial struct {
	args   []string
	raw    []byte
	depth  int
	lossy  bool
	reduce int
	jp2    bool
}

func random(r *rand.Rand) trial {
	var t trial
	w, h := 1+r.IntN(150), 1+r.IntN(150)
	if r.IntN(6) == 0 {
		w, h = 1+r.IntN(5), 1+r.IntN(5)
	}
	n := []int{1, 1, 2, 3, 3, 4}[r.IntN(6)]
	t.depth = []int{1, 2, 4, 7, 8, 8, 8, 12, 16}[r.IntN(9)]
	add := func(s string, v ...any) { t.args = append(t.args, strings.Fields(fmt.Sprintf(s, v...))...) }
	var sampling []string
	for i := range n {
		dx, dy := 1, 1
		if i > 0 && n == 4 && r.IntN(3) == 0 { // OpenJPEG treats three components as YCC and converts them to RGB
			dx, dy = 1+r.IntN(3), 1+r.IntN(3)
		}
		sampling = append(sampling, fmt.Sprintf("%dx%d", dx, dy))
		t.raw = append(t.raw, rawBytes(scene(r, (w+dx-1)/dx, (h+dy-1)/dy, t.depth), t.depth)...)
	}
	same := !slices.ContainsFunc(sampling, func(s string) bool { return s != "1x1" })
	sign := "u"
	if t.depth == 8 && r.IntN(6) == 0 {
		sign = "s"
	}
	add("-F %d,%d,%d,%d,%s@%s", w, h, n, t.depth, sign, strings.Join(sampling, ":"))
	plain := n > 2 && (!same || r.IntN(3) == 0)
	if plain {
		add("-mct 0")
	}
	levels := r.IntN(7)
	for levels > 0 && min(w, h)>>levels == 0 {
		levels--
	}
	add("-n %d", levels+1)
	if levels > 0 && r.IntN(3) == 0 {
		t.reduce = 1 + r.IntN(levels)
	}
	if r.IntN(2) == 0 {
		t.lossy = true
		add("-I")
	}
	xcb := 2 + r.IntN(5)
	add("-b %d,%d", 1<<xcb, 1<<(2+r.IntN(5)))
	order := r.IntN(5)
	add("-p %s", []string{"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"}[order])
	mode := 0
	if r.IntN(2) == 0 {
		mode = r.IntN(64)
		add("-M %d", mode)
	}
	tiles := r.IntN(3) == 0
	if tiles {
		add("-t %d,%d", 8+r.IntN(w+9), 8+r.IntN(h+9))
	}
	precincts := r.IntN(3) == 0
	if precincts {
		var sizes []string
		for range 1 + r.IntN(3) {
			sizes = append(sizes, fmt.Sprintf("[%d,%d]", 1<<(3+r.IntN(5)), 1<<(3+r.IntN(5))))
		}
		add("-c %s", strings.Join(sizes, ","))
	}
	if same && r.IntN(4) == 0 {
		add("-d %d,%d", r.IntN(20), r.IntN(20))
	}
	switch r.IntN(4) {
	case 0:
		add("-r 20,5,1")
	case 1:
		t.lossy = true
		add("-r %d", 2+r.IntN(20))
	}
	for _, flag := range []string{"-SOP", "-EPH", "-PLT", "-TLM", "-TP R", "-TP L"} {
		if lost := flag[:3] == "-TP" && (precincts || tiles || !same); !lost && r.IntN(5) == 0 { // other combinations lose packets
			add("%s", flag)
		}
	}
	if t.depth <= 8 && mode&1 == 0 && r.IntN(6) == 0 { // with bypass mode, OpenJPEG encodes it incorrectly
		add("-ROI c=0,U=%d", r.IntN(12))
	}
	t.jp2 = !plain && r.IntN(2) == 0 // plain components would be treated as YCC and converted to RGB
	return t
}

// TestPeer encodes random pictures with random parameters with OpenJPEG and
// compares the results of both decoders.
func TestPeer(t *testing.T) {
	for _, program := range []string{"opj_compress", "opj_decompress"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no " + program + " (libopenjp2-tools)")
		}
	}
	count := 40
	if os.Getenv("JPX_TRIALS") != "" {
		fmt.Sscan(os.Getenv("JPX_TRIALS"), &count)
	}
	dir := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range count {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		c := random(r)
		in, coded, out := filepath.Join(dir, "in.raw"), filepath.Join(dir, "x.j2k"), filepath.Join(dir, "out.pgx")
		if c.jp2 {
			coded = filepath.Join(dir, "x.jp2")
		}
		os.Remove(coded)
		if err := os.WriteFile(in, c.raw, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), "opj_compress", append(c.args, "-i", in, "-o", coded)...).CombinedOutput()
		data, missing := os.ReadFile(coded)
		if err != nil || missing != nil {
			t.Logf("trial %d: not coded: %v %s: %q", i, c.args, said, err)
			continue
		}
		if said, err := exec.CommandContext(t.Context(), "opj_decompress", "-i", coded, "-o", out, "-r", fmt.Sprint(c.reduce)).CombinedOutput(); err != nil {
			t.Logf("trial %d: not decoded: %v %s: %q", i, c.args, said, err)
			continue
		}
		got, sizes, err := jpx.Samples(t.Context(), data, c.reduce)
		if got == nil {
			t.Errorf("trial %d: %v: %v", i, c.args, err)
			continue
		}
		if err != nil { // happens if OpenJPEG drops packets to reach a bit rate
			t.Logf("trial %d: %v: %v", i, c.args, err)
		}
		limit := 0
		if c.lossy {
			limit = max(1, 1<<c.depth/2048)
		}
		for k, samples := range got {
			truth := readPGX(t, filepath.Join(dir, fmt.Sprintf("out_%d.pgx", k)), sizes[k])
			worst := 0
			for i, v := range samples {
				worst = max(worst, int(v)-truth[i], truth[i]-int(v))
			}
			if worst > limit {
				t.Errorf("trial %d: %v, %d left out: component %d is off by %d", i, c.args, c.reduce, k, worst)
			}
		}
	}
}

// readPGX reads a PGX file of the given size.
func readPGX(t *testing.T, name string, size [2]int) []int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	var depth, w, h int
	var sign string
	if _, err := fmt.Sscanf(string(head), "PG ML %s %d %d %d", &sign, &depth, &w, &h); err != nil || size != [2]int{w, h} {
		t.Fatalf("%s: %s: %v, want %v", filepath.Base(name), head, err, size)
	}
	out := make([]int, w*h)
	for i := range out {
		if depth > 8 {
			out[i] = int(binary.BigEndian.Uint16(body[2*i:]))
		} else {
			out[i] = int(body[i])
		}
		if sign == "-" { // our signed samples are shifted to the middle
			out[i] = int(body[i] ^ 0x80)
		}
	}
	return out
}
