// SPDX-License-Identifier: Apache-2.0

package evil_test

import (
	"encoding/json"
	"testing"

	"example.com/curlew/internal/test/evil"
)

// TestSchemas checks that all schemas and instances are valid JSON and small.
func TestSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range evil.Schemas() {
		if seen[s.Name] {
			t.Errorf("%s: the name is given twice", s.Name)
		}
		seen[s.Name] = true
		if s.Name != "nested too deep" && (!json.Valid([]byte(s.Doc)) || !json.Valid([]byte(s.Value))) {
			t.Errorf("%s: not JSON", s.Name)
		}
		if len(s.Doc) > 256<<10 {
			t.Errorf("%s: %d bytes", s.Name, len(s.Doc))
		}
	}
}
