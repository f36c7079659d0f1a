// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/lock"
)

// unlock returns the document in an encrypted container of Office, by the
// password or the one that Office tries itself. The error wraps
// [ErrEncrypted], [ErrLimit], ctx's error or that of src.Data.
func unlock(ctx context.Context, src Source, password string) (Source, error) {
	data, err := readAll(src)
	if err != nil {
		return src, err
	}
	var plain []byte
	for _, word := range []string{password, lock.Default} {
		if word == "" {
			continue
		}
		plain, err = lock.Open(ctx, data, word)
		if err == nil {
			src.Data, src.Size = bytes.NewReader(plain), int64(len(plain))
			return src, nil
		}
		if ctx.Err() != nil {
			return src, context.Cause(ctx)
		}
		if errors.Is(err, lock.ErrLimit) {
			return src, overLimit(err)
		}
	}
	if password == "" {
		return src, ErrEncrypted
	}
	return src, fmt.Errorf("%w: %w", ErrEncrypted, err)
}

// unlock opens an old document by the same passwords.
func (in *input) unlock(l cfb.Lock) (xor func(b []byte, at int64), err error) {
	err = cfb.ErrEncrypted
	for _, word := range []string{in.options.Password, lock.Default} {
		if word == "" {
			continue
		}
		if xor, err = lock.OpenLock(l, word); err == nil {
			return xor, nil
		}
	}
	if in.options.Password == "" || !errors.Is(err, lock.ErrPassword) && !errors.Is(err, lock.ErrUnsupported) {
		return nil, cfb.ErrEncrypted
	}
	return nil, fmt.Errorf("%w: %w", cfb.ErrEncrypted, err)
}
