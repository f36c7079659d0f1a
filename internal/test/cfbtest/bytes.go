// SPDX-License-Identifier: Apache-2.0

package cfbtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"
)

// Bytes concatenates values in little endian: an int has 16 bits, other
// integers the size of their type. Strings and bytes are unchanged.
func Bytes(values ...any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case byte:
			b = append(b, v)
		case int:
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("cfbtest: a value of type %T", v))
		}
	}
	return b
}

// Wide returns s in UTF-16, little endian.
func Wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}
