// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"example.com/curlew/fetch/render"
)

// consentScript is the JavaScript expression of consent.js, whose parameters are booleans.
//
//go:embed consent.js
var consentScript string

// maxBanners limits how many banners are answered. After one, another one may appear.
const maxBanners = 3

// answerBanners refuses, accepts or hides banners that ask for consent to cookies, as the
// request says, and warns of it. A page whose banner cannot be handled is shown as it is.
func (v *view) answerBanners(ctx context.Context) error {
	how := v.request.Block.Consent
	if how == render.LeaveConsent {
		return nil
	}
	clicked, hidden := 0, 0
	for n := range maxBanners {
		// The second time, the banner may be the first one, which has ignored the click.
		did, err := evaluate[string](ctx, v, fmt.Sprintf(consentScript, how == render.AcceptConsent, n > 0), callTimeout)
		if err != nil {
			if isLost(err) || context.Cause(ctx) != nil {
				return err
			}
			if fault := (*scriptError)(nil); errors.As(err, &fault) {
				v.warn("banners that ask for consent were not looked for: %v", err)
			}
			break
		}
		if did == "" {
			break
		}
		if did == "hidden" {
			hidden++
			continue
		}
		clicked++
		if err := v.calm(ctx); err != nil {
			return err
		}
	}
	switch {
	case clicked > 0 && how == render.AcceptConsent:
		v.warn("a banner that asks for consent to cookies was accepted")
	case clicked > 0:
		v.warn("a banner that asks for consent to cookies was refused")
	}
	if hidden > 0 {
		v.warn("a banner that asks for consent to cookies was hidden")
	}
	return nil
}
