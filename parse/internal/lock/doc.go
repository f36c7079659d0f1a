// SPDX-License-Identifier: Apache-2.0

// Package lock decrypts password-protected Office documents ([MS-OFFCRYPTO]
// 2.3).
//
// For Office Open XML it reads both encryption methods since 2007: Standard
// (AES in ECB mode) and Agile (AES in CBC mode). For legacy formats it reads
// RC4 with 40-bit keys, RC4 with keys of up to 128 bits, and XOR
// obfuscation. It does not verify the data integrity of the container,
// because the result is treated as hostile in any case.
//
// # Security
//
// The document states how often the password is hashed. More than a million
// iterations, ten times what Office uses, are refused.
package lock
