// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/url"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// parseUpload serves POST /v2/parse.
func parseUpload(h *Handler, c *call) error {
	media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
	case "application/json":
		return parseReference(h, c)
	default:
		return errMultipart
	}
	// The part that disables retention may follow the file.
	u, err := readUpload(h, c, c.team.Policy.ZeroRetention != account.RetentionOff)
	defer u.close()
	if err != nil {
		return err
	}
	if u.file == nil {
		return refuse(curlew.ErrRequest, "Missing file upload: the request has no file part")
	}
	req, page, over, err := parseOptions(h, u.options)
	if err != nil {
		return err
	}
	return parseFile(h, c, u, req, page, over)
}

// parseFile answers with the document of an uploaded file.
func parseFile(h *Handler, c *call, u *upload, req *wire.Parse, page *curlew.ScrapeOptions, over *threat.Override) error {
	ctx := c.ctx()
	if page.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, page.Timeout, fetch.ErrTimeout)
		defer cancel()
	}
	o := page.ParseOptions
	o.Caller, o.Threat = c.caller(req.Audit, &req.Source), over
	o.ZeroRetention = value(req.ZeroDataRetention, false)
	doc, err := h.service.Parse(ctx, parse.Source{Name: u.name, ContentType: u.contentType, Data: u.file.data(), Size: u.file.size}, &o)
	if err != nil {
		return err
	}
	doc.Metadata.URL = "file:///" + url.PathEscape(u.name)
	doc.Warning = join(append([]string{doc.Warning}, page.Notes...)...)
	return c.document(doc)
}

// notObject returns the error for options that could not be decoded with err.
// Options that are not an object get the error of malformed JSON.
func notObject(err error) error {
	if e, ok := errors.AsType[*wire.Error](err); ok && len(e.Faults[0].Path) == 0 && e.Faults[0].Code == wire.InvalidType {
		return wire.ErrSyntax
	}
	return err
}

// parseOptions reads the options part. A missing part is empty.
func parseOptions(h *Handler, raw []byte) (*wire.Parse, *curlew.ScrapeOptions, *threat.Override, error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	req, err := wire.DecodeParse(raw, h.wireOptions())
	return checkParse(h, req, err)
}

// checkParse resolves the options that wire decoded, with its error err.
func checkParse(h *Handler, req *wire.Parse, err error) (*wire.Parse, *curlew.ScrapeOptions, *threat.Override, error) {
	check, err := h.newChecker(notObject(err))
	if err != nil {
		return nil, nil, nil, err
	}
	// Check this before other errors, because some options are invalid only for
	// pages.
	if err := unparsable(req); err != nil {
		return nil, nil, nil, err
	}
	page := check.page(&req.Scrape)
	page.Read.Password = cmp.Or(value(req.Password, ""), page.Read.Password)
	page.Timeout = time.Duration(value(req.Timeout, wire.ParseTimeout)) * time.Millisecond
	page.MaxAge, page.MinAge, page.Lockdown, page.NoStore = 0, 0, false, false // an upload does not use the cache
	// The other options are refused or have no effect on an upload.
	page.Notes = check.idle(&wire.Scrape{OnlyCleanContent: req.OnlyCleanContent, Profile: req.Profile})
	over := check.override(req.Threat, "threatProtection")
	return req, &page, over, check.err()
}
