// SPDX-License-Identifier: Apache-2.0

package viewing

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"strconv"

	"example.com/curlew/job"
)

// File is a picture or a PDF that a browser has produced.
type File struct {
	Type string // media type
	Data []byte
}

// DataURL returns the file as a URL that contains it.
func (f *File) DataURL() string {
	return "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
}

// keySize is the size of the key of a stored file in bytes.
const keySize = 32

// Item returns the file as an item of a job, and the random key that its URL contains.
// The item begins with the key, so that only the holder of the URL can read it.
func (f *File) Item() (it job.Item, key string) {
	secret := make([]byte, keySize)
	rand.Read(secret) // never fails (crypto/rand)
	data := append(secret, byte(min(len(f.Type), 255)))
	data = append(data, f.Type[:min(len(f.Type), 255)]...)
	return job.Item{Kind: job.File, Data: append(data, f.Data...)}, base64.RawURLEncoding.EncodeToString(secret)
}

// OpenFile returns the file of a stored item. It returns false if the key is wrong or the
// item is not valid.
func OpenFile(data []byte, key string) (File, bool) {
	secret, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil || len(data) <= keySize || subtle.ConstantTimeCompare(secret, data[:keySize]) != 1 {
		return File{}, false
	}
	n, rest := int(data[keySize]), data[keySize+1:]
	if n > len(rest) {
		return File{}, false
	}
	return File{Type: string(rest[:n]), Data: rest[n:]}, true
}

// URL returns the URL of the n-th file of a job. base is the beginning of all URLs of
// files, with a slash at its end.
func URL(base, id string, n int, key string) string {
	return base + id + "/" + strconv.Itoa(n) + "?sig=" + key
}
