// SPDX-License-Identifier: Apache-2.0

package notices

import (
	"context"
	"encoding/json"
	"strconv"

	"example.com/curlew/internal/service/stored"
	"example.com/curlew/job"
)

// maxNotes is how many of the last notes of a job are shown.
const maxNotes = 100

// Job is what the warning about a whole job depends on.
type Job struct {
	Items stored.Items
	State job.State
	Stats *job.Stats
	Start []string // sentences of the start of the job
	Crawl *Crawl   // nil if the job is not a crawl

	// Unavailable is for a batch the number of delivered pages whose last answer was 429,
	// or 500 and above.
	Unavailable int

	Inputs int // URLs of a batch
}

// Crawl is what the warning about a crawl also depends on.
type Crawl struct {
	URL      string // start page
	Limit    int    // of delivered pages
	Narrow   bool   // pages outside the path of the start page are left out
	Compared bool   // its pages are compared with those of an earlier crawl
}

// Warning joins the warnings about the whole job.
func (j *Job) Warning(ctx context.Context) (string, error) {
	texts := append([]string(nil), j.Start...)
	if j.Stats.Waiting {
		texts = append(texts, "The server's disk is full, or a quota or the largest size of a file is reached. The job waits, and goes on when there is room.")
	}
	if j.Stats.Lost > 0 {
		texts = append(texts, "The job's record is damaged: at least "+strconv.Itoa(j.Stats.Lost)+" of its documents are lost.")
	}
	if n := j.Stats.Items[job.Note]; n > 0 {
		notes, err := j.Items.Items(ctx, job.Note, max(0, n-maxNotes), maxNotes)
		if err != nil {
			return "", err
		}
		for _, n := range notes {
			texts = append(texts, string(n.Data))
		}
	}
	if !j.State.Final() {
		return Join(texts...), nil
	}
	done, failed := j.Stats.Items[job.Result], j.Stats.Items[job.Failure]
	if j.State != job.Completed {
		texts = append(texts, Early(max(j.Inputs-done-failed, 0)+j.Stats.Crawl.Pending+j.Stats.Crawl.Leased))
	}
	if j.Crawl == nil {
		return Join(append(texts, Unavailable(j.Unavailable))...), nil
	}
	if j.State == job.Completed {
		texts = append(texts, Limited(&j.Stats.Crawl, done, j.Crawl.Limit))
		texts = append(texts, LeftOut(&j.Stats.Crawl)...)
	}
	if j.Crawl.Compared {
		texts = append(texts, Compared(done, j.Crawl.Limit))
	}
	texts = append(texts, Unavailable(j.Stats.Crawl.Unavailable), Robots(j.Stats.Items[job.Blocked], "crawl"))
	if done < j.Crawl.Limit && j.Crawl.Narrow {
		texts = append(texts, Few(done, j.Crawl.URL))
	}
	if done == 0 && failed > 0 && j.State == job.Completed {
		first, err := j.Items.Items(ctx, job.Failure, 0, 1)
		if err != nil {
			return "", err
		}
		var e struct {
			URL     string `json:"url"`
			Error   string `json:"error"`
			Details struct {
				Rule string `json:"rule"`
			} `json:"details"`
		}
		if len(first) == 1 && json.Unmarshal(first[0].Data, &e) == nil {
			texts = append(texts, "No page could be delivered; "+e.URL+" failed: "+e.Error)
			if e.Details.Rule != "" {
				texts = append(texts, "The rule is "+e.Details.Rule+".")
			}
		}
	}
	return Join(texts...), nil
}
