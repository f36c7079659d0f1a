// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"errors"
	"strconv"

	"example.com/curlew/internal/jsonenc"
)

// AgentStarted answers the start of an agent.
type AgentStarted struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
}

// AgentStatus is the status of an agent. The results of the
// agent are further members of the answer.
type AgentStatus struct {
	Success     bool         `json:"success"`
	ID          string       `json:"id"`
	Status      string       `json:"status"` // processing, completed, failed, cancelled
	Model       string       `json:"model"`
	ExpiresAt   jsonenc.Time `json:"expiresAt"`
	CreditsUsed int          `json:"creditsUsed"`
	Error       string       `json:"error,omitempty"`
	Usage       *AgentUsage  `json:"usage,omitempty"` // only if the query asks for it
}

// AgentUsage is what an agent has used so far.
type AgentUsage struct {
	InputTokens  int        `json:"inputTokens"`
	OutputTokens int        `json:"outputTokens"`
	Calls        AgentCalls `json:"calls"`
	Pages        int        `json:"pages"`
}

// AgentCalls counts calls of models by their purpose.
type AgentCalls struct {
	Plan       int `json:"plan"`
	Decide     int `json:"decide"`
	Extract    int `json:"extract"`
	Verify     int `json:"verify"`
	Synthesize int `json:"synthesize"`
}

// AgentList is the list of a team's agents.
type AgentList struct {
	Success bool          `json:"success"`
	Agents  []ListedAgent `json:"agents"`
	Next    string        `json:"next,omitempty"`
}

// ListedAgent is one agent in an AgentList.
type ListedAgent struct {
	ID          string        `json:"id"`
	CreatedAt   jsonenc.Time  `json:"createdAt"`
	TargetHint  string        `json:"targetHint"`
	Origin      string        `json:"origin"`
	Integration string        `json:"integration,omitempty"`
	Settings    AgentSettings `json:"settings"`
	Status      string        `json:"status"`
	Options     AgentOptions  `json:"options"`
}

// AgentSettings are shown by consoles. This server does not set them.
type AgentSettings struct {
	Hidden  bool `json:"hidden"`
	Starred bool `json:"starred"`
}

// AgentOptions is the request for an agent.
type AgentOptions struct {
	URLs   []string        `json:"urls,omitempty"`
	Prompt string          `json:"prompt"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Model  string          `json:"model"`
}

// ErrBefore means that the query of a list is invalid.
var ErrBefore = errors.New("Invalid before timestamp.") //nolint:staticcheck,revive // the wire's text

// DecodeBefore reads the query of a list: a time in Unix milliseconds, or zero
// if there is none. Its error is ErrBefore.
func DecodeBefore(query string) (int64, error) {
	q, err := DecodeQuery(query, "before")
	if err != nil {
		return 0, ErrBefore
	}
	if !q.Has("before") {
		return 0, nil
	}
	ms, err := strconv.ParseInt(q.Get("before"), 10, 64)
	if err != nil || ms <= 0 {
		return 0, ErrBefore
	}
	return ms, nil
}

// AgentTrace is the list of what an agent has done.
type AgentTrace struct {
	Success     bool         `json:"success"`
	ID          string       `json:"id"`
	Events      []TraceEvent `json:"events"`
	CreditsUsed int          `json:"creditsUsed"`
}

// TraceEvent is one event of a trace. Only the members of its type are set.
type TraceEvent struct {
	SchemaVersion    int          `json:"schemaVersion"`
	EventID          string       `json:"eventId"`
	RunID            string       `json:"runId"`
	OccurredAt       jsonenc.Time `json:"occurredAt"`
	ProducerSequence int64        `json:"producerSequence"`
	Agent            TraceAgent   `json:"agent"`
	Type             string       `json:"type"` // progress.reported

	Phase      string          `json:"phase,omitempty"` // planning, working, finalizing
	Message    string          `json:"message,omitempty"`
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"`
	Artifact   *TraceArtifact  `json:"artifact,omitempty"`
	Outcome    string          `json:"outcome,omitempty"`
	DurationMs *int64          `json:"durationMs,omitempty"`
	Error      string          `json:"error,omitempty"`
	Usage      *AgentUsage     `json:"usage,omitempty"` // of the last event
}

// TraceAgent names the source of an event.
type TraceAgent struct {
	ID   string `json:"id"`
	Role string `json:"role"` // orchestrator, system
	Name string `json:"name"`
}

// TraceArtifact is a table that has grown.
type TraceArtifact struct {
	Kind       string `json:"kind"` // json
	SnapshotID string `json:"snapshotId"`
	ItemCount  int    `json:"itemCount"`
}

// AgentSnapshot contains the data of an agent at the time of one event.
type AgentSnapshot struct {
	Success    bool            `json:"success"`
	ID         string          `json:"id"`
	SnapshotID string          `json:"snapshotId"`
	Snapshot   json.RawMessage `json:"snapshot"`
}
