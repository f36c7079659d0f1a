// SPDX-License-Identifier: Apache-2.0

package threattest_test

import (
	"context"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/threat"
	"example.com/curlew/threat/threattest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// hosts gives the hosts in the map the score 100, and does not know any other.
type hosts map[string]bool

func (h hosts) Classify(ctx context.Context, t []threat.Target) ([]threat.Verdict, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	list := make([]threat.Verdict, len(t))
	for i, tg := range t {
		if h[tg.Host] {
			list[i] = threat.Verdict{Score: 100, Known: true, Categories: []string{"MALWARE"}, Provider: "hosts"}
		}
	}
	return list, nil
}

func TestCheck(t *testing.T) {
	bad := hosts{"bad.example": true}
	threattest.Check(t, func(*testing.T) threat.Classifier { return bad }, "https://bad.example/x", "https://good.example/")
}

// TestCheckScanner checks that a Scanner fulfills the contract of Classifier.
func TestCheckScanner(t *testing.T) {
	bad := hosts{"bad.example": true}
	threattest.Check(t, func(*testing.T) threat.Classifier { return &threat.Scanner{Classifier: bad} }, "https://bad.example/x", "https://good.example/")
}
