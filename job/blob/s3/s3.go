// SPDX-License-Identifier: Apache-2.0

// Package s3 stores objects in a bucket of a service that speaks the protocol of
// Amazon S3, such as Amazon's, MinIO, Ceph, Garage, R2 or Google Cloud Storage.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

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
	core      minio.Core
	transport *http.Transport
	bucket    string
	prefix    string // of the keys; empty, or ends with a slash
}

// tries is how often a request is made if the service does not answer. The caller
// repeats the call later.
const tries = 3

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
	there, err := s.core.BucketExists(ctx, s.bucket)
	if err == nil && !there {
		err = fmt.Errorf("%w: there is no bucket %q", ErrURL, s.bucket)
	}
	if err != nil {
		_ = s.Close()
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
	host, secure := "s3.amazonaws.com", true
	if o.Endpoint != "" {
		scheme, rest, _ := strings.Cut(o.Endpoint, "://")
		host, secure = strings.TrimSuffix(rest, "/"), scheme == "https"
		if host == "" || !secure && scheme != "http" {
			return nil, fmt.Errorf("%w: the endpoint must be a URL with http or https and a host", ErrURL)
		}
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(host, &minio.Options{Creds: keys(o), Secure: secure, Transport: transport, Region: o.Region, MaxRetries: tries})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	s := &Store{core: minio.Core{Client: client}, transport: transport, bucket: bucket}
	if folder = strings.Trim(folder, "/"); folder != "" {
		s.prefix = folder + "/"
	}
	return s, nil
}

// keys returns the credentials.
func keys(o Options) *credentials.Credentials {
	if o.AccessKey != "" {
		return credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken)
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{},
	})
}

// Close closes idle connections.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// fault returns an error of a request for an object or a folder.
func fault(ctx context.Context, what, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case minio.ToErrorResponse(err).Code == "NoSuchKey":
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
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.prefix+name, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true, SendContentMd5: true, DisableContentSha256: true})
	if err != nil {
		return fault(ctx, "put object", name, err)
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
		info, err := s.core.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
		if err != nil {
			return nil, fault(ctx, "read object", name, err)
		}
		if info.Size < at {
			return nil, short(name, at, n, info.Size)
		}
		return []byte{}, nil
	}
	var o minio.GetObjectOptions
	if err := o.SetRange(at, at+n-1); err != nil {
		return nil, err
	}
	body, info, header, err := s.core.GetObject(ctx, s.bucket, s.prefix+name, o)
	if minio.ToErrorResponse(err).Code == "InvalidRange" {
		return nil, short(name, at, n, at)
	}
	if err != nil {
		return nil, fault(ctx, "read object", name, err)
	}
	defer func() { _ = body.Close() }()
	if want := fmt.Sprintf("bytes %d-", at); !strings.HasPrefix(header.Get("Content-Range"), want) {
		return nil, fmt.Errorf("read object %s: the service answers with another range than the one that was requested", name)
	}
	if info.Size < n { // of the answer, before the memory is allocated
		return nil, short(name, at, n, at+info.Size)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(body, data); err != nil { // the connection broke
		return nil, fault(ctx, "read object", name, err)
	}
	return data, nil
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
		prefix := s.prefix + folder + "/"
		for o := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
			if o.Err != nil {
				yield("", fault(ctx, "list folder", folder, o.Err))
				return
			}
			if name := strings.TrimPrefix(o.Key, prefix); name != "" && !yield(name, nil) { // some tools make objects for folders
				return
			}
		}
		if ctx.Err() != nil {
			yield("", context.Cause(ctx))
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
	var listed error
	objects := func(yield func(minio.ObjectInfo) bool) {
		for o := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + folder + "/", Recursive: true}) {
			if o.Err != nil {
				listed = o.Err
				return
			}
			if !yield(minio.ObjectInfo{Key: o.Key}) {
				return
			}
		}
	}
	results, err := s.core.RemoveObjectsWithIter(ctx, s.bucket, objects, minio.RemoveObjectsOptions{})
	if err == nil {
		for r := range results {
			if r.Err != nil && err == nil {
				err = r.Err
			}
		}
	}
	if err = errors.Join(listed, err); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fault(ctx, "remove folder", folder, err)
	}
	return nil
}
