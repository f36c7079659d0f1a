// SPDX-License-Identifier: Apache-2.0

package cfb

// Lock says how the streams of a legacy document are encrypted.
type Lock struct {
	// Header is the encryption header from its version field on. For XOR
	// obfuscation it is the key and the verifier, two bytes each.
	Header []byte

	// Block is the number of bytes of a stream after which the key changes.
	// Zero means XOR obfuscation; Rotate then selects its variant for
	// workbooks.
	Block  int64
	Rotate bool
}

// Unlock returns a function that decrypts b in place; at is the offset of b
// in its stream. The error wraps [ErrEncrypted] if no password fits,
// [ErrLimit] or [ErrMalformed].
type Unlock func(l Lock) (xor func(b []byte, at int64), err error)
