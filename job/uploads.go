// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"io"
	"time"
)

// Reasons why an [Uploads] refuses a file.
var (
	ErrUploaded = errors.New("file was uploaded before")
	ErrNoUpload = errors.New("file has not been uploaded")
)

// Upload is a file that waits to be parsed.
type Upload struct {
	ID                      string // UUIDv7
	Team, Name, ContentType string
	Size                    int64
}

// UploadLimits are the limits of an [Upload].
type UploadLimits struct {
	Life   time.Duration // how long the file can be uploaded and taken
	Most   int           // files of the team that were registered within Window and not removed
	Window time.Duration
}

// Uploads stores files that clients upload to one process and have parsed by another one.
// Implementations are safe for concurrent use and return when ctx ends. Calls for an upload
// that is unknown, expired, taken or removed return an error that wraps [ErrNotFound].
type Uploads interface {
	// Secret returns the key that signs references to uploads. It is the same in all
	// processes.
	Secret(ctx context.Context) ([]byte, error)

	// Add registers an upload. If the team has as many as the limits allow, it returns
	// how long it takes until there may be a further one.
	Add(ctx context.Context, u *Upload, l UploadLimits) (wait time.Duration, err error)

	// Check returns the error with which [Uploads.Fill] would refuse a file now, or nil.
	Check(ctx context.Context, id string) error

	// Fill stores the file of an upload, of size bytes, and returns when it is durable. A
	// call that fails may be repeated. If there is a file, the error is [ErrUploaded].
	// Fill needs [UploadPart] bytes of memory at most.
	Fill(ctx context.Context, id string, file io.Reader, size int64) error

	// Take returns an upload with its file to one caller only, unless the process of that
	// caller dies. If there is no file yet, the error is [ErrNoUpload].
	Take(ctx context.Context, id string) (*Upload, error)

	// Read writes the file of an upload that was taken to w. If the file is missing or
	// damaged, the error wraps [ErrCorrupt].
	Read(ctx context.Context, id string, w io.Writer) error

	// Remove removes an upload with its file.
	Remove(ctx context.Context, id string) error
}

// UploadPart is how many bytes of a file an [Uploads] holds in memory at most.
const UploadPart = 4 << 20
