// SPDX-License-Identifier: Apache-2.0

package cfb

// Unlock takes the header of an encryption, from its version on, and after how
// many bytes of a stream the key changes. It returns what decrypts b, bytes of
// a stream from offset at on, in place. Its error wraps [ErrEncrypted] where
// no password fits, [ErrLimit] or [ErrMalformed].
type Unlock func(header []byte, block int) (xor func(b []byte, at int64), err error)
