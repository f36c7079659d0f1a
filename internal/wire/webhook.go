// SPDX-License-Identifier: Apache-2.0

package wire

import "encoding/json"

// Event is what a webhook receives (contract.md 11).
type Event struct {
	Success   bool              `json:"success"`
	Type      string            `json:"type"` // crawl.page
	ID        string            `json:"id"`   // of the job
	WebhookID string            `json:"webhookId"`
	Data      []json.RawMessage `json:"data"`
	Error     string            `json:"error,omitempty"`
	Metadata  map[string]string `json:"metadata"`
}

// AgentEvent is the data of an event of an agent.
type AgentEvent struct {
	CreditsUsed int             `json:"creditsUsed"`
	Action      string          `json:"action,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

// FailedPage is the data of a page event without success.
type FailedPage struct {
	Metadata FailedMetadata `json:"metadata"`
}

// FailedMetadata says which page has failed.
type FailedMetadata struct {
	SourceURL string `json:"sourceURL"`
	ScrapeID  string `json:"scrapeId"`
}
