// SPDX-License-Identifier: Apache-2.0

//go:build unix

package jpx_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/parse/internal/pdf/jpx"
)

// page returns a gray A4 page at 300 dpi that looks like a scan: noisy paper
// with lines of strokes similar to letters.
func page() []byte {
	const w, h = 2480, 3508
	r := rand.New(rand.NewPCG(1, 2))
	pix := make([]byte, w*h)
	for i := range pix {
		pix[i] = byte(min(max(235+4*r.NormFloat64(), 0), 255))
	}
	for y := 250; y < h-250; y += 58 {
		for x := 250; x < w-250; x += 14 + r.IntN(16) {
			for range 3 { // strokes
				x0, y0, dx, dy := x+r.IntN(12), y+r.IntN(20), 3, 8+r.IntN(16)
				if r.IntN(2) == 0 {
					dx, dy = dy/2, dx
				}
				for j := y0; j < y0+dy; j++ {
					for i := x0; i < min(x0+dx, w); i++ {
						pix[j*w+i] = byte(min(max(40+6*r.NormFloat64(), 0), 255))
					}
				}
			}
		}
	}
	return append(fmt.Appendf(nil, "P5\n%d %d\n255\n", w, h), pix...)
}

// BenchmarkPage decodes a page with this package and with OpenJPEG in one
// thread. cpu-ms/op and peer-ms/op are the CPU times. That of OpenJPEG
// includes starting the program and writing a file.
func BenchmarkPage(b *testing.B) {
	if _, err := exec.LookPath("opj_compress"); err != nil {
		b.Skip("no opj_compress (libopenjp2-tools)")
	}
	dir := b.TempDir()
	in := filepath.Join(dir, "in.pgm")
	if err := os.WriteFile(in, page(), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, args string }{{"lossless", "-n 6"}, {"lossy", "-n 6 -I -r 15"}} {
		b.Run(c.name, func(b *testing.B) {
			coded := filepath.Join(dir, c.name+".jp2")
			if said, err := exec.CommandContext(b.Context(), "opj_compress", append(strings.Fields(c.args), "-i", in, "-o", coded)...).CombinedOutput(); err != nil {
				b.Fatalf("%s", said)
			}
			data, err := os.ReadFile(coded)
			if err != nil {
				b.Fatal(err)
			}
			peer := time.Duration(1 << 62)
			for range 3 {
				run := exec.CommandContext(b.Context(), "opj_decompress", "-threads", "1", "-i", coded, "-o", filepath.Join(dir, "out.pgx"))
				if err := run.Run(); err != nil {
					b.Fatal(err)
				}
				peer = min(peer, run.ProcessState.UserTime()+run.ProcessState.SystemTime())
			}
			cpu := cputest.Used(b)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jpx.Decode(b.Context(), data, jpx.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cputest.Used(b)-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(peer.Milliseconds()), "peer-ms/op")
		})
	}
}
