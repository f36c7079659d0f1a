// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/curlew/fetch/render"
)

// Limits of scrolling to load more content. The first three are the defaults of
// [render.Until].
const (
	maxScrolls = 50
	scrollTime = 20 * time.Second
	scrollEnd  = 200_000                // CSS pixels
	sameTwice  = 2                      // scrolls in a row without new content, after which scrolling ends
	newAfter   = 600 * time.Millisecond // how long new content may take after the requests have ended
)

// more is a JavaScript expression that scrolls a button that loads more content into view
// and returns its centre, or null if no such button is visible. Its parameter is a selector.
// If that is empty, the expression looks for a button whose text begins with one of words
// and that does not submit a form.
const more = `((selector) => {
	const words = ["load more", "show more", "view more", "see more", "more results", "mehr laden", "mehr anzeigen", "weitere laden", "weitere anzeigen",
		"charger plus", "afficher plus", "voir plus", "cargar más", "mostrar más", "ver más", "carregar mais", "mostrar mais", "ver mais", "carica altro", "carica altri", "mostra altro", "mostra altri",
		"meer laden", "toon meer", "meer weergeven", "załaduj więcej", "pokaż więcej", "показать ещё", "показать еще", "загрузить ещё", "もっと見る", "さらに表示", "加载更多", "查看更多", "載入更多", "더 보기", "더보기"];
	const found = selector ? document.querySelectorAll(selector) : document.querySelectorAll("button, [role=button], a:not([href]), a[href^='#'], a[href^='javascript:'], input[type=button]");
	for (const e of found) {
		const text = (e.innerText || e.value || "").trim().toLowerCase();
		if (!selector && (text.length > 40 || !words.some(w => text.startsWith(w)) || e.type === "submit" && e.form)) continue;
		if (e.disabled || e.getAttribute("aria-disabled") === "true") continue;
		e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (r.width <= 0 || r.height <= 0 || s.visibility === "hidden") continue;
		return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
	}
	return null;
})(%s)`

// extent is how much content a page has.
type extent struct{ Height, Text int }

// scrollAll scrolls to the end of the page and clicks buttons that load more, until nothing
// new comes or a limit of u is reached. It warns of the latter.
func (v *view) scrollAll(ctx context.Context, u *render.Until) error {
	scrolls, height := cmp.Or(u.MaxScrolls, maxScrolls), cmp.Or(u.MaxHeight, scrollEnd)
	end := time.Now().Add(cmp.Or(u.MaxTime, scrollTime))
	selector, err := json.Marshal(u.Button)
	if err != nil {
		return err
	}
	seen, err := v.extent(ctx)
	if err != nil {
		return err
	}
	same := 0
	for n := range scrolls {
		now, err := v.further(ctx, seen, string(selector), end)
		if err != nil && context.Cause(ctx) == nil && !isLost(err) {
			v.warn("the page was scrolled %d times, and then could not be scrolled further: %v", n, err)
			return nil
		}
		if err != nil {
			return err
		}
		if now == seen {
			same++
		} else {
			same = 0
		}
		seen = now
		switch {
		case same == sameTwice:
			return nil
		case seen.Height > height, time.Now().After(end):
			v.warn("the page was scrolled %d times, and may have more content", n+1)
			return nil
		}
	}
	v.warn("the page was scrolled %d times, and may have more content", scrolls)
	return nil
}

// further scrolls to the end once, clicks a button that loads more, and waits for new
// content. It returns the content of the page.
func (v *view) further(ctx context.Context, seen extent, selector string, end time.Time) (extent, error) {
	if _, err := evaluate[int](ctx, v, `(scrollTo({top: document.documentElement.scrollHeight, behavior: "instant"}), 0)`, callTimeout); err != nil {
		return seen, err
	}
	at, err := evaluate[*spot](ctx, v, fmt.Sprintf(more, selector), callTimeout)
	if err != nil {
		return seen, err
	}
	if at != nil {
		v.act()
		if err := v.point(ctx, *at); err != nil {
			return seen, err
		}
	}
	quiet := time.Now()
	for {
		if err := v.calm(ctx); err != nil {
			return seen, err
		}
		now, err := v.extent(ctx)
		if err != nil || now != seen || time.Now().After(end) || time.Since(quiet) >= newAfter {
			return now, err
		}
		if !v.busy.quiet(time.Now(), quietClick) {
			quiet = time.Now()
		}
	}
}

// extent returns how much content the page has now.
func (v *view) extent(ctx context.Context) (extent, error) {
	return evaluate[extent](ctx, v, `({Height: document.documentElement.scrollHeight, Text: document.body ? document.body.innerText.length : 0})`, callTimeout)
}
