// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// models contains the flags for the models.
type models struct {
	url, mini, pro *string
}

func modelFlags(flags *flag.FlagSet) models {
	return models{
		url:  flags.String("model-url", "", "base `URL` of a chat completions API, such as https://api.openai.com/v1; if empty, there is no agent"),
		mini: flags.String("model-mini", "", "`name` of the model for spark-1-mini"),
		pro:  flags.String("model-pro", "", "`name` of the model for spark-1-pro; if empty, that of -model-mini"),
	}
}

// set configures the agent of the service. The caller must call the function at
// the end.
func (m models) set(s *curlew.Service, getenv func(string) string, logger *slog.Logger) (func(), error) {
	if *m.url == "" {
		if *m.mini != "" || *m.pro != "" {
			return nil, errors.New("-model-mini and -model-pro need -model-url")
		}
		return func() {}, nil
	}
	if *m.mini == "" {
		return nil, errors.New("-model-url needs -model-mini")
	}
	if err := CheckURL(*m.url); err != nil {
		return nil, fmt.Errorf("-model-url: %w", err)
	}
	model := &openai.Model{URL: *m.url, Key: getenv("CURLEW_MODEL_KEY"), Logger: logger}
	pro := cmp.Or(*m.pro, *m.mini)
	s.Agent = &agent.Engine{
		Model: model,
		Profiles: map[string]llm.Profile{
			"spark-1-mini": {Plan: *m.mini, Rate: 0.4, Check: llm.CheckConflicts},
			"spark-1-pro":  {Plan: pro, Rate: 1, Check: llm.CheckDerived},
		},
		Logger: logger,
	}
	return model.CloseIdleConnections, nil
}
