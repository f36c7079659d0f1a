// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/format"
)

func TestMedia(t *testing.T) {
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	for _, test := range []struct{ name, src, audio, video, videos string }{
		{"nothing", `<p>x<iframe src="/other"></iframe><iframe src="about:blank"></iframe><video></video><video src="blob:x"></video>`, "", "", "null"},
		{
			"elements", `<video src=/a.mp4 width=640 height=360px poster=p.png title=" A  b "></video><audio><source src=b.mp3 type=audio/mpeg></audio>`,
			"https://birds.example/a/b.mp3", "https://birds.example/a.mp4",
			`[{"url":"https://birds.example/a.mp4","source":"element","kind":"file","title":"A b","thumbnail":"https://birds.example/a/p.png","width":640,"height":360}]`,
		},
		{
			"streams", `<video><source src=x.m3u8><source src=y type="application/dash+xml"></video>`, "", "https://birds.example/a/x.m3u8",
			`[{"url":"https://birds.example/a/x.m3u8","source":"element","kind":"hls"},{"url":"https://birds.example/a/y","source":"element","kind":"dash","mimeType":"application/dash+xml"}]`,
		},
		{
			"a file is better than an embed", `<iframe src="https://www.youtube.com/embed/abc?rel=0" title=T></iframe><video src=a.webm></video>`, "", "https://birds.example/a/a.webm",
			`[{"url":"https://www.youtube.com/watch?v=abc","sourceURL":"https://www.youtube.com/embed/abc?rel=0","source":"embed","kind":"embed","provider":"youtube","title":"T"},{"url":"https://birds.example/a/a.webm","source":"element","kind":"file"}]`,
		},
		{
			"one video, told of twice", `<iframe data-src="https://www.youtube-nocookie.com/embed/abc" src="about:blank"></iframe>` + ld(`{"@type":"VideoObject","name":"N","embedUrl":"https://youtu.be/abc","thumbnailUrl":["/t.png"],"duration":"PT1M"}`), "", "https://www.youtube.com/watch?v=abc",
			`[{"url":"https://www.youtube.com/watch?v=abc","sourceURL":"https://www.youtube-nocookie.com/embed/abc","source":"embed","kind":"embed","provider":"youtube","title":"N","thumbnail":"https://birds.example/t.png","duration":"PT1M","mimeType":"text/html"}]`,
		},
		{
			"structured", ld(`[{"@type":"VideoObject","name":"N","contentUrl":"/v?id=1","encodingFormat":"video/mp4"},{"@type":"PodcastEpisode","name":"P","associatedMedia":{"@type":"AudioObject","contentUrl":"/e.mp3"}}]`),
			"https://birds.example/e.mp3", "https://birds.example/v?id=1", `[{"url":"https://birds.example/v?id=1","source":"structured","kind":"file","title":"N","mimeType":"video/mp4"}]`,
		},
		{
			"metas", `<meta property="og:title" content=T><meta property="og:video" content="/v.mp4"><meta property="og:video:width" content=10><meta property="og:audio" content="/a"><meta name="twitter:player" content="/player">`,
			"https://birds.example/a", "https://birds.example/v.mp4",
			`[{"url":"https://birds.example/v.mp4","source":"metadata","kind":"file","title":"T","width":10},{"url":"https://birds.example/player","source":"metadata","kind":"embed","title":"T","mimeType":"text/html"}]`,
		},
		{"enclosure", `<link rel=enclosure type=audio/mpeg href="/p">`, "https://birds.example/p", "", "null"},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.Audio, format.VideoForm}})
		videos := strings.TrimSpace(encode(t, d.Videos))
		if d.Audio != test.audio || d.Video != test.video || videos != test.videos {
			t.Errorf("%s:\ngot  %q %q %s\nwant %q %q %s", test.name, d.Audio, d.Video, videos, test.audio, test.video, test.videos)
		}
		for kind, missing := range map[string]bool{"audio": test.audio == "", "video": test.video == ""} {
			if strings.Contains(d.Warning, "The page has no "+kind+".") != missing {
				t.Errorf("%s: warning %q", test.name, d.Warning)
			}
		}
	}
}

func TestEmbeds(t *testing.T) {
	for src, want := range map[string]string{
		"https://www.youtube.com/watch?x=1&v=a-_B":                                       "https://www.youtube.com/watch?v=a-_B youtube",
		"//youtube.com/shorts/a":                                                         "https://www.youtube.com/watch?v=a youtube",
		"https://www.youtube.com/embed/videoseries?list=x":                               "",
		"https://www.youtube.com/embed/a%22b":                                            "",
		"https://player.vimeo.com/video/123?h=1":                                         "https://vimeo.com/123 vimeo",
		"https://www.dailymotion.com/embed/video/x1":                                     "https://www.dailymotion.com/video/x1 dailymotion",
		"https://fast.wistia.com/embed/iframe/w":                                         "https://fast.wistia.net/embed/iframe/w wistia",
		"https://www.loom.com/embed/l":                                                   "https://www.loom.com/share/l loom",
		"https://open.spotify.com/embed/track/s?x":                                       "https://open.spotify.com/track/s sound",
		"https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/1&a=b": "https://api.soundcloud.com/tracks/1 sound",
		"https://w.soundcloud.com/player/?url=javascript%3Ax":                            "",
		"https://youtube.com.evil.example/embed/a":                                       "",
		"https://open.spotify.com/embed/":                                                "",
	} {
		d := build(t, `<iframe src="`+src+`">`, format.Options{Forms: []format.Form{format.Audio, format.VideoForm}})
		got := ""
		if d.Video != "" {
			got = d.Video + " " + d.Videos[0].Provider
		} else if d.Audio != "" {
			got = d.Audio + " sound"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

// TestManyMedia checks that recordings above the limit are left out.
func TestManyMedia(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "<video src=%d.mp4></video>", i)
	}
	if n := len(build(t, b.String(), format.Options{Forms: []format.Form{format.VideoForm}}).Videos); n != 100 {
		t.Errorf("%d videos", n)
	}
}
