// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/test/tracetest"
)

func TestJoinTraces(t *testing.T) { tracetest.Join(t, crawl.JoinTraces) }
