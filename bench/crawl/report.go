// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report prints the results of the server's checks and then the speed: the
// median turn of each client, and the median, minimum and maximum of the ratio
// to the first client's turn of the same round. Speed is measured by fetched
// pages and by wanted pages, because a client that fetches a page under five
// spellings is not slow, but most of its work is useless.
func report(w io.Writer, peers []peer, results map[string][]result) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "client\tfetched\twanted\tmissing\twrong\ttwice\tforbidden\tdecoys")
	for _, c := range peers {
		var v verdict // the worst result of all turns
		for i, r := range results[c.name] {
			v.pages = r.pages
			if i > 0 {
				v.pages = min(v.pages, r.pages)
			}
			v.fetched = max(v.fetched, r.fetched)
			v.missing = max(v.missing, r.missing)
			v.wrong = max(v.wrong, r.wrong)
			v.duplicates = max(v.duplicates, r.duplicates)
			v.forbidden = max(v.forbidden, r.forbidden)
			v.decoys = max(v.decoys, r.decoys)
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", c.name, v.fetched, v.pages, v.missing, v.wrong, v.duplicates, v.forbidden, v.decoys)
	}
	first := peers[0].name
	base := results[first]
	for _, by := range []struct {
		name  string
		pages func(result) float64
	}{
		{"fetched", func(r result) float64 { return float64(r.fetched) }},
		{"wanted", func(r result) float64 { return float64(r.pages) }},
	} {
		perPage := func(r result) float64 { return r.cpu.Seconds() / by.pages(r) }
		rate := func(r result) float64 { return by.pages(r) / r.wall.Seconds() }
		fmt.Fprintf(tw, "\npages %s\tCPU a page\tpages/s\tpages per CPU-second, times %s's\tpages/s, times %s's\n", by.name, first, first)
		for _, c := range peers {
			turns := results[c.name]
			fmt.Fprintf(tw, "%s\t%v\t%.0f\t%s\t%s\n", c.name,
				time.Duration(median(turns, perPage)*1e9).Round(time.Microsecond), median(turns, rate),
				ratio(base, turns, perPage), ratio(turns, base, rate))
		}
	}
	peak := func(r result) float64 { return float64(r.peak) }
	fmt.Fprintf(tw, "\nmemory\tpeak MiB\tpeak, times %s's\n", first)
	for _, c := range peers {
		fmt.Fprintf(tw, "%s\t%.0f\t%s\n", c.name, median(results[c.name], peak)/(1<<20), ratio(results[c.name], base, peak))
	}
	fmt.Fprintln(tw)
	tw.Flush()
}

// ratio returns the ratio of f for a and b in each round, as median, minimum
// and maximum.
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
