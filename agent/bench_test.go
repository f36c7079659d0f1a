// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"testing"

	"example.com/curlew/agent"
)

// BenchmarkDetails runs a listing with 100 details: the engine's own work, with
// wrappers and without.
func BenchmarkDetails(b *testing.B) {
	for _, name := range []string{"wrappers", "model"} {
		b.Run(name, func(b *testing.B) {
			web, truth := shop(100)
			if name == "model" {
				for u, p := range web.pages {
					p.html = ""
					web.pages[u] = p
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				model := &fakeModel{answer: director(truth)}
				e := &agent.Engine{Model: model, Fetch: web}
				r, err := e.Run(b.Context(), agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
				if err != nil || !r.Valid {
					b.Fatal(err, r.Issues)
				}
				size := 0
				for _, c := range model.calls {
					size += len(c.System) + len(c.User)
				}
				b.ReportMetric(float64(len(model.calls)), "calls")
				b.ReportMetric(float64(size)/1000, "kB-prompt")
				b.ReportMetric(float64(r.Spend.Credits)/1e6, "credits")
			}
		})
	}
}
