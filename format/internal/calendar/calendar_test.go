// SPDX-License-Identifier: Apache-2.0

package calendar_test

import (
	"strings"
	"testing"

	"example.com/curlew/format/internal/calendar"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]calendar.Date{
		"2 January 2006":              {Day: "2006-01-02"},
		"January 2nd, 2006":           {Day: "2006-01-02"},
		"Mon, 02 Jan 2006 15:04":      {Day: "2006-01-02"},
		"2006-01-02T15:04:05Z":        {Day: "2006-01-02"},
		"2006/1/2":                    {Day: "2006-01-02"},
		"2006年1月2日":                   {Day: "2006-01-02"},
		"2006. 1. 2.":                 {Day: "2006-01-02"},
		"2006년 1월 2일":                 {Day: "2006-01-02"},
		"2006. január 2.":             {Day: "2006-01-02"},
		"2006 m. sausio 2 d.":         {Day: "2006-01-02"},
		"ngày 2 tháng 1 năm 2006":     {Day: "2006-01-02"},
		"2 de enero de 2006":          {Day: "2006-01-02"},
		"2 ene. 2006":                 {Day: "2006-01-02"},
		"2 janv. 2006":                {Day: "2006-01-02"},
		"2 de gener del 2006":         {Day: "2006-01-02"},
		"2. tammikuuta 2006":          {Day: "2006-01-02"},
		"2 Ιανουαρίου 2006":           {Day: "2006-01-02"},
		"2 يناير 2006":                {Day: "2006-01-02"},
		"2 בינואר 2006":               {Day: "2006-01-02"},
		"2 फ़रवरी 2006":               {Day: "2006-02-02"},
		"2 ianuarie 2006":             {Day: "2006-01-02"},
		"2 januari 2006":              {Day: "2006-01-02"},
		"2. siječnja 2006.":           {Day: "2006-01-02"},
		"2. listopada 2006.":          {Day: "2006-10-02"},
		"2 listopada 2006":            {Day: "2006-11-02"},
		"© 2020 Jan 2, 2006":          {Day: "2006-01-02"},
		"02.01.2006":                  {Day: "2006-01-02", MonthFirst: "2006-02-01"},
		"24.01.2006":                  {Day: "2006-01-24"},
		"24. 1. 2006":                 {Day: "2006-01-24"},
		"02/01/2006":                  {Day: "2006-02-01", Swapped: "2006-01-02"},
		"24/01/2006":                  {Day: "2006-01-24", Order: calendar.DayFirst},
		"01-24-2006":                  {Day: "2006-01-24", Order: calendar.MonthFirst},
		"02/01/2006, 2 February 2006": {Day: "2006-02-02"},
		"9-23 February 2006":          {}, // an event
		"9.–23. Februar 2006":         {},
		"February 2006":               {},
		"version 2006.1.2":            {},
		"30 February 2006":            {},
		"2 Smarch 2006":               {},
		"2 an 2006":                   {},
		"2 January 1066":              {},
		"":                            {},
	} {
		if got := calendar.Find(text); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// Each name of a month belongs to one month, but for names that languages give to different ones.
func TestMonth(t *testing.T) {
	for word, want := range map[string]int{"May": 5, "MAI": 5, "mart": 3, "marts": 3, "декабря": 12, "jan": 1, "ja": 0, "january febru": 0, "": 0, "uar": 0, "t": 0, "ledna muar": 0} {
		if got := calendar.Month(word); got != want {
			t.Errorf("%q: got %d, want %d", word, got, want)
		}
	}
}

func TestIsBefore(t *testing.T) {
	for _, test := range []struct {
		day, at string
		want    bool
	}{
		{"2006-01-02", "2006-01-03T11:59:59Z", false}, // the day may last until then in the last time zone
		{"2006-01-02", "2006-01-03T12:00:00Z", true},
		{"2006-01-02", "2006-01-03T12:00:00+01:00", false},
		{"2006-01-02", "2006-01-03", false},
		{"2006-01-02", "2006-01-04", true},
		{"2006-01-02", "2006-01-04 01:00", true},
		{"2006-01-02", "2006-01-01", false},
		{"", "2006-01-02", false},
		{"2006-01-02", "", false},
		{"2006-01-02", "soon", false},
	} {
		if got := calendar.IsBefore(test.day, test.at); got != test.want {
			t.Errorf("%s, %s: got %v", test.day, test.at, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"2 January 2006", "02/01/2006", "2006. 1. 2.", "2006年1月2日", "9-23 Feb 2006", strings.Repeat("2006 ", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := calendar.Find(s)
		for _, day := range []string{d.Day, d.Swapped, d.MonthFirst} {
			if day != "" && calendar.OfTime(day) != day {
				t.Errorf("%q: %+v", s, d)
			}
		}
		if day := calendar.InPath("https://a.example/" + s); day != "" && calendar.OfTime(day) != day {
			t.Errorf("path %q: %q", s, day)
		}
	})
}
