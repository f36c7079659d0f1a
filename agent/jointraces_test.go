// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/internal/test/tracetest"
)

func TestJoinTraces(t *testing.T) { tracetest.Join(t, agent.JoinTraces) }
