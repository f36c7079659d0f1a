// SPDX-License-Identifier: Apache-2.0

// Package docs has the guides of curlew, and no code. Its tests keep the guides true: the code
// that they quote is in programs that compile, and their configurations of proxies work.
package docs
