// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report prints what the server judged, then speed: figures of each client as
// its median turn, and ratios to Colly's turn of the same round as minimum,
// median and maximum.
func report(w io.Writer, results map[string][]result) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "client\tpages\tmissing\twrong\ttwice\tforbidden\tdecoys")
	for _, c := range clients {
		var v verdict // the worst of all turns
		for i, r := range results[c.name] {
			v.pages = r.pages
			if i > 0 {
				v.pages = min(v.pages, r.pages)
			}
			v.missing = max(v.missing, r.missing)
			v.wrong = max(v.wrong, r.wrong)
			v.duplicates = max(v.duplicates, r.duplicates)
			v.forbidden = max(v.forbidden, r.forbidden)
			v.decoys = max(v.decoys, r.decoys)
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", c.name, v.pages, v.missing, v.wrong, v.duplicates, v.forbidden, v.decoys)
	}
	fmt.Fprintln(tw, "\nclient\tCPU a page\tpages/s\tpeak MiB\tpages per CPU-second, times Colly's\tpages/s, times Colly's\tpeak, times Colly's")
	base := results[clients[0].name]
	for _, c := range clients {
		turns := results[c.name]
		perPage := func(r result) float64 { return r.cpu.Seconds() / float64(r.pages) }
		rate := func(r result) float64 { return float64(r.pages) / r.wall.Seconds() }
		peak := func(r result) float64 { return float64(r.peak) }
		fmt.Fprintf(tw, "%s\t%v\t%.0f\t%.0f\t%s\t%s\t%s\n", c.name,
			time.Duration(median(turns, perPage)*1e9).Round(time.Microsecond), median(turns, rate), median(turns, peak)/(1<<20),
			ratio(base, turns, perPage), ratio(turns, base, rate), ratio(turns, base, peak))
	}
	tw.Flush()
}

// ratio returns f of a over f of b, round by round, as minimum, median and
// maximum.
func ratio(a, b []result, f func(result) float64) string {
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, f(a[i])/f(b[i]))
	}
	slices.Sort(all)
	return fmt.Sprintf("%.2f [%.2f %.2f]", all[len(all)/2], all[0], all[len(all)-1])
}

func median(turns []result, f func(result) float64) float64 {
	var all []float64
	for _, r := range turns {
		all = append(all, f(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
