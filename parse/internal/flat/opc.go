// SPDX-License-Identifier: Apache-2.0

package flat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/curlew/internal/zipxml"
)

// OPC turns Flat OPC, the form of a package that is one XML file, into a package. The
// error wraps [zipxml.ErrMalformed] if the file has no part, or [zipxml.ErrLimit], or is
// the cause that ended ctx.
func OPC(ctx context.Context, data []byte) (*Package, error) {
	s := zipxml.NewScanner(string(data), zipxml.Vocabulary{"http://schemas.microsoft.com/office/2006/xmlPackage": "pkg"})
	f := newFile(len(data))
	for {
		t, err := s.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return f.finish()
		case errors.Is(err, zipxml.ErrMalformed):
			f.torn = true
			return f.finish()
		case err != nil:
			return nil, err
		case t.Kind != zipxml.Start || t.Name != "pkg:part":
			continue
		}
		e := zipxml.New(t.Name, t.Attrs)
		if err := f.part(ctx, s, e.Attr("pkg:name"), e.Attr("pkg:contentType")); err != nil {
			return nil, err
		}
	}
}

// part reads the part whose start tag was read.
func (f *file) part(ctx context.Context, s *zipxml.Scanner, name, contentType string) error {
	name = strings.TrimPrefix(name, "/")
	for read := false; ; {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, zipxml.ErrMalformed) {
			f.lost++
			f.torn = true
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case t.Kind == zipxml.End && t.Name == "pkg:part":
			if !read || name == "" {
				f.lost++
			}
			return nil
		case t.Kind != zipxml.Start || read || name == "":
		case t.Name == "pkg:xmlData":
		case t.Name == "pkg:binaryData":
			text, err := f.text(ctx, s)
			if err != nil {
				return err
			}
			read = true
			if err := f.add(name, contentType, f.decode(text)); err != nil {
				return err
			}
		default:
			xml, err := s.Fragment(ctx)
			if err != nil && !errors.Is(err, zipxml.ErrMalformed) {
				return err
			}
			f.torn = f.torn || err != nil
			read = true
			if err := f.add(name, contentType, []byte(xml)); err != nil {
				return err
			}
		}
	}
}

// text returns the text of the element whose start tag was read.
func (f *file) text(ctx context.Context, s *zipxml.Scanner) (string, error) {
	var b strings.Builder
	for {
		t, err := s.Next(ctx)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, zipxml.ErrMalformed):
			f.torn = true
			return b.String(), nil
		case err != nil:
			return "", err
		case t.Kind == zipxml.Text:
			b.WriteString(t.Text)
		case t.Kind == zipxml.End:
			return b.String(), nil
		}
	}
}

// finish returns the package.
func (f *file) finish() (*Package, error) {
	if f.parts == 0 {
		return nil, fmt.Errorf("%w: no part", zipxml.ErrMalformed)
	}
	return f.close()
}
