// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Limits of values.
const (
	MaxCell   = 4 << 10 // bytes of a text
	MaxLong   = 60      // lines of a list or an object
	MaxNested = 5       // levels of nested objects
)

// ScalarText returns a JSON scalar as text. For any other value it returns "".
func ScalarText(raw any) string {
	switch v := raw.(type) {
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// JSONText returns v as JSON.
func JSONText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
