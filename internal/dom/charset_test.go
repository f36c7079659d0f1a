// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"example.com/curlew/internal/dom"
)

// encode returns s in e.
func encode(t testing.TB, e encoding.Encoding, s string) string {
	t.Helper()
	b, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	english  = "The quick brown fox jumps over the lazy dog."
	russian  = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Всё смешалось в доме Облонских."
	japan    = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。"
	china    = "道可道，非常道。名可名，非常名。无名天地之始，有名万物之母。我们的生活越来越好，学校里有很多学生，他们都在图书馆看书。"
	taiwan   = "道可道，非常道。名可名，非常名。無名天地之始，有名萬物之母。我們的生活越來越好，學校裡有很多學生，他們都在圖書館看書。"
	korea    = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."
	french   = "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite que je n’avais pas le temps de me dire : « Je m’endors. »"
	german   = "Über allen Gipfeln ist Ruh, in allen Wipfeln spürest du kaum einen Hauch; die Vögelein schweigen im Walde. Straße, Maß, Füße."
	metaUTF8 = `<meta charset="utf-8">`
)

func TestDecode(t *testing.T) {
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, c := range []struct {
		name, body, contentType string
		charset, text           string
	}{
		// The order in which signs of an encoding decide; see Decode.
		{"UTF-8 under an iso-8859-1 meta", `<meta charset=iso-8859-1><p>café`, "", "utf-8", `<meta charset=iso-8859-1><p>café`},
		{"ISO-2022-JP in the header", encode(t, japanese.ISO2022JP, japan), "text/html; charset=ISO-2022-JP", "iso-2022-jp", japan},
		{"ISO-2022-JP in a meta", encode(t, japanese.ISO2022JP, `<meta charset=iso-2022-jp>`+japan), "", "iso-2022-jp", `<meta charset=iso-2022-jp>` + japan},
		{"ISO-2022-JP unlabelled", encode(t, japanese.ISO2022JP, japan), "", "iso-2022-jp", japan},
		{"GB18030 under a GB2312 label", encode(t, simplifiedchinese.GB18030, "一𠀀丂"), "text/html; charset=GB2312", "gbk", "一𠀀丂"},
		{"meta at byte 3,000", strings.Repeat(" ", 3000) + "<meta charset=windows-1251>\xEF", "", "windows-1251", strings.Repeat(" ", 3000) + "<meta charset=windows-1251>п"},
		{"meta past byte 4,096", strings.Repeat(" ", 4090) + "<meta charset=windows-1251>caf\xE9", "", "windows-1252", strings.Repeat(" ", 4090) + "<meta charset=windows-1251>café"},
		{"cut inside é", "<p>café caf\xC3", "text/html; charset=iso-8859-1", "utf-8", "<p>café caf"},
		{"cut inside the only é", "<p>caf\xC3", "", "utf-8", "<p>caf"},
		{"cut inside the only é, labelled", "<p>caf\xC3", "text/html; charset=utf-8", "utf-8", "<p>caf"},
		{"not cut but labelled", "caf\xE9", "text/html; charset=iso-8859-1", "windows-1252", "café"},
		{"UTF-16LE without mark", encode(t, utf16le, "<p>žluťoučký kůň"), "", "utf-16le", "<p>žluťoučký kůň"},
		{"UTF-16BE without mark", encode(t, utf16be, "<p>žluťoučký kůň"), "text/html; charset=utf-8", "utf-16be", "<p>žluťoučký kůň"},
		{"label utf8", "caf\xC3\xA9 \xC3\xA9 \xFF", "text/html; charset=utf8", "utf-8", "café é \uFFFD"},
		{"windows-1252 quotes under a utf-8 label", "\x93quoted\x94 it\x92s", "text/html; charset=utf-8", "windows-1252", "“quoted” it’s"},

		{"UTF-8 mark", "\xEF\xBB\xBFcaf\xE9", "text/html; charset=windows-1252", "utf-8", "caf\uFFFD"},
		{"UTF-16LE mark", "\xFF\xFEa\x00\xE9\x00", "", "utf-16le", "aé"},
		{"UTF-16BE mark", "\xFE\xFF\x00a\x00\xE9", "", "utf-16be", "aé"},
		{"UTF-16 with half a surrogate and an odd byte", "\xFF\xFEa\x00\x00\xD8b\x00c", "", "utf-16le", "a\uFFFDb\uFFFD"},
		{"valid UTF-8 under a header", "café", "text/html; charset=windows-1251", "utf-8", "café"},
		{"header before meta", "<meta charset=koi8-r>\xEF\xF0", "text/html; charset=windows-1251", "windows-1251", "<meta charset=koi8-r>пр"},
		{"unknown header, then meta", "<meta charset=koi8-r>\xD0", "text/html; charset=klingon", "koi8-r", "<meta charset=koi8-r>п"},
		{"broken header", "\xEF\xF0", `text/html; charset="windows-1251`, "windows-1251", "пр"},
		{"header named twice", "\xEF\xF0", `text/html; charset=windows-1251; charset=windows-1251`, "windows-1251", "пр"},
		{"http-equiv", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">` + "\xEF", "", "windows-1251", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">п`},
		{"content without http-equiv", `<meta name=x content="charset=windows-1251">` + "caf\xE9", "", "windows-1252", `<meta name=x content="charset=windows-1251">café`},
		{"meta in a comment", "<!-- <meta charset=windows-1251> -->caf\xE9", "", "windows-1252", "<!-- <meta charset=windows-1251> -->café"},
		{"meta in a script", "<script>'<meta charset=windows-1251>'</script>caf\xE9", "", "windows-1252", "<script>'<meta charset=windows-1251>'</script>café"},
		{"XML declaration before meta", `<?xml version="1.0" encoding='windows-1251'?><meta charset=koi8-r>` + "\xEF", "", "windows-1251", `<?xml version="1.0" encoding='windows-1251'?><meta charset=koi8-r>п`},
		{"XML declaration without encoding", `<?xml version="1.0"?><meta charset=koi8-r>` + "\xD0", "", "koi8-r", `<?xml version="1.0"?><meta charset=koi8-r>п`},
		{"XML declaration of UTF-16", `<?xml version="1.0" encoding="utf-16"?><a/>`, "", "utf-8", `<?xml version="1.0" encoding="utf-16"?><a/>`},
		{"meta of UTF-16", "<meta charset=utf-16>a", "", "utf-8", "<meta charset=utf-16>a"},
		{"header of UTF-16 on ASCII", "<p>abc", "text/html; charset=utf-16", "utf-8", "<p>abc"},
		{"meta of x-user-defined", "<meta charset=x-user-defined>\x93", "", "windows-1252", "<meta charset=x-user-defined>“"},
		{"utf-8 label, few errors", strings.Repeat("é", 9) + "\xFF", "text/html; charset=utf-8", "utf-8", strings.Repeat("é", 9) + "\uFFFD"},
		{"utf-8 header, meta that holds", "<meta charset=windows-1251>\xEF\xF0", "text/html; charset=utf-8", "windows-1251", "<meta charset=windows-1251>пр"},
		{"replacement label", "<meta charset=iso-2022-kr><p>text", "", "windows-1252", "<meta charset=iso-2022-kr><p>text"},
		{"ASCII, no label", english, "", "windows-1252", english},
		{"ASCII, labelled", english, "text/html; charset=utf-8", "utf-8", english},
		{"empty", "", "", "windows-1252", ""},
		{"controls", "a\x00b\x01c\x07d\te\nf\fg\rh\x1Fi\x7F", "", "windows-1252", "a\uFFFDbcd\te\nf\fg\rhi\x7F"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, charset := dom.Decode([]byte(c.body), c.contentType)
			if charset != c.charset || text != c.text {
				t.Errorf("Decode(%.60q, %q) = %.200q, %q, want %.200q, %q", c.body, c.contentType, text, charset, c.text, c.charset)
			}
		})
	}
}

// TestGuess detects the encoding of long and short texts without a declaration.
func TestGuess(t *testing.T) {
	for _, c := range []struct {
		charset string
		e       encoding.Encoding
		text    string
		long    bool // needs more than a word
	}{
		{"windows-1251", charmap.Windows1251, russian, false},
		{"koi8-r", charmap.KOI8R, russian, false},
		{"windows-1251", charmap.Windows1251, strings.ToUpper(russian), false},
		{"koi8-r", charmap.KOI8R, strings.ToUpper(russian), false},
		{"shift_jis", japanese.ShiftJIS, japan, false},
		{"euc-jp", japanese.EUCJP, japan, false},
		{"gb18030", simplifiedchinese.GB18030, china, false},
		{"big5", traditionalchinese.Big5, taiwan, false},
		{"euc-kr", korean.EUCKR, korea, false},
		{"windows-1252", charmap.Windows1252, french, false},
		{"windows-1252", charmap.Windows1252, german, false},
		{"windows-1252", charmap.Windows1252, "Søren, Ångström; naïve — “yes”: 5 €", false},
	} {
		for _, frame := range []string{"%", "<html><body><p>%</p></body></html>", english + " % " + english} {
			text := strings.Replace(frame, "%", c.text, 1)
			got, charset := dom.Decode([]byte(encode(t, c.e, text)), "")
			if charset != c.charset || got != text {
				t.Errorf("%s: guessed %s, text %.80q", c.charset, charset, got)
			}
			got, charset = dom.Decode([]byte(encode(t, c.e, text)), "text/html; charset=utf-8")
			if charset != c.charset || got != text {
				t.Errorf("%s under a utf-8 label: guessed %s, text %.80q", c.charset, charset, got)
			}
		}
	}
}

// TestGuessByLanguage detects texts that are too short for a rating by their
// language.
func TestGuessByLanguage(t *testing.T) {
	for _, c := range []struct {
		charset, lang string
		e             encoding.Encoding
		word          string
	}{
		{"windows-1251", "ru", charmap.Windows1251, "да"},
		{"koi8-r", "ru", charmap.KOI8R, "привет"},
		{"gb18030", "zh-CN", simplifiedchinese.GB18030, "中文"},
		{"euc-kr", "ko", korean.EUCKR, "한국"},
		{"shift_jis", "ja", japanese.ShiftJIS, "日本の"},
		{"windows-1252", "fr", charmap.Windows1252, "été"},
	} {
		body := encode(t, c.e, `<html lang="`+c.lang+`"><p>`+c.word)
		if text, charset := dom.Decode([]byte(body), ""); charset != c.charset {
			t.Errorf("%s %q: guessed %s, text %q", c.charset, c.word, charset, text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("caf\xC3\xA9"), "text/html; charset=utf-8")
	f.Add([]byte("\xFF\xFEa\x00"), "")
	f.Add([]byte("<?xml encoding='koi8-r'?>\xD0"), "application/xhtml+xml")
	f.Add([]byte("<meta http-equiv=content-type content='charset = \"shift_jis'>\x82\xA0"), ";charset")
	f.Add([]byte("\x1B$B8c\x1B(B"), "")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, charset := dom.Decode(body, contentType)
		if !utf8.ValidString(text) {
			t.Errorf("%s text is no UTF-8: %q", charset, text)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && !strings.ContainsRune("\t\n\f\r", r) }); i >= 0 {
			t.Errorf("%s text has a control at %d: %q", charset, i, text)
		}
		if len(text) > 4*len(body)+8 {
			t.Errorf("%d bytes became %d", len(body), len(text))
		}
		if charset == "" {
			t.Error("no name of the encoding")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"ascii", strings.Repeat("<p>"+english, 4000)},
		{"utf-8", strings.Repeat("<p>"+russian, 800)},
		{"windows-1251", encode(b, charmap.Windows1251, strings.Repeat("<p>"+russian, 1500))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			body := []byte(c.body)
			for b.Loop() {
				dom.Decode(body, "")
			}
		})
	}
}

// TestDoubts counts what is not certain of an encoding.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		what, in, contentType string
		charset               string
		guessed, wrong        int
	}{
		{"UTF-8", "größer", "", "utf-8", 0, 0},
		{"ASCII", "plain", "", "windows-1252", 0, 0},
		{"a replacement character of the source", "gr\uFFFD\xFFer größer größer", "text/plain; charset=utf-8", "utf-8", 0, 1},
		{"UTF-8 with a wrong byte", "caf\u00E9 größer \xFF", "", "utf-8", 0, 1},
		{"UTF-8 that ends within a character", "größer \xC3", "text/plain; charset=utf-8", "utf-8", 0, 1},
		{"UTF-16 with a mark", "\xFF\xFEa\x00b\x00", "", "utf-16le", 0, 0},
		{"declared", "caf\xE9", "text/plain; charset=iso-8859-1", "windows-1252", 0, 0},
		{"guessed", "caf\xE9 na\xEFve", "", "windows-1252", 2, 0},
		{"a wrong declaration", "caf\xE9 na\xEFve", "text/plain; charset=utf-8", "windows-1252", 2, 0},
		{"controls", "some\x00 plain\x01 text\tof words", "", "windows-1252", 0, 2},
		{"a wrong pair", "\x82\xA0\x82\xFF\x82\xA0", "text/plain; charset=shift_jis", "shift_jis", 0, 1},
	} {
		d := dom.Read([]byte(c.in), c.contentType)
		if d.Charset != c.charset || d.Lost[dom.Guessed] != c.guessed || d.Lost[dom.Wrong] != c.wrong {
			t.Errorf("%s: %s, guessed %d, wrong %d, want %s, %d, %d", c.what, d.Charset, d.Lost[dom.Guessed], d.Lost[dom.Wrong], c.charset, c.guessed, c.wrong)
		}
	}
}
