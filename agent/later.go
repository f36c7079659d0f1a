// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
)

// Wrappers are what was learned of templates of pages, shared between runs.
// The zero value is ready to use.
type Wrappers struct{}

// Writer makes the forms of a page that need a model. It meets format.Writer.
// Model is required.
type Writer struct {
	Model   Model
	Profile Profile
	Rates   Rates
	Spent   func(ctx context.Context, c Credits, u Usage) // told of every call; may be nil
}

// Write answers task from text, which may be long, with a value that fits
// schema.
func (w *Writer) Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error) {
	return nil, ErrNoModel
}

// Planner turns a wish into crawl options. Model is required.
type Planner struct {
	Model   Model
	Profile Profile
	Rates   Rates
	Spent   func(ctx context.Context, c Credits, u Usage) // told of every call; may be nil
}

// CrawlPlan is what a wish comes to: options by their wire names, and why some
// of what the model said was dropped.
type CrawlPlan struct {
	Options  json.RawMessage // an object
	Warnings []string
}

// Plan returns options for a crawl of site, of which sample holds up to 120
// URLs.
func (p *Planner) Plan(ctx context.Context, prompt, site string, sample []string) (*CrawlPlan, error) {
	return nil, ErrNoModel
}
