// SPDX-License-Identifier: Apache-2.0

package cfbtest

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"
)

// Summary returns a SummaryInformation stream in code page 1252; values are
// string or time.Time.
func Summary(values map[uint32]any) []byte {
	u32 := binary.LittleEndian.AppendUint32
	set := u32(nil, 0)
	set = u32(set, uint32(len(values)+1))
	head := 8 + 8*(len(values)+1)
	var body []byte
	place := func(id uint32, value []byte) {
		set = u32(u32(set, id), uint32(head+len(body)))
		body = append(body, value...)
	}
	place(1, u32(u32(nil, 2), 1252))
	for _, id := range slices.Sorted(maps.Keys(values)) {
		switch v := values[id].(type) {
		case string:
			b := append(u32(u32(nil, 30), uint32(len(v)+1)), v...)
			place(id, pad(append(b, 0), (len(b)+4)/4*4))
		case time.Time:
			place(id, binary.LittleEndian.AppendUint64(u32(nil, 64), uint64(v.Unix()+11_644_473_600)*10_000_000))
		}
	}
	set = append(set, body...)
	stream := make([]byte, 48)
	binary.LittleEndian.PutUint16(stream, 0xFFFE)
	binary.LittleEndian.PutUint32(stream[24:], 1)
	binary.LittleEndian.PutUint32(stream[44:], 48)
	return append(stream, set...)
}
