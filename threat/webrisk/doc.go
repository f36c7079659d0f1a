// SPDX-License-Identifier: Apache-2.0

// Package webrisk classifies URLs by Google's Web Risk, Update API: URL ->
// verdict (cloud.google.com/web-risk/docs/update-api).
//
// A [Client] keeps the lists of hash prefixes in memory, and in files where it
// has a directory. A URL none of whose prefixes is listed is clean without any
// request; otherwise the prefix, four bytes as a rule, is sent, and the full
// hashes that come back are compared here.
//
//	c := &webrisk.Client{Key: key, Dir: dir}
//	go c.Run(ctx)
//	...
//	gate := &threat.Gate{Rules: rules, Classifier: &threat.Scanner{Classifier: c}}
//
// Lists are asked for in raw form. An answer may have 64 MiB, a list file 256
// MiB, the memory of full hashes 100,000 entries.
//
// # Security
//
// No URL leaves the process, nor a full hash; the key travels in a header, where
// no error and no proxy log shows it. An answer that does not add up, by its own
// checksum, leaves the list as it was. A list that is older than MaxAge answers
// nothing: that is the classifier's failure, and the policy says what follows.
package webrisk
