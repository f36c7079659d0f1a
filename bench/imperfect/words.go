// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"
)

// A tongue has the words of which texts are made.
type tongue struct {
	lang, dir string
	words     []string
	names     []string
	stop      string
}

var tongues = map[string]tongue{
	"en": {
		"en", "ltr",
		strings.Fields(`the a old river council keeper with quiet garden winter harbor after morning letters about seven lamps across northern valley of painted boats before early market under careful repair from
engine notes between distant islands while heavy rain over copper roof because teachers found small maps inside wooden boxes near station where visitors often wait for slow trains toward coast and bring bread cheese
or wool to friends who build bridges during summer without hurry until evening when children return along stone paths behind tall grass by gentle hills`),
		strings.Fields("Amelia Baker Clara Dalton Edith Foster Grace Harper Irene Jordan Laura Mason Nora Porter Ruth Sawyer"), ".",
	},
	"he": {
		"he", "rtl",
		strings.Fields("הנהר הישן של העיר זורם ליד גינה שקטה אחרי הבוקר כאשר הילדים חוזרים מן השוק עם לחם וגבינה אל בית המורה ליד תחנת הרכבת הקטנה בחורף קר ללא רוח עד הערב בין גבעות ירוקות מעל הגשר החדש"),
		strings.Fields("נועה לוי דניאל כהן מיכל פרץ"), ".",
	},
	"de": {
		"de", "ltr",
		strings.Fields(`der alte Fluss hinter dem Garten fließt langsam über grüne Wiesen während Kinder am Morgen Bücher zur Schule tragen und müde Händler auf dem Markt Käse Äpfel sowie Wolle an Gäste verkaufen bis der Regen
gegen Abend früh über die Dächer zieht wo größere Lampen für Züge nördlich des Hafens leuchten`),
		strings.Fields("Anna Becker Jörg Möller Petra Krüger"), ".",
	},
}

// A source makes texts that occur only once.
type source struct {
	*rand.Rand
	tongue
	said map[string]bool
}

func newSource(seed, n uint64, lang string) *source {
	return &source{rand.New(rand.NewPCG(seed, n)), tongues[lang], map[string]bool{}} // #nosec G404 -- repeatable
}

// phrase returns so many words that were not said before.
func (s *source) phrase(least, most int) string {
	for {
		n := least + s.IntN(most-least+1)
		all := make([]string, n)
		for i := range all {
			all[i] = s.words[s.IntN(len(s.words))]
		}
		text := []rune(strings.Join(all, " "))
		text[0] = unicode.ToUpper(text[0])
		if said := string(text); !s.said[said] {
			s.said[said] = true
			return said
		}
	}
}

func (s *source) title() string { return s.phrase(4, 7) }

func (s *source) sentence() string { return s.phrase(9, 20) + s.stop }

// text returns some sentences.
func (s *source) text(least, most int) string {
	all := make([]string, least+s.IntN(most-least+1))
	for i := range all {
		all[i] = s.sentence()
	}
	return strings.Join(all, " ")
}

func (s *source) name() string {
	i := 2 * s.IntN(len(s.names)/2)
	return s.names[i] + " " + s.names[i+1]
}

// price returns a price that no other record of the page has.
func (s *source) price() string {
	for {
		if p := fmt.Sprintf("%s%d.%02d", pick(s, "$", "€", "£"), 3+s.IntN(900), s.IntN(100)); !s.said[p] {
			s.said[p] = true
			return p
		}
	}
}

func (s *source) day() time.Time {
	for {
		t := time.Date(2019+s.IntN(6), time.Month(1+s.IntN(12)), 1+s.IntN(28), 9, 0, 0, 0, time.UTC)
		if d := t.Format(time.DateOnly); !s.said[d] {
			s.said[d] = true
			return t
		}
	}
}

func pick[T any](s *source, of ...T) T { return of[s.IntN(len(of))] }

// plain returns the letters and digits of a text, in lower case, with one space between words.
func plain(s string) string {
	s = strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "").Replace(s)
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ") + " "
}
