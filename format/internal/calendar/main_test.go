// SPDX-License-Identifier: Apache-2.0

package calendar_test

import (
	"testing"

	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
