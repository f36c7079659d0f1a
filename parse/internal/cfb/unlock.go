// SPDX-License-Identifier: Apache-2.0

package cfb

// Lock says how the streams of an old document are encrypted.
type Lock struct {
	// Header is that of the encryption, from its version on; of the oldest
	// way the key and the verifier, two bytes each.
	Header []byte

	// Block is how many bytes of a stream have one key; zero for the oldest
	// way, where Rotate is how workbooks have it.
	Block  int64
	Rotate bool
}

// Unlock returns what decrypts b, bytes of a stream from offset at on, in
// place. Its error wraps [ErrEncrypted] where no password fits, [ErrLimit] or
// [ErrMalformed].
type Unlock func(l Lock) (xor func(b []byte, at int64), err error)
