// SPDX-License-Identifier: Apache-2.0

// Package uuid creates the identifiers of jobs, keys and events, which are
// UUIDv7 (RFC 9562).
package uuid

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// lastID is the time part of the newest id: milliseconds since 1970 in the
// upper bits, and 12 bits of their fraction. It is a global variable, because
// ids must be increasing in the whole process even if the clock does not
// advance.
var lastID atomic.Uint64

// New returns a new UUIDv7 in lower case (RFC 9562, 5.7). The ids of one
// process are strictly increasing, as text and as bytes, even if the clock
// stops or is set back: the 12 bits after the milliseconds are their fraction
// and a counter (6.2, method 3), and the last 62 bits are random. It is safe
// for concurrent use.
func New() string {
	now := time.Now()
	// The time since 1970 is positive until 10889 and fits into 60 bits.
	ms, part := uint64(max(now.UnixMilli(), 0)), uint64(now.Nanosecond()%1e6) //nolint:gosec // both are bounded above
	return format(rise(ms<<12 | part<<12/1e6))
}

// rise returns t, or the successor of the newest id's time if t is not greater,
// and stores it as the newest.
func rise(t uint64) uint64 {
	for {
		last := lastID.Load()
		next := max(t, last+1)
		if lastID.CompareAndSwap(last, next) {
			return next
		}
	}
}

// format returns the UUIDv7 for a time that rise has returned.
func format(t uint64) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], t>>12<<16|0x7000|t&0xfff)
	_, _ = rand.Read(b[8:]) // never fails: crypto/rand ends the process instead
	b[8] = b[8]&0x3f | 0x80 // variant

	var s [36]byte
	hex.Encode(s[:8], b[:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// Derive returns a UUIDv7 that depends only on id, name and index. Its time is
// that of id.
func Derive(id, name string, index int64) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(id+name), uint64(index))) //nolint:gosec // only the bits matter
	raw, _ := hex.DecodeString(strings.ReplaceAll(id, "-", ""))                         // id is valid
	var u [16]byte
	copy(u[:], sum[:])
	copy(u[:6], raw)
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Valid reports whether id is a UUIDv7 in the form that [New] returns: lower
// case, with hyphens. Such an id is safe as a file name.
func Valid(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case i == 14:
			if c != '7' {
				return false
			}
		case i == 19:
			if c != '8' && c != '9' && c != 'a' && c != 'b' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// Time returns when an id was made, to the millisecond. If id is not valid, it returns the
// zero time.
func Time(id string) time.Time {
	if !Valid(id) {
		return time.Time{}
	}
	raw, _ := hex.DecodeString(id[:8] + id[9:13]) // id is valid
	var b [8]byte
	copy(b[2:], raw)
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b[:]))) //nolint:gosec // it has 48 bits
}
