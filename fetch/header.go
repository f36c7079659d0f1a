// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"example.com/curlew/internal/netguard"
)

const (
	maxHeaderValues = 64
	maxHeaderBytes  = 8 << 10 // of all names and values
)

// validateHeader returns why h may not be sent, wrapping [ErrHeader]. The error
// names a field but no value.
func validateHeader(h http.Header) error {
	count, size := 0, 0
	for name, values := range h {
		if !netguard.IsToken(name) {
			return fmt.Errorf("%w: a name has characters that are not allowed", ErrHeader)
		}
		if isRefused(textproto.CanonicalMIMEHeaderKey(name)) {
			return fmt.Errorf("%w: %s", ErrHeader, name)
		}
		for _, v := range values {
			if !netguard.IsFieldValue(v) {
				return fmt.Errorf("%w: %s has a control character", ErrHeader, name)
			}
			count++
			size += len(name) + len(v)
		}
	}
	if count > maxHeaderValues || size > maxHeaderBytes {
		return fmt.Errorf("%w: more than %d values or %d bytes", ErrHeader, maxHeaderValues, maxHeaderBytes)
	}
	return nil
}

// isRefused reports whether a caller may not set the field of this canonical
// name, because it frames the message, belongs to one connection (RFC 9110
// 7.6.1), or is reserved for proxies.
func isRefused(name string) bool {
	switch name {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
		"Te", "Trailer", "Upgrade", "Http2-Settings", "Expect", "Forwarded":
		return true
	}
	return strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded-")
}
