// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // the protocol demands it; the signature has a SHA-256
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"

	"example.com/curlew/internal/netguard"
)

// Limits of a request.
const (
	tries     = 3                      // if the service does not answer; the caller repeats the call later
	firstWait = 200 * time.Millisecond // before the second try
	maxFault  = 64 << 10               // bytes of an answer that describes an error
	maxList   = 4 << 20                // bytes of an answer that lists 1,000 objects

	maxMessage = 500 // bytes of a message of the service that an error quotes
)

// Names of Amazon's service.
const (
	global        = "s3.amazonaws.com" // of all regions
	defaultRegion = "us-east-1"
)

// client makes signed requests to a bucket. It is safe for concurrent use once its
// region is known.
type client struct {
	http     *http.Client
	keys     *credentials.Credentials
	bucket   string
	endpoint url.URL // has no path
	region   string
}

// newClient returns a client that has made no request yet.
func newClient(bucket string, endpoint url.URL, o Options) *client {
	c := &client{keys: keys(o), bucket: bucket, endpoint: endpoint, region: o.Region, http: &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           netguard.Dial,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			IdleConnTimeout:       time.Minute,
			MaxIdleConnsPerHost:   16,
			DisableCompression:    true, // the bytes of an object are those that were put
		},
		// A signature is valid for one host only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if c.region == "" {
		c.region = s3utils.GetRegionFromURL(endpoint)
	}
	return c
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

// locate asks for the region of the bucket if it is unknown. Credentials that may not
// ask for it, and services without regions, have the default region.
func (c *client) locate(ctx context.Context) error {
	if c.region != "" {
		return nil
	}
	var region string
	err := c.get(ctx, url.Values{"location": {""}}, maxFault, "LocationConstraint", &region)
	if f, ok := errors.AsType[*fault](err); ok {
		switch {
		case f.region != "":
			region, err = f.region, nil
		case f.Code == "AccessDenied" || f.Code == "NotImplemented" || f.Code == "MethodNotAllowed":
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if region = strings.TrimSpace(region); region == "EU" { // the oldest buckets in Ireland
		region = "eu-west-1"
	}
	c.region = cmp.Or(region, defaultRegion)
	return nil
}

// fault is an error that the service has answered.
type fault struct {
	Code    string
	Message string
	Region  string // of the bucket, if the request was signed for another one

	region    string // Region, or what the header says
	status    string
	anonymous bool // there were no credentials
}

func (f *fault) Error() string {
	text := f.status
	if f.Code != "" {
		text += ": " + f.Code
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	if f.anonymous {
		text += " (no credentials were found in the environment, in a file or for a role of this machine)"
	}
	return text
}

// is reports whether the service has answered err with this code.
func is(err error, code string) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.Code == code
}

// request is a request for an object, or for the bucket if key is empty.
type request struct {
	method, key string
	query       url.Values
	header      http.Header
	body        []byte
}

// do makes a request until the service answers, up to three times. The caller closes
// the body. If the answer is not a success, the error wraps [*fault].
func (c *client) do(ctx context.Context, r request) (*http.Response, error) {
	for try := 1; ; try++ {
		resp, err := c.once(ctx, r)
		f, answered := errors.AsType[*fault](err)
		again := err != nil && ctx.Err() == nil && (!answered || strings.HasPrefix(f.status, "5") || strings.HasPrefix(f.status, "429") || f.Code == "RequestTimeout")
		if !again || try == tries {
			return resp, err
		}
		wait := time.NewTimer(firstWait<<(try-1) + rand.N(firstWait)) //nolint:gosec // it keeps no secret
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// once makes a request.
func (c *client) once(ctx context.Context, r request) (*http.Response, error) {
	value, err := c.keys.GetWithContext(&credentials.CredContext{Client: c.http, Context: ctx})
	if err != nil {
		return nil, fmt.Errorf("get credentials: %w", err)
	}
	u := c.address(r.key)
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.URL = &u // with the path as it is signed
	maps.Copy(req.Header, r.header)
	sum := sha256.Sum256(r.body)
	req.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	if len(r.body) > 0 {
		sum := md5.Sum(r.body) //nolint:gosec // see the import
		req.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(sum[:]))
	}
	req = signer.SignV4(*req, value.AccessKeyID, value.SecretAccessKey, value.SessionToken, cmp.Or(c.region, defaultRegion))
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	f := new(fault)
	if err := decode(resp.Body, maxFault, "Error", f); err != nil {
		f = new(fault) // proxies, and answers to HEAD, describe nothing
	}
	f.Message = f.Message[:min(len(f.Message), maxMessage)]
	f.status, f.anonymous = resp.Status, value.AccessKeyID == ""
	f.region = cmp.Or(resp.Header.Get("X-Amz-Bucket-Region"), f.Region)
	if r.method == http.MethodHead && resp.StatusCode == http.StatusNotFound {
		f.Code = "NoSuchKey"
	}
	return nil, f
}

// address returns the URL of an object. Some services want the bucket in the name of
// the host, all others in the path.
func (c *client) address(key string) url.URL {
	u := c.endpoint
	if u.Host == global && c.region != "" { // the name of all regions answers with redirects
		u.Host = "s3.dualstack." + c.region + ".amazonaws.com"
		if strings.HasPrefix(c.region, "cn-") {
			u.Host += ".cn"
		}
	}
	u.Path = "/" + key
	if (c.region != "" || u.Host != global) && s3utils.IsVirtualHostSupported(c.endpoint, c.bucket) {
		u.Host = c.bucket + "." + u.Host
	} else {
		u.Path = "/" + c.bucket + u.Path
	}
	u.RawPath = s3utils.EncodePath(u.Path)
	return u
}

// get gets a document about the bucket.
func (c *client) get(ctx context.Context, query url.Values, limit int64, root string, into any) error {
	resp, err := c.do(ctx, request{method: http.MethodGet, query: query})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return decode(resp.Body, limit, root, into)
}

// decode decodes a document with this root element.
func decode(body io.Reader, limit int64, root string, into any) error {
	body = io.LimitReader(body, limit)
	defer func() { _, _ = io.Copy(io.Discard, body) }() // so that the connection can be used again
	d := xml.NewDecoder(body)
	for {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("read the answer of the service: %w", err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local != root {
			return fmt.Errorf("read the answer of the service: it is a %q, not a %q", element.Name.Local, root)
		}
		if err := d.DecodeElement(into, &element); err != nil {
			return fmt.Errorf("read the answer of the service: %w", err)
		}
		return nil
	}
}

// listing is up to 1,000 objects and folders.
type listing struct {
	Contents       []struct{ Key string }
	CommonPrefixes []struct{ Prefix string }
	EncodingType   string
	IsTruncated    bool
	Next           string `xml:"NextContinuationToken"`
}

// names returns the objects and then the folders. All of them must begin with prefix.
func (l *listing) names(prefix string) ([]string, error) {
	all := make([]string, 0, len(l.Contents)+len(l.CommonPrefixes))
	for _, o := range l.Contents {
		all = append(all, o.Key)
	}
	for _, f := range l.CommonPrefixes {
		all = append(all, f.Prefix)
	}
	for i, name := range all {
		if l.EncodingType == "url" {
			decoded, err := url.QueryUnescape(name)
			if err != nil {
				return nil, fmt.Errorf("the service lists an object with a malformed name: %w", err)
			}
			all[i] = decoded
		}
		if !strings.HasPrefix(all[i], prefix) {
			return nil, fmt.Errorf("the service lists the object %q, which does not begin with %q", all[i], prefix)
		}
	}
	return all, nil
}

// list calls visit with up to 1,000 names at a time. If deep is not set, it lists what
// is directly below prefix. It ends when visit returns false or an error.
func (c *client) list(ctx context.Context, prefix string, deep bool, visit func(names []string) (bool, error)) error {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}, "encoding-type": {"url"}}
	if !deep {
		query.Set("delimiter", "/")
	}
	for {
		var l listing
		if err := c.get(ctx, query, maxList, "ListBucketResult", &l); err != nil {
			return err
		}
		names, err := l.names(prefix)
		if err != nil {
			return err
		}
		if more, err := visit(names); !more || err != nil {
			return err
		}
		if !l.IsTruncated {
			return nil
		}
		if l.Next == "" || l.Next == query.Get("continuation-token") {
			return errors.New("the service says that there are more objects, but not where they begin")
		}
		query.Set("continuation-token", l.Next)
	}
}

// deletion is a request to delete objects.
type deletion struct {
	XMLName xml.Name `xml:"Delete"`
	Quiet   bool     // answer with errors only
	Object  []object
}

type object struct{ Key string }

// remove removes up to 1,000 objects.
func (c *client) remove(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	list := deletion{Quiet: true}
	for _, name := range names {
		list.Object = append(list.Object, object{name})
	}
	body, err := xml.Marshal(list)
	if err != nil {
		return err
	}
	resp, err := c.do(ctx, request{
		method: http.MethodPost, query: url.Values{"delete": {""}}, body: body,
		header: http.Header{"Content-Type": {"application/xml"}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var result struct {
		Error []struct{ Key, Code, Message string }
	}
	if err := decode(resp.Body, maxList, "DeleteResult", &result); err != nil {
		return err
	}
	for _, e := range result.Error {
		if e.Code != "NoSuchKey" {
			return fmt.Errorf("%d of %d objects stay, among them %q: %s: %s", len(result.Error), len(names), e.Key, e.Code, e.Message)
		}
	}
	return nil
}
