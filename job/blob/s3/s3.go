// SPDX-License-Identifier: Apache-2.0

// Package s3 stores objects in a bucket of a service that speaks the protocol of
// Amazon S3, such as Amazon's, MinIO, Ceph, Garage, R2 or Google Cloud Storage.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"example.com/curlew/job/blob"
)

// Options are the options of [Open].
type Options struct {
	// Endpoint is the URL of the service, such as "https://minio.example.org:9000".
	// Empty means Amazon's.
	Endpoint string

	// Region is the region of the bucket. If it is empty, the service is asked.
	Region string

	// AccessKey, SecretKey and SessionToken are the credentials. If AccessKey is
	// empty, they come from the standard variables of the environment
	// (AWS_ACCESS_KEY_ID and so on), from the file ~/.aws/credentials, or from the
	// service of the machine that knows its role, in this order.
	AccessKey, SecretKey, SessionToken string
}

// ErrURL means that the URL or the Options do not name a bucket.
var ErrURL = errors.New("invalid URL of a bucket")

// Store is a [blob.Store] in a bucket. Create one with [Open].
type Store struct {
	client *client
	prefix string // of the keys; empty, or ends with a slash
}

// Open opens the store at a URL such as
//
//	s3://bucket/folder?endpoint=https://minio.example.org&region=eu-1
//
// The folder, the endpoint and the region are optional, and take precedence over o. Nil
// options mean the zero Options. The bucket must exist. The errors wrap [ErrURL] if the
// URL is wrong. The caller must call [Store.Close].
func Open(ctx context.Context, address string, o *Options) (*Store, error) {
	if o == nil {
		o = new(Options)
	}
	s, err := open(address, *o)
	if err != nil {
		return nil, fmt.Errorf("open the store of objects: %w", err)
	}
	if err = s.client.locate(ctx); err == nil { // then the bucket must list what is in it
		err = s.client.get(ctx, url.Values{"list-type": {"2"}, "max-keys": {"1"}}, maxList, "ListBucketResult", new(listing))
	}
	if is(err, "NoSuchBucket") {
		err = fmt.Errorf("%w: there is no bucket %q", ErrURL, s.client.bucket)
	}
	if err != nil {
		_ = s.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("open the store of objects: %w", err)
	}
	return s, nil
}

// open returns a store that has made no request yet.
func open(address string, o Options) (*Store, error) {
	place, query, _ := strings.Cut(address, "?")
	place, ok := strings.CutPrefix(place, "s3://")
	bucket, folder, _ := strings.Cut(place, "/")
	if !ok || bucket == "" {
		return nil, fmt.Errorf("%w: it must begin with s3:// and the name of a bucket", ErrURL)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	for name, list := range values {
		switch {
		case len(list) != 1:
			return nil, fmt.Errorf("%w: several values of %q", ErrURL, name)
		case name == "endpoint":
			o.Endpoint = list[0]
		case name == "region":
			o.Region = list[0]
		default:
			return nil, fmt.Errorf("%w: unknown parameter %q", ErrURL, name)
		}
	}
	endpoint := url.URL{Scheme: "https", Host: global}
	if o.Endpoint != "" {
		scheme, host, _ := strings.Cut(o.Endpoint, "://")
		endpoint = url.URL{Scheme: scheme, Host: strings.ToLower(strings.TrimSuffix(host, "/"))}
		if !plainHost(endpoint.Host) || scheme != "https" && scheme != "http" {
			return nil, fmt.Errorf("%w: the endpoint must be a URL with http or https and a host", ErrURL)
		}
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	s := &Store{client: newClient(bucket, endpoint, o)}
	if folder = strings.Trim(folder, "/"); folder != "" {
		s.prefix = folder + "/"
	}
	return s, nil
}

// plainHost reports whether s is a host with an optional port and nothing else.
func plainHost(s string) bool {
	return s != "" && !strings.ContainsAny(s, "/?#@\\% \t\r\n")
}

// Close closes idle connections.
func (s *Store) Close() error {
	s.client.http.CloseIdleConnections()
	return nil
}

// wrap returns the error of a request for an object or a folder.
func wrap(ctx context.Context, what, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case is(err, "NoSuchKey"):
		err = blob.ErrMissing
	}
	return fmt.Errorf("%s %s: %w", what, name, err)
}

// Put implements [blob.Store]. The service keeps an object only if all bytes have
// arrived and their checksum is right.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	if err := blob.CheckPut(name, data); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// A single request leaves nothing behind if the process dies, unlike the parts of
	// an upload in several requests.
	resp, err := s.client.do(ctx, request{
		method: http.MethodPut, key: s.prefix + name, body: data,
		header: http.Header{"Content-Type": {"application/octet-stream"}},
	})
	if err != nil {
		return wrap(ctx, "put object", name, err)
	}
	_ = resp.Body.Close()
	if resp.Header.Get("Etag") == "" {
		return fmt.Errorf("put object %s: the answer has no ETag, so it is not that of a store of objects", name)
	}
	return nil
}

// Read implements [blob.Store].
func (s *Store) Read(ctx context.Context, name string, at, n int64) ([]byte, error) {
	if err := blob.CheckRead(name, at, n); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if n == 0 {
		return s.readNothing(ctx, name, at)
	}
	resp, err := s.client.do(ctx, request{
		method: http.MethodGet, key: s.prefix + name,
		header: http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at, at+n-1)}},
	})
	if is(err, "InvalidRange") {
		return nil, short(name, at, n, at)
	}
	if err != nil {
		return nil, wrap(ctx, "read object", name, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if want := fmt.Sprintf("bytes %d-", at); !strings.HasPrefix(resp.Header.Get("Content-Range"), want) {
		return nil, fmt.Errorf("read object %s: the service answers with another range than the one that was requested", name)
	}
	if size := resp.ContentLength; size >= 0 && size < n { // before the memory is allocated
		return nil, short(name, at, n, at+size)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(resp.Body, data); err != nil { // the connection broke
		return nil, wrap(ctx, "read object", name, err)
	}
	return data, nil
}

// readNothing reads a range of no bytes, which cannot be requested: it only checks that the
// object is not shorter than the offset at.
func (s *Store) readNothing(ctx context.Context, name string, at int64) ([]byte, error) {
	resp, err := s.client.do(ctx, request{method: http.MethodHead, key: s.prefix + name})
	if err != nil {
		return nil, wrap(ctx, "read object", name, err)
	}
	_ = resp.Body.Close()
	switch size := resp.ContentLength; {
	case size < 0:
		return nil, fmt.Errorf("read object %s: the service does not say how large it is", name)
	case size < at:
		return nil, short(name, at, 0, size)
	}
	return []byte{}, nil
}

// short is the error of a range beyond the end of an object.
func short(name string, at, n, size int64) error {
	return fmt.Errorf("read object %s: %w: it has at most %d bytes, and %d from %d are wanted", name, blob.ErrDamaged, max(size, 0), n, at)
}

// List implements [blob.Store].
func (s *Store) List(ctx context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if !blob.ValidName(folder) {
			yield("", fmt.Errorf("list folder: %w: %q", blob.ErrName, folder))
			return
		}
		if ctx.Err() != nil {
			yield("", context.Cause(ctx))
			return
		}
		prefix := s.prefix + folder + "/"
		err := s.client.list(ctx, prefix, false, func(names []string) (bool, error) {
			for _, name := range names {
				if name = strings.TrimPrefix(name, prefix); name != "" && !yield(name, nil) { // some tools make objects for folders
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			yield("", wrap(ctx, "list folder", folder, err))
		}
	}
}

// Remove implements [blob.Store]. In a bucket with versions, the earlier ones stay
// until a rule of the bucket removes them.
func (s *Store) Remove(ctx context.Context, folder string) error {
	if !blob.ValidName(folder) {
		return fmt.Errorf("remove folder: %w: %q", blob.ErrName, folder)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := s.client.list(ctx, s.prefix+folder+"/", true, func(names []string) (bool, error) {
		return true, s.client.remove(ctx, names)
	})
	if err != nil {
		return wrap(ctx, "remove folder", folder, err)
	}
	return nil
}
