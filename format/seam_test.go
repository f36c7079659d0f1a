// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/format"
	"example.com/curlew/format/formattest"
)

// TestSeams runs the test doubles of this package through the suites of
// formattest.
func TestSeams(t *testing.T) {
	formattest.CheckWriter(t, true, func(*testing.T) format.Writer {
		return writerFunc(func(ctx context.Context, _, text string, schema json.RawMessage) (json.RawMessage, error) {
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case text == "":
				return json.RawMessage("null"), nil
			case strings.Contains(string(schema), "numbers"):
				return json.RawMessage(`{"numbers":[1,2]}`), nil
			case strings.Contains(string(schema), "answer"):
				return json.RawMessage(`{"answer":"Fish.","lines":[1]}`), nil
			case strings.Contains(string(schema), "summary"):
				return json.RawMessage(`{"summary":"Herons."}`), nil
			}
			return nil, errors.New("busy")
		})
	})
	const sheet = "body{color:red}"
	formattest.CheckLoader(t, "https://birds.example/a.css", sheet, func(*testing.T) format.Loader {
		return sheetMap{"https://birds.example/a.css": sheet}
	})
}

// sheetMap maps URLs to style sheets.
type sheetMap map[string]string

func (s sheetMap) Load(ctx context.Context, url string) ([]byte, string, error) {
	return []byte(s[url]), "text/css", context.Cause(ctx)
}

// model is a model that always gives the same reply.
type model string

func (m model) Complete(ctx context.Context, _ llm.Call) (llm.Reply, error) {
	if ctx.Err() != nil {
		return llm.Reply{}, context.Cause(ctx)
	}
	return llm.Reply{JSON: json.RawMessage(m)}, nil
}

// TestAgentWriter runs the Writer of package agent through the suite, for
// several replies of its model.
func TestAgentWriter(t *testing.T) {
	for _, reply := range []string{`{"summary":"Herons."}`, `{"answer":"Fish.","lines":[1,99]}`, `{"numbers":[1,3]}`, `{"numbers":["1",1.5]}`, `{}`, `null`, `[]`, ``, `{"name":"Heron","food":5,"more":1}`} {
		t.Run(reply, func(t *testing.T) {
			formattest.CheckWriter(t, strings.Contains(reply, "Herons") || strings.Contains(reply, "Fish"), func(*testing.T) format.Writer {
				return &agent.Writer{Model: model(reply)}
			})
		})
	}
}
