// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/doc"
	"example.com/curlew/parse/internal/mail"
	"example.com/curlew/parse/internal/msg"
	"example.com/curlew/parse/internal/ppt"
	"example.com/curlew/parse/internal/xls"
)

// readMail reads a message or a web archive.
func readMail(ctx context.Context, in *input) (*Tree, error) {
	return legacy(mail.Read(ctx, string(in.kind), in.data, mail.Options{Nodes: in.limits.Nodes, Child: in.child}))
}

// readMSG reads a message of Outlook.
func readMSG(ctx context.Context, in *input) (*Tree, error) {
	return in.container(msg.Read(ctx, in.data, mail.Options{Nodes: in.limits.Nodes, Child: in.child}))
}

// readXLS reads an old workbook.
func readXLS(ctx context.Context, in *input) (*Tree, error) {
	return in.container(xls.Read(ctx, in.data, xls.Options{Nodes: in.limits.Nodes, Unlock: in.unlock}))
}

// readDOC reads an old document of a word processor.
func readDOC(ctx context.Context, in *input) (*Tree, error) {
	return in.container(doc.Read(ctx, in.data, doc.Options{Nodes: in.limits.Nodes, Unlock: in.unlock}))
}

// readPPT reads an old presentation.
func readPPT(ctx context.Context, in *input) (*Tree, error) {
	return in.container(ppt.Read(ctx, in.data, ppt.Options{Nodes: in.limits.Nodes, Unlock: in.unlock}))
}

// container is legacy for an OLE container: one that gave nothing because its
// chains turn back is over a limit.
func (in *input) container(d *doctree.Document, err error) (*Tree, error) {
	t, err := legacy(d, err)
	if errors.Is(err, ErrCorrupt) && cfb.Loops(in.data) {
		return nil, &LimitError{Name: "sectors of a container in one chain", Value: in.Size / 512}
	}
	return t, err
}

// legacy is office for readers of mail and of OLE containers.
func legacy(d *doctree.Document, err error) (*Tree, error) {
	for _, same := range []struct{ theirs, ours error }{
		{cfb.ErrEncrypted, ErrEncrypted},
		{cfb.ErrLimit, ErrLimit},
		{cfb.ErrMalformed, ErrCorrupt},
		{mail.ErrMalformed, ErrCorrupt},
	} {
		if errors.Is(err, same.theirs) {
			return nil, why(same.ours, err)
		}
	}
	return office(d, err)
}
