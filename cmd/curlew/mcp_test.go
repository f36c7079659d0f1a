// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCP uses the command mcp as a process of its own, over its standard streams.
func TestMCP(t *testing.T) {
	url, _, _ := newSite(t, 4)
	program := exec.CommandContext(t.Context(), os.Args[0], "mcp", "--allow-private")
	program.Env = append(os.Environ(), "CURLEW_TEST_PROGRAM=1")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "firecrawl_scrape", Arguments: map[string]any{"url": url + "/p/1"}})
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, "# Page 1") {
		t.Errorf("%+v", result.Content[0])
	}
}
