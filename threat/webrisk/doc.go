// SPDX-License-Identifier: Apache-2.0

// Package webrisk classifies URLs by the Update API of Google Web Risk
// (cloud.google.com/web-risk/docs/update-api).
//
// A [Client] keeps the lists of hash prefixes in memory, and also in files if
// it has a directory. If no prefix of a URL is listed, the URL is clean and no
// request is made. Otherwise the client sends the prefix, usually four bytes,
// and compares the full hashes that it receives.
//
//	c := &webrisk.Client{Key: key, Dir: dir}
//	go c.Run(ctx)
//	...
//	gate := &threat.Gate{Rules: rules, Classifier: &threat.Scanner{Classifier: c}}
//
// Lists are requested uncompressed. A response may have 64 MiB, and a list file
// 256 MiB. At most 100,000 full hashes are cached.
//
// # Security
//
// Neither a URL nor a full hash is ever sent. The key is sent in a header, so
// it appears in no error and in no proxy log. If the checksum of an update is
// wrong, the list stays unchanged. If a list is older than MaxAge, the
// classifier fails, and the failure policy applies.
package webrisk
