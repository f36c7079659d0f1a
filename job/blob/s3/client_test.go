// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/job/blob"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct{ bucket, endpoint, region, key, want string }{
		{"b-1", "https://s3.amazonaws.com", "eu-west-1", "f/o", "https://b-1.s3.dualstack.eu-west-1.amazonaws.com/f/o"},
		{"b-1", "https://s3.amazonaws.com", "cn-north-1", "f/o", "https://b-1.s3.dualstack.cn-north-1.amazonaws.com.cn/f/o"},
		{"b-1", "https://s3.amazonaws.com", "", "", "https://s3.amazonaws.com/b-1/"},
		{"b.with.dots", "https://s3.amazonaws.com", "eu-west-1", "o", "https://s3.dualstack.eu-west-1.amazonaws.com/b.with.dots/o"}, // no certificate covers it
		{"b-1", "https://s3.eu-central-1.amazonaws.com", "eu-central-1", "o", "https://b-1.s3.eu-central-1.amazonaws.com/o"},
		{"b-1", "https://storage.googleapis.com", "auto", "o", "https://b-1.storage.googleapis.com/o"},
		{"b-1", "https://oss-cn-hangzhou.aliyuncs.com", "", "", "https://b-1.oss-cn-hangzhou.aliyuncs.com/"},
		{"b-1", "https://minio.example.org:9000", "us-east-1", "o", "https://minio.example.org:9000/b-1/o"},
		{"b-1", "http://localhost:9000", "r", "Fol der/ä+b=c/o", "http://localhost:9000/b-1/Fol%20der/%C3%A4%2Bb%3Dc/o"},
	} {
		endpoint, err := url.Parse(c.endpoint)
		if err != nil {
			t.Fatal(err)
		}
		u := newClient(c.bucket, *endpoint, Options{Region: c.region, AccessKey: "k"}).address(c.key)
		if got := u.String(); got != c.want {
			t.Errorf("%s at %s in %q: %s, want %s", c.bucket, c.endpoint, c.region, got, c.want)
		}
	}
}

// signature computes the signature of a request as Amazon describes it in
// "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
func signature(t *testing.T, r *http.Request, secret string) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	sum := sha256.Sum256(body)
	if got := r.Header.Get("X-Amz-Content-Sha256"); got != hex.EncodeToString(sum[:]) {
		t.Errorf("the checksum of the body is %s", got)
	}
	credential, rest, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="), ", SignedHeaders=")
	signed, _, _ := strings.Cut(rest, ", Signature=")
	_, scope, _ := strings.Cut(credential, "/")
	if !slices.Contains(strings.Split(signed, ";"), "host") {
		t.Errorf("the host is not signed, only %s", signed)
	}
	var headers strings.Builder
	for name := range strings.SplitSeq(signed, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers.WriteString(name + ":" + value + "\n")
	}
	query := strings.Split(r.URL.RawQuery, "&")
	slices.Sort(query)
	path, _, _ := strings.Cut(r.RequestURI, "?")
	canonical := strings.Join([]string{r.Method, path, strings.Join(query, "&"), headers.String(), signed, r.Header.Get("X-Amz-Content-Sha256")}, "\n")
	sum = sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope, hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range append(strings.Split(scope, "/"), text) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}

// answer serves requests whose signature is right. It holds the lock during each answer,
// so a test that holds it may change what h answers.
func answer(t *testing.T, o Options, lock *sync.Mutex, h http.HandlerFunc) (endpoint string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := signature(t, r, o.SecretKey); !strings.HasSuffix(r.Header.Get("Authorization"), ", Signature="+want) {
			t.Errorf("%s %s: %s, want the signature %s", r.Method, r.RequestURI, r.Header.Get("Authorization"), want)
		}
		if r.Header.Get("X-Amz-Security-Token") != o.SessionToken {
			t.Errorf("%s %s: the session token is %q", r.Method, r.RequestURI, r.Header.Get("X-Amz-Security-Token"))
		}
		lock.Lock()
		defer lock.Unlock()
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const oneObject = `<ListBucketResult><Contents><Key>Fol der/ä+b/f/o</Key></Contents></ListBucketResult>`

// TestSignatures computes the signatures of all kinds of requests again.
func TestSignatures(t *testing.T) {
	o := Options{Region: "eu-west-1", AccessKey: "AKIDEXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", SessionToken: "to+ken/="}
	var lock sync.Mutex
	seen := map[string]int{}
	endpoint := answer(t, o, &lock, func(w http.ResponseWriter, r *http.Request) {
		seen[r.Method]++
		switch {
		case r.Method == http.MethodPut:
			w.Header().Set("Etag", `"x"`)
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, `<DeleteResult></DeleteResult>`)
		case r.URL.Query().Has("list-type"):
			_, _ = io.WriteString(w, oneObject)
		default:
			w.Header().Set("Content-Range", "bytes 0-0/1")
			_, _ = io.WriteString(w, "x")
		}
	})
	st, err := Open(t.Context(), "s3://bucket/Fol der/ä+b?endpoint="+endpoint, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Put(t.Context(), "f/o", []byte("x"))
	_, read := st.Read(t.Context(), "f/o", 0, 1)
	_, empty := st.Read(t.Context(), "f/o", 0, 0)
	if err := errors.Join(err, read, empty, st.Remove(t.Context(), "f")); err != nil {
		t.Error(err)
	}
	for name, err := range st.List(t.Context(), "f") {
		if name != "o" || err != nil {
			t.Errorf("List: %q, %v", name, err)
		}
	}
	lock.Lock()
	defer lock.Unlock()
	if len(seen) != 4 || seen[http.MethodGet] != 4 {
		t.Errorf("requests: %v", seen)
	}
}

// TestRegion tests how the region is found.
func TestRegion(t *testing.T) {
	for _, c := range []struct{ name, location, want string }{
		{"told", `200 <LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">ap-south-1</LocationConstraint>`, "ap-south-1"},
		{"oldest", `200 <LocationConstraint/>`, "us-east-1"},
		{"Ireland", `200 <LocationConstraint>EU</LocationConstraint>`, "eu-west-1"},
		{"error", `400 <Error><Code>AuthorizationHeaderMalformed</Code><Region>garage</Region></Error>`, "garage"},
		{"forbidden", `403 <Error><Code>AccessDenied</Code></Error>`, "us-east-1"},
		{"no regions", `501 <Error><Code>NotImplemented</Code></Error>`, "us-east-1"},
		{"no bucket", `404 <Error><Code>NoSuchBucket</Code></Error>`, ""},
		{"no service", `200 <html></html>`, ""},
		{"wrong key", `403 <Error><Code>SignatureDoesNotMatch</Code></Error>`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lock sync.Mutex
			o := Options{AccessKey: "k", SecretKey: "s"}
			endpoint := answer(t, o, &lock, func(w http.ResponseWriter, r *http.Request) {
				status, body, _ := strings.Cut(c.location, " ")
				if !r.URL.Query().Has("location") {
					if !strings.Contains(r.Header.Get("Authorization"), "/"+c.want+"/s3/aws4_request") {
						t.Errorf("signed for another region: %s", r.Header.Get("Authorization"))
					}
					status, body = "200", oneObject
				}
				code := 0
				_, _ = fmt.Sscan(status, &code)
				w.WriteHeader(code)
				_, _ = io.WriteString(w, body)
			})
			st, err := Open(t.Context(), "s3://bucket?endpoint="+endpoint, &o)
			if c.want == "" {
				if err == nil || errors.Is(err, ErrURL) != (c.name == "no bucket") {
					t.Errorf("Open: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = st.Close()
			if st.client.region != c.want {
				t.Errorf("region %q", st.client.region)
			}
		})
	}
}

// TestKeys tests where credentials come from. Without any, the error says so.
func TestKeys(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no role", http.StatusNotFound) }))
	defer role.Close()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", role.URL)
	file := filepath.Join(t.TempDir(), "credentials")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "Credential=known/") {
			_, _ = io.WriteString(w, oneObject)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<Error><Code>AccessDenied</Code><Message>no</Message></Error>`)
	}))
	defer server.Close()
	try := func() error {
		st, err := Open(t.Context(), "s3://bucket?region=r&endpoint="+server.URL, nil)
		if err == nil {
			err = st.Close()
		}
		return err
	}
	if err := try(); err == nil || !strings.Contains(err.Error(), "no credentials were found") {
		t.Errorf("without credentials: %v", err)
	}
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = known\naws_secret_access_key = s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := try(); err != nil {
		t.Errorf("with a file: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "unknown")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	if err := try(); err == nil || strings.Contains(err.Error(), "no credentials were found") {
		t.Errorf("with a wrong key in the environment: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "known")
	if err := try(); err != nil {
		t.Errorf("with a key in the environment: %v", err)
	}
}

// TestAgain tests that a request is repeated while the service does not answer, and that
// it is not repeated after a final answer.
func TestAgain(t *testing.T) {
	var lock sync.Mutex
	var requests, faults int
	var fault string
	during := func() {} // a request
	o := Options{Region: "r", AccessKey: "k", SecretKey: "s"}
	endpoint := answer(t, o, &lock, func(w http.ResponseWriter, _ *http.Request) {
		during()
		if requests++; requests > faults {
			w.Header().Set("Etag", `"x"`)
			_, _ = io.WriteString(w, oneObject)
			return
		}
		switch fault {
		case "cut":
			panic(http.ErrAbortHandler)
		case "RequestTimeout":
			w.WriteHeader(http.StatusBadRequest)
		case "AccessDenied":
			w.WriteHeader(http.StatusForbidden)
		case "SlowDown":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, `<Error><Code>%s</Code><Message>%s</Message></Error>`, fault, strings.Repeat("m", 10_000))
	})
	st, err := Open(t.Context(), "s3://bucket?endpoint="+endpoint, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	put := func(ctx context.Context, kind string, times int, then func()) (int, error) {
		lock.Lock()
		requests, faults, fault, during = 0, times, kind, then
		lock.Unlock()
		err := st.Put(ctx, "f/o", []byte("x"))
		lock.Lock()
		defer lock.Unlock()
		return requests, err
	}
	for _, c := range []struct {
		fault        string
		faults, want int
		ok           bool
	}{
		{"cut", 2, 3, true}, {"SlowDown", 2, 3, true}, {"RequestTimeout", 1, 2, true}, {"SlowDown", 3, 3, false}, {"cut", 9, 3, false}, {"AccessDenied", 9, 1, false},
	} {
		n, err := put(t.Context(), c.fault, c.faults, func() {})
		if (err == nil) != c.ok || n != c.want {
			t.Errorf("%s %d times: %d requests, want %d; %v", c.fault, c.faults, n, c.want, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: an error of %d bytes", c.fault, len(err.Error()))
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped")
	if n, err := put(ctx, "SlowDown", 9, func() { cancel(cause) }); !errors.Is(err, cause) || n != 1 {
		t.Errorf("cancelled: %d requests, %v", n, err)
	}
}

// TestHostile tests answers of a service that lies. None may remove or name an object of
// another folder, and none is a success.
func TestHostile(t *testing.T) {
	var lock sync.Mutex
	list := oneObject
	remove := `<DeleteResult></DeleteResult>`
	removed := 0
	o := Options{Region: "r", AccessKey: "k", SecretKey: "s"}
	endpoint := answer(t, o, &lock, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			removed++
			_, _ = io.WriteString(w, remove)
			return
		}
		_, _ = io.WriteString(w, list)
	})
	st, err := Open(t.Context(), "s3://bucket?endpoint="+endpoint, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	set := func(listed, result string) {
		lock.Lock()
		defer lock.Unlock()
		list, remove = listed, result
	}
	for _, text := range []string{
		"", "<", "text", "<html></html>", "<ListBucketResult>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
		"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>", // again and again
		"<ListBucketResult><Contents><Key>g/o</Key></Contents></ListBucketResult>",
		"<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>f%2</Key></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>f/" + strings.Repeat("k", maxList) + "</Key></Contents></ListBucketResult>",
	} {
		set(text, "<DeleteResult/>")
		head := text[:min(len(text), 60)]
		if err := st.Remove(t.Context(), "f"); err == nil {
			t.Errorf("%s: Remove succeeded", head)
		}
		failed := false
		for name, err := range st.List(t.Context(), "f") {
			failed = failed || err != nil
			if name != "" {
				t.Errorf("%s: List: %q", head, name)
			}
		}
		if !failed {
			t.Errorf("%s: List does not fail", head)
		}
	}
	lock.Lock()
	if removed > 0 {
		t.Errorf("%d requests removed objects", removed)
	}
	lock.Unlock()
	for _, text := range []string{"", "<html/>", "<DeleteResult><Error><Key>f/o</Key><Code>AccessDenied</Code></Error></DeleteResult>"} {
		set("<ListBucketResult><Contents><Key>f/o</Key></Contents></ListBucketResult>", text)
		if err := st.Remove(t.Context(), "f"); err == nil || errors.Is(err, blob.ErrMissing) {
			t.Errorf("%s: Remove: %v", text, err)
		}
	}
	if err := st.Put(t.Context(), "f/o", []byte("x")); err == nil {
		t.Error("Put succeeded, though the answer has no ETag")
	}
	if _, err := st.Read(t.Context(), "f/o", 0, 1); err == nil {
		t.Error("Read succeeded without a range")
	}
}
