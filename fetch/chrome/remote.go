// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/chromedp/chromedp/remote"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// ErrUnguarded means that the traffic of a browser at Options.URL does not come through the
// proxy.
var ErrUnguarded = errors.New("the browser does not use the proxy")

const (
	probe        = "http://192.0.2.1/" // an address for documentation, which the proxy refuses
	probeTimeout = 20 * time.Second
)

// attach connects to the browser at the URL of o.
func attach(ctx context.Context, o *Options) (*process, error) {
	options := []remote.Option{remote.WithDialTimeout(startTimeout)}
	if len(o.Header) > 0 { // the request that looks for the whole address would not have the header
		options = append(options, remote.NoModifyURL, remote.WithDialHTTPHeader(o.Header))
	}
	actx, acancel := remote.NewAllocator(ctx, o.URL, options...)
	bctx, bcancel := quietContext(actx)
	leave := sync.OnceFunc(func() {
		bcancel()
		acancel()
	})
	p := &process{ctx: bctx, stop: leave, kill: leave}
	if err := p.begin(); err != nil {
		p.stop()
		return nil, unreachable(err)
	}
	return p, nil
}

// unreachable returns the error for a browser that does not answer. Its text does not contain
// the URL of the browser, which may contain a token.
func unreachable(err error) error {
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("chrome: the browser cannot be reached: %w", dial)
	}
	return errors.New("chrome: the browser cannot be reached, or its answer is not that of a browser")
}

// prove returns an error if the traffic of a page does not come through the proxy.
func (b *Browser) prove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, _, err := b.show(ctx, ctx, &view{request: &render.Request{URL: probe}, own: originOf(probe), begun: time.Now()}, func() {})
	if !errors.Is(err, fetch.ErrAddress) {
		return errors.Join(fmt.Errorf("chrome: %w at %s", ErrUnguarded, b.guard.Address()), err)
	}
	return nil
}
