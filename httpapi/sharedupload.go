// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"example.com/curlew/job"
)

// removeIn is how long the removal of an upload may take after the answer.
const removeIn = 10 * time.Second

// addShared registers an upload for all processes.
func addShared(ctx context.Context, h *Handler, p *pending) error {
	wait, err := h.options.Uploads.Add(ctx,
		&job.Upload{ID: p.ID, Team: p.Team, Name: fileText(p.Name), ContentType: p.contentType},
		job.UploadLimits{Life: referenceLife, Most: maxUnparsed, Window: unparsedWindow})
	if err == nil && wait > 0 {
		return tooMany(wait)
	}
	return err
}

// fillShared stores the body of a PUT for all processes.
func fillShared(ctx context.Context, h *Handler, c *call, ref reference) error {
	file, err := receive(ctx, h, c, false)
	if err != nil {
		return err
	}
	defer file.close()
	memory, err := h.service.HoldBody(ctx, nil, min(file.size, job.UploadPart), true)
	defer memory.Release()
	if err != nil {
		return err
	}
	err = h.options.Uploads.Fill(ctx, ref.ID, io.NewSectionReader(file.data(), 0, file.size), file.size)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return errNoUpload
	case errors.Is(err, job.ErrUploaded):
		return errUploaded
	}
	return err
}

// takeShared reads an upload that any process has received. The caller must close the
// upload by calling remove, which also removes it for all processes.
func takeShared(ctx context.Context, h *Handler, ref reference) (u *upload, remove func(), err error) {
	store := h.options.Uploads
	stored, err := store.Take(ctx, ref.ID)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return nil, nil, errUsed()
	case errors.Is(err, job.ErrNoUpload):
		return nil, nil, errNotFilled()
	case err != nil:
		return nil, nil, err
	}
	u = &upload{name: stored.Name, contentType: stored.ContentType, file: newSpool(ctx, h, &h.references.gate, false)}
	remove = func() {
		u.close()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeIn)
		defer cancel()
		if err := store.Remove(ending, ref.ID); err != nil {
			h.logger().WarnContext(ending, "an upload that was parsed stays until it expires", slog.Any("err", err))
		}
	}
	memory, err := h.service.HoldBody(ctx, nil, min(stored.Size, job.UploadPart), true)
	defer memory.Release()
	if err == nil {
		err = store.Read(ctx, ref.ID, u.file)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return u, remove, nil
}
