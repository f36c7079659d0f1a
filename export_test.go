// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"encoding/json"

	"example.com/curlew/job"
)

// StoreSpec writes the specification of a job with options and reads it again.
func StoreSpec(c *CrawlOptions, p *ScrapeOptions, a *AgentOptions) (*CrawlOptions, *ScrapeOptions, *AgentOptions, error) {
	raw, err := json.Marshal(spec{Version: specVersion, specTask: specTask{Crawl: c, Page: p, Agent: a}})
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := readSpec(&job.Job{ID: "i", Spec: raw})
	return s.Crawl, s.Page, s.Agent, err
}

// ReadSpec reads the specification of a job that runs.
func ReadSpec(raw string) error {
	_, err := readSpec(&job.Job{ID: "i", State: job.Running, Spec: []byte(raw)})
	return err
}

// MaxRepeats limits the bytes of remembered idempotency keys, for one team and
// in total.
func (s *Service) MaxRepeats(team, all int64) {
	r := &s.parts().repeats
	r.MostOfTeam, r.Most = team, all
}

// Repeats returns the bytes and the number of remembered keys.
func (s *Service) Repeats() (bytes int64, keys int) { return s.parts().repeats.Used() }

// Pools returns the sizes of the pools for documents that are being read, for JSON
// bodies and for uploaded files.
func (s *Service) Pools() (parses, bodies, files int64) {
	c := &s.parts().capacity
	return c.Parses.Limit(), c.Bodies.Limit(), c.Files.Limit()
}

// OutOf maps an error to the refusal of work for which a resource is used up.
func OutOf(resource string, err error) error { return outOf(resource, err) }
