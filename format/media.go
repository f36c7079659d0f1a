// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/structured"
	"example.com/curlew/internal/weburl"
)

// maxMedia is the limit of recordings of one page.
const maxMedia = 100

// Video is a recording that a page shows or names. Members that the page does not
// have are absent.
type Video struct {
	URL       string `json:"url"`                 // absolute; for an embed the page of the recording
	SourceURL string `json:"sourceURL,omitempty"` // for an embed the address of the player
	Source    string `json:"source"`              // where it was found: element, embed, metadata, structured
	Kind      string `json:"kind"`                // file, hls, dash, embed
	Provider  string `json:"provider,omitempty"`  // provider of an embed
	Title     string `json:"title,omitempty"`
	Thumbnail string `json:"thumbnail,omitempty"` // absolute
	Duration  string `json:"duration,omitempty"`  // as the page writes it, usually ISO 8601
	MIMEType  string `json:"mimeType,omitempty"`
	Width     int    `json:"width,omitempty"` // pixels
	Height    int    `json:"height,omitempty"`

	audio bool
}

// makeAudio makes the audio form.
func makeAudio(_ context.Context, b *builder) error {
	all := recordings(&b.page, true)
	if len(all) == 0 {
		b.warnings.add("The page has no audio.")
		return nil
	}
	if err := maskedValue(&b.redactor, &all); err != nil {
		return err
	}
	b.doc.Audio = best(all).URL
	return nil
}

// makeVideo makes the video form.
func makeVideo(_ context.Context, b *builder) error {
	all := recordings(&b.page, false)
	if len(all) == 0 {
		b.warnings.add("The page has no video.")
		return nil
	}
	if err := maskedValue(&b.redactor, &all); err != nil {
		return err
	}
	b.doc.Video, b.doc.Videos = best(all).URL, all
	return nil
}

// best returns the first recording of the kind that is easiest to use.
func best(all []Video) Video {
	rank := func(v Video) int { return slices.Index([]string{"file", "hls", "dash", "embed"}, v.Kind) }
	return slices.MinFunc(all, func(a, b Video) int { return cmp.Compare(rank(a), rank(b)) })
}

// recordings returns the audio or video recordings of the page, without
// duplicates.
func recordings(pg *page, audio bool) []Video {
	r := mediaReader{page: pg}
	if root := pg.in.Root; root != nil {
		for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
			pg.steps.Take(1)
			if n.Type == html.ElementNode {
				r.element(n)
			}
		}
	}
	g := pg.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			r.structured(n)
		}
	}
	r.metas(g)
	return sorting.Without(r.all, func(v Video) bool { return v.audio != audio })
}

// A mediaReader collects the recordings of one page. Each URL is listed once.
type mediaReader struct {
	page *page
	all  []Video
}

// add adds v. If its URL is listed already, it fills in what that entry lacks. The
// URL is made absolute and determines the kind.
func (r *mediaReader) add(v Video) {
	ref := strings.Trim(v.URL, spaces)
	if ref == "" {
		return
	}
	u, err := weburl.Parse(r.page.base.resolve(ref))
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" {
		return
	}
	v.URL = u.String()
	if page, provider, sound := embedded(u); provider != "" {
		v.URL, v.SourceURL, v.Provider, v.Kind, v.audio = page, u.String(), provider, "embed", sound
	} else if !v.classify(u) {
		return
	}
	for i := range r.all {
		if r.all[i].URL == v.URL {
			r.all[i].learn(&v)
			return
		}
	}
	if len(r.all) < maxMedia {
		r.all = append(r.all, v)
	}
}

// classify sets the kind of a recording that is not a known embed. It reports
// false if it finds none.
func (v *Video) classify(u weburl.URL) bool {
	switch strings.ToLower(path.Ext(u.Path())) {
	case ".m3u8":
		v.Kind = "hls"
	case ".mpd":
		v.Kind = "dash"
	case ".mp4", ".webm", ".mov", ".m4v", ".ogv", ".mkv", ".avi":
		v.Kind = "file"
	case ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".wav", ".flac":
		v.Kind, v.audio = "file", true
	}
	kind, _, _ := strings.Cut(strings.ToLower(v.MIMEType), ";")
	switch kind = strings.TrimSpace(kind); {
	case v.Kind != "":
	case kind == "application/vnd.apple.mpegurl", kind == "application/x-mpegurl":
		v.Kind = "hls"
	case kind == "application/dash+xml":
		v.Kind = "dash"
	case strings.HasPrefix(kind, "audio/"):
		v.Kind, v.audio = "file", true
	case strings.HasPrefix(kind, "video/"), v.Source == "element":
		v.Kind = "file"
	case kind == "text/html":
		v.Kind = "embed"
	}
	return v.Kind != ""
}

// learn fills in the fields that v lacks from other.
func (v *Video) learn(other *Video) {
	v.SourceURL = cmp.Or(v.SourceURL, other.SourceURL)
	v.Title = cmp.Or(v.Title, other.Title)
	v.Thumbnail = cmp.Or(v.Thumbnail, other.Thumbnail)
	v.Duration = cmp.Or(v.Duration, other.Duration)
	v.MIMEType = cmp.Or(v.MIMEType, other.MIMEType)
	if v.Width == 0 && v.Height == 0 {
		v.Width, v.Height = other.Width, other.Height
	}
}

// element reads media elements, players in frames, and enclosures.
func (r *mediaReader) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Video, atom.Audio:
		r.add(r.player(n, n))
	case atom.Source:
		if p := n.Parent; p != nil && (p.DataAtom == atom.Video || p.DataAtom == atom.Audio) {
			r.add(r.player(n, p))
		}
	case atom.Iframe, atom.Embed:
		v := Video{URL: cmp.Or(dom.Attr(n, "src"), dom.Attr(n, "data-src"), dom.Attr(n, "data-lazy-src")), Source: "embed", MIMEType: dom.Attr(n, "type")}
		if blank := strings.HasPrefix(v.URL, "about:"); blank {
			v.URL = dom.Attr(n, "data-src")
		}
		v.Title, v.Width, v.Height = clean(dom.Attr(n, "title")), pixels(dom.Attr(n, "width")), pixels(dom.Attr(n, "height"))
		r.add(v)
	case atom.Link:
		if hasWord(strings.ToLower(dom.Attr(n, "rel")), "enclosure") {
			r.add(Video{URL: dom.Attr(n, "href"), Source: "metadata", MIMEType: dom.Attr(n, "type")})
		}
	}
	if n.Data == "enclosure" {
		r.add(Video{URL: dom.Attr(n, "url"), Source: "metadata", MIMEType: dom.Attr(n, "type")})
	}
}

// player reads the media element n; src is n or one of its sources.
func (r *mediaReader) player(src, n *html.Node) Video {
	v := Video{
		URL:      cmp.Or(dom.Attr(src, "src"), dom.Attr(src, "data-src")),
		Source:   "element",
		MIMEType: cut(clean(dom.Attr(src, "type")), 100),
		Title:    clean(dom.Attr(n, "title")),
		Width:    pixels(dom.Attr(n, "width")),
		Height:   pixels(dom.Attr(n, "height")),
		audio:    n.DataAtom == atom.Audio,
	}
	if poster := dom.Attr(n, "poster"); poster != "" {
		v.Thumbnail = r.page.base.resolve(poster)
	}
	return v
}

// structured reads a recording in structured data.
func (r *mediaReader) structured(n *structured.Node) {
	sound := n.Is("AudioObject", "PodcastEpisode", "MusicRecording")
	if !sound && !n.Is("VideoObject", "Clip", "Episode") {
		return
	}
	v := Video{
		Source: "structured", Title: clean(n.Text("name", "headline")), Duration: cut(n.Text("duration"), 64),
		MIMEType: cut(n.Text("encodingFormat"), 100), Width: pixels(n.Text("width")), Height: pixels(n.Text("height")), audio: sound,
	}
	for _, t := range n.Values("thumbnailUrl") {
		if t.Node == nil && v.Thumbnail == "" {
			v.Thumbnail = r.page.base.resolve(t.Text)
		}
	}
	for _, name := range []string{"contentUrl", "embedUrl"} {
		if v.URL = address(n, name); v.URL != "" {
			if name == "embedUrl" && v.MIMEType == "" {
				v.MIMEType = "text/html"
			}
			r.add(v)
		}
	}
}

// address returns the URL in a property of n.
func address(n *structured.Node, name string) string {
	values := n.Values(name)
	switch {
	case len(values) == 0:
		return ""
	case values[0].Node == nil:
		return values[0].Text
	}
	return cmp.Or(values[0].Node.Text("url", "contentUrl"), values[0].Node.ID)
}

// metas reads the recordings in the metadata of the page.
func (r *mediaReader) metas(g *structured.Graph) {
	title := r.page.meta.OGTitle
	for _, group := range []string{"og:video", "og:audio"} {
		v := Video{
			URL: g.Meta(group+":secure_url", group+":url", group), Source: "metadata", MIMEType: cut(g.Meta(group+":type"), 100),
			Title: title, Width: pixels(g.Meta(group + ":width")), Height: pixels(g.Meta(group + ":height")), audio: group == "og:audio",
		}
		if group == "og:audio" && v.MIMEType == "" {
			v.MIMEType = "audio/*"
		}
		r.add(v)
	}
	r.add(Video{
		URL: g.Meta("twitter:player:stream"), Source: "metadata", MIMEType: cut(g.Meta("twitter:player:stream:content_type"), 100), Title: title,
	})
	r.add(Video{
		URL: g.Meta("twitter:player"), Source: "metadata", MIMEType: "text/html", Title: title,
		Width: pixels(g.Meta("twitter:player:width")), Height: pixels(g.Meta("twitter:player:height")),
	})
}

// pixels reads a length in pixels; zero if s is not one.
func pixels(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), "px"))
	if err != nil || n < 0 || n > 100_000 {
		return 0
	}
	return n
}

// embedded returns the page of the recording that a known player shows, its
// provider, and whether it is audio. The provider is empty for unknown players.
func embedded(u weburl.URL) (page, provider string, sound bool) {
	host := strings.TrimPrefix(strings.TrimPrefix(u.Host(), "www."), "m.")
	parts := strings.Split(strings.Trim(u.Path(), "/"), "/")
	last := parts[len(parts)-1]
	in := func(prefix string) bool { return isIDIn(u.Path(), prefix, last) }
	switch host {
	case "youtube.com", "youtube-nocookie.com":
		query, _ := u.Query()
		values, err := url.ParseQuery(query)
		switch id := values.Get("v"); {
		case in("/embed/") && last != "videoseries", in("/shorts/"), in("/v/"), in("/live/"):
			return "https://www.youtube.com/watch?v=" + last, "youtube", false
		case u.Path() == "/watch" && err == nil && isID(id):
			return "https://www.youtube.com/watch?v=" + id, "youtube", false
		}
	case "youtu.be":
		if len(parts) == 1 && isID(last) {
			return "https://www.youtube.com/watch?v=" + last, "youtube", false
		}
	case "player.vimeo.com":
		if in("/video/") {
			return "https://vimeo.com/" + last, "vimeo", false
		}
	case "dailymotion.com", "geo.dailymotion.com":
		if in("/embed/video/") {
			return "https://www.dailymotion.com/video/" + last, "dailymotion", false
		}
	case "fast.wistia.net", "fast.wistia.com":
		if in("/embed/iframe/") {
			return "https://fast.wistia.net/embed/iframe/" + last, "wistia", false
		}
	case "loom.com":
		if in("/embed/") {
			return "https://www.loom.com/share/" + last, "loom", false
		}
	case "open.spotify.com":
		if in("/embed/") && len(parts) == 3 {
			return "https://open.spotify.com/" + parts[1] + "/" + last, "spotify", true
		}
	case "w.soundcloud.com":
		query, _ := u.Query()
		if values, err := url.ParseQuery(query); err == nil {
			if track, err := weburl.Parse(values.Get("url")); err == nil && track.Scheme() == "https" {
				return track.String(), "soundcloud", true
			}
		}
	}
	return "", "", false
}

// isID reports whether s can be the ID of a recording.
func isID(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// isIDIn reports whether a path begins with prefix and ends in the ID of a recording. It is not inlined, because [embedded]
// has nine calls.
//
//go:noinline
func isIDIn(path, prefix, last string) bool { return strings.HasPrefix(path, prefix) && isID(last) }

// isPixel reports whether the img n is at most one pixel large.
func isPixel(n *html.Node) bool {
	tiny := func(key string) bool {
		v := strings.TrimSuffix(strings.TrimSpace(dom.Attr(n, key)), "px")
		return v == "0" || v == "1"
	}
	return tiny("width") && tiny("height")
}

// isDataImage reports whether ref is a data: URL of a picture.
func isDataImage(ref string) bool {
	ref = strings.TrimLeft(ref, spaces)
	return len(ref) > 11 && strings.EqualFold(ref[:11], "data:image/")
}

// backgrounds returns the references in url() of an inline style's background.
func backgrounds(style string) []string {
	if !strings.Contains(style, "background") {
		return nil
	}
	var refs []string
	for {
		i := strings.Index(style, "url(")
		if i < 0 {
			return refs
		}
		style = style[i+len("url("):]
		ref := strings.TrimLeft(style, spaces)
		end := ")"
		if ref != "" && (ref[0] == '"' || ref[0] == '\'') {
			end, ref = ref[:1], ref[1:]
		}
		ref, rest, ok := strings.Cut(ref, end)
		if !ok {
			return refs
		}
		if ref = strings.Trim(ref, spaces); ref != "" {
			refs = append(refs, ref)
		}
		style = rest
	}
}
