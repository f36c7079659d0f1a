// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/doc"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/mail"
	"example.com/curlew/parse/internal/mapi"
	"example.com/curlew/parse/internal/msg"
	"example.com/curlew/parse/internal/ppt"
	"example.com/curlew/parse/internal/sheetml"
	"example.com/curlew/parse/internal/xls"
)

// readMail reads a message (EML) or a web archive (MHTML).
func readMail(ctx context.Context, in *input) (*Tree, error) {
	return legacy(mail.Read(ctx, string(in.kind), in.data, in.mail()))
}

// readMSG reads an Outlook message, or one in the form of a winmail.dat.
func readMSG(ctx context.Context, in *input) (*Tree, error) {
	if mapi.IsTNEF(in.data) {
		return legacy(mail.TNEF(ctx, in.data, in.mail()))
	}
	return in.container(msg.Read(ctx, in.data, in.mail()))
}

// mail returns the options of messages.
func (in *input) mail() mail.Options {
	return mail.Options{Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Child: in.child}
}

// readXLS reads a workbook in the binary format of Excel 97 or in the XML format of
// Excel 2003.
func readXLS(ctx context.Context, in *input) (*Tree, error) {
	if !bytes.HasPrefix(in.data, []byte(oleMagic)) && byMarkup(&exhibit{src: in.Source, head: in.data[:min(len(in.data), headSize)]}, declaration{}).Kind == XLS {
		return office(sheetml.Read(ctx, in.data, sheetml.Options{Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Cells: in.limits.Cells}))
	}
	return in.container(xls.Read(ctx, in.data, xls.Options{Objects: in.objects(), Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Cells: in.limits.Cells, Unlock: in.unlock}))
}

// readDOC reads a document in the binary format of Word 97 or in the XML format of Word
// 2003, which is a package by now.
func readDOC(ctx context.Context, in *input) (*Tree, error) {
	if in.whole != nil {
		tree, err := readDOCX(ctx, in)
		if err == nil {
			doctree.SetKind(tree.Root, string(DOC))
		}
		return tree, err
	}
	return in.container(doc.Read(ctx, in.data, doc.Options{Objects: in.objects(), Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Unlock: in.unlock}))
}

// readPPT reads a presentation in the binary format of PowerPoint 97.
func readPPT(ctx context.Context, in *input) (*Tree, error) {
	return in.container(ppt.Read(ctx, in.data, ppt.Options{Objects: in.objects(), Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Unlock: in.unlock}))
}

// objects returns what reads the documents that the document embeds.
func (in *input) objects() embedded.Objects {
	return embedded.Objects{Child: in.child, Budget: in.budget}
}

// container converts the result of a reader of OLE containers. A malformed
// container whose sector chains form a loop is reported as over a limit.
func (in *input) container(d *doctree.Document, err error) (*Tree, error) {
	t, err := legacy(d, err)
	if errors.Is(err, ErrCorrupt) && cfb.Loops(in.data) {
		return nil, &LimitError{Name: "sectors of a container in one chain", Value: in.Size / 512}
	}
	return t, err
}

// legacy converts the result of a reader of mail or OLE containers to a tree
// or an error of this package.
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
