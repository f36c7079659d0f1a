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

// unlock decrypts an Office container with the given password or with the
// default password that Office itself tries. The error wraps [ErrEncrypted],
// [ErrLimit], the error of ctx or an error of src.Data.
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

// unlock returns the decryption function of a DOC, XLS or PPT file. It tries
// the same passwords as the function unlock.
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
