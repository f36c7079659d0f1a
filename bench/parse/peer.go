// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"example.com/curlew/bench/peers"
)

// installed returns the installed peers, and prints which ones are missing.
func installed(wanted bool) []peers.Peer {
	var all []peers.Peer
	for _, p := range peers.Office() {
		switch err := p.Missing(); {
		case !wanted:
		case err != nil:
			fmt.Printf("%s is not measured: %v\n", p.Name, err)
		default:
			all = append(all, p)
		}
	}
	return all
}

// scored reads files with a peer and scores the result. If it reads none, ok is
// false.
func scored(ctx context.Context, p peers.Peer, files []string, rounds int) (s score, ok bool, err error) {
	readings, err := p.Read(ctx, files, rounds)
	if err != nil {
		return s, false, fmt.Errorf("%s: %w", p.Name, err)
	}
	for i, r := range readings {
		if r.Markdown == nil {
			s.failed++
			continue
		}
		if recall, f1, there := compare(files[i], *r.Markdown); there {
			s.recall, s.f1 = append(s.recall, recall), append(s.f1, f1)
		}
		s.times = append(s.times, r.MS)
	}
	return s, len(s.times) > 0, nil
}
