// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/xuri/excelize/v2"
)

var workbooks = []workbook{
	{"numbers", func(f *excelize.File) error {
		return formatted(f, numberFormats, 0, 1, -1, 0.5, 1.005, -0.25, 12, 1234.5678, -1234.5, 0.000012345, 123456789012, 1e15, 5901234123457, 1e21, 3.0/7)
	}},
	{"builtin", func(f *excelize.File) error {
		var formats []any
		for id := range 50 {
			if id < 5 || id > 8 && id < 23 || id > 36 {
				formats = append(formats, id)
			}
		}
		return formatted(f, formats, 0, 1, -1, 0.125, 1234.5678, -1234.5678, 45000.5, 123456789012)
	}},
	{"dates", func(f *excelize.File) error {
		return formatted(f, dateFormats, 0, 0.25, 1, 59, 60, 61, 1.5, 45000, 45000.5, 44561.999988426, 2958465)
	}},
	{"dates1904", func(f *excelize.File) error {
		if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: new(true)}); err != nil {
			return err
		}
		return formatted(f, dateFormats, 0, 0.25, 1, 60, 43538, 43538.75)
	}},
	{"locales", func(f *excelize.File) error {
		return formatted(f, localeFormats, 0, 1, -1, 0.0625, 2.5, -1234.5, 1234567.891, 12345678901, 45000.75, "text")
	}},
	{"texts", texts},
	{"layout", layout},
	{"sparse", func(f *excelize.File) error {
		for i := range 40 {
			if err := set(f, 1+i*7%23, 1+i*i*31, fmt.Sprintf("cell %d", i)); err != nil {
				return err
			}
		}
		return set(f, 200, 100_000, "far")
	}},
}

var numberFormats = []any{
	"General", "0", "0.00", "#,##0", "#,##0.00", "#,##0.00;[Red]-#,##0.00", "0%", "0.00%", "0.00E+00", "##0.0E+0", "0E-0", "# ?/?", "# ??/??", "?/8", "# ??/16", "#.##",
	"00000", "000-00-0000", "#,##0,", "0.0,,\" M\"", "$#,##0.00", "[$€-407] #,##0.00", "#,##0.00 [$€-407]", "[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00",
	"_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", "#,##0_);(#,##0)", "[>100]\"big\" 0;[<0]\"neg\" 0;\"small\" 0.0", "[=1]\"one\";[=0]\"none\";General",
	"\"n: \"General", "0.0\\x", "0;;;@", ";;;", "0\" units\"", "[Blue]0.0;[Color10]-0.0", "@", "0.0_-", "?.???", "0.???", "[DBNum1]0", "#", "###0.0##", "+0;-0;0", "(###) ###-####",
	"0.00;\"minus\" 0.00;\"zero\"", "General;-General;\"-\"", "0.00\" €\"", "#,##0.00\\ \"zł\"", "[$-419]#,##0.00", "0.00°", "[<1]0.00%;0.0%",
}

var dateFormats = []any{
	"yyyy-mm-dd", "m/d/yyyy", "dd.mm.yy", "d-mmm-yy", "mmmm d, yyyy", "dddd", "ddd", "mmm", "mmmmm", "yy", "yyyy", "h:mm", "hh:mm:ss", "h:mm AM/PM", "h AM/PM", "mm:ss", "mm:ss.0", "[h]:mm", "[h]:mm:ss", "[mm]:ss",
	"[ss]", "yyyy-mm-dd hh:mm", "m/d/yy h:mm", "[$-409]d-mmm-yyyy;@", "[$-407]mmmm yyyy", "[$-40C]dddd d mmmm yyyy", "[$-F800]dddd, mmmm dd, yyyy", "[$-F400]h:mm:ss AM/PM", "yyyy\"年\"m\"月\"d\"日\"", "hh\"h\"mm", "s.00", "[h]\"h\" mm\"m\"", "q",
	"ddmmyyyy", "d/m", "mmm-yy", "a/p h", "hh:mm:ss.000", "\"Week of\" mmm d", "[Red]dd/mm/yyyy", "yyyy/mm/dd;@", "dd\\.mm\\.yyyy", "m\\-d",
}

// localeFormats have languages, currencies, conditions and text sections.
var localeFormats = []any{
	"[$£-809]#,##0.00", "[$¥-411]#,##0", "[$₹-4009] #,##0.00", "_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-;_-* \"-\"??\\ [$€-407]_-;_-@_-", "[$USD] #,##0.00", "[$CHF-807] #,##0.00", "#,##0.00 [$kr-41D]", "[$R$-416] #,##0.00;[Red]-[$R$-416] #,##0.00",
	"[$-409]mmmm d, yyyy h:mm AM/PM", "[$-40A]dddd, d\" de \"mmmm", "[$-410]d mmmm", "[$-415]d mmm yy", "[$-419]d mmmm", "[$-411]m\"月\"d\"日\"", "[$-816]d \"de\" mmmm", "[$-413]dddd d mmm", "[$-41F]d mmmm dddd", "[$-405]d. mmmm",
	"[>=1000000]0.0,,\"M\";[>=1000]0.0,\"K\";0", "[<0]\"less\";[>1000]\"more\" 0;0.0", "[Red][<1]0.00;[Blue][>=1]0", "0.00E+000", "00.0E+0", "#,##0.0#", "# ??/100", "# ???/???", "# ?/2", "??/??", "0 0/0", "0.0%;[Red]\\(0.0%\\)", "0.00,", "0,,,",
	"@\" text\"", "\"a\"0;\"b\"0;\"c\"0;\"d \"@", "0;0;0", "\"only\"", "0\\ \"%\"", "\\#0", "General\" kg\"", "General;[Red]General", "[h]:mm:ss.00", "[mm]", "[h]", "d\"d\" h\"h\"", "mm\\/dd", "hh:mm:ss AM/PM", "yy-mm-dd hh:mm", "#,##0 ;(#,##0)", "#,##0.00_);[Red](#,##0.00)", "0#\\-##\\-##", "0.0E+0;-0.0E+0;\"nil\"", "???0", "0.0?", "$ 0", "€0.00", "0 \"items\";;\"no items\"",
}

// formatted writes a row for each format, with its values. A format is a code or
// the number of a built-in one.
func formatted(f *excelize.File, formats []any, values ...any) error {
	for i, format := range formats {
		style := excelize.Style{}
		switch v := format.(type) {
		case int:
			style.NumFmt = v
		case string:
			style.CustomNumFmt = &v
		}
		id, err := f.NewStyle(&style)
		if err != nil {
			return fmt.Errorf("format %v: %w", format, err)
		}
		if err := set(f, 1, i+1, fmt.Sprintf("format %v", format)); err != nil {
			return err
		}
		for k, v := range values {
			if err := set(f, k+2, i+1, v); err != nil {
				return err
			}
			name, _ := excelize.CoordinatesToCellName(k+2, i+1)
			if err := f.SetCellStyle("Sheet1", name, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func set(f *excelize.File, column, row int, value any) error {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return err
	}
	return f.SetCellValue("Sheet1", name, value)
}

// texts writes values of all types.
func texts(f *excelize.File) error {
	for i, row := range [][]any{
		{"kind", "a", "b", "c"},
		{"booleans", true, false, "TRUE"},
		{"zeros", "007", "0012", "+49 30 1234"},
		{"numbers as text", "1,234.5", "1e5", "12/31/2020"},
		{"spaces", " leading", "trailing ", "in  side"},
		{"lines", "one\ntwo", "tab\tbed", "three\n\nfour"},
		{"marks", "<b>&amp;</b>", "\"quoted\"", "semi;colon,comma"},
		{"unicode", "Ünïcödé", "日本語", "עברית"},
		{"long", 123456789012345.0, "x_x000D_y", "=not a formula"},
	} {
		for k, v := range row {
			if err := set(f, k+1, i+1, v); err != nil {
				return err
			}
		}
	}
	for i, formula := range []string{`1/0`, `NA()`, `"text"&"ual"`, `TRUE`, `DATE(2020,1,2)`, `VALUE("x")`, `SUM(1,2)`, `""`} {
		if err := set(f, 1, 20+i, "formula "+formula); err != nil {
			return err
		}
		name, _ := excelize.CoordinatesToCellName(2, 20+i)
		if err := f.SetCellFormula("Sheet1", name, formula); err != nil {
			return err
		}
	}
	return f.SetCellRichText("Sheet1", "B30", []excelize.RichTextRun{{Text: "rich "}, {Text: "bold", Font: &excelize.Font{Bold: true}}, {Text: " end"}})
}

// layout writes tables with merges, gaps, titles, and what is hidden.
func layout(f *excelize.File) error {
	put := func(column, row int, values ...any) error {
		for i, v := range values {
			if err := set(f, column+i, row, v); err != nil {
				return err
			}
		}
		return nil
	}
	steps := []error{
		put(1, 1, "Title of the sheet"), f.MergeCell("Sheet1", "A1", "E1"),
		put(1, 3, "name", "qty", "price", "sum", "note"),
		put(1, 4, "apple", 1, 2.5, 2.5, "x"), put(1, 5, "pear", 2, 3, 6), put(1, 6, "plum"), put(1, 8, "after a gap", 3),
		put(1, 9, "tall", "right of it"), put(2, 10, "also right"), f.MergeCell("Sheet1", "A9", "A11"),
		put(1, 14, "second table", "v"), put(1, 15, "k", 1), put(1, 16, "l", 2),
		put(8, 3, "beside", "far"), put(8, 4, "b1", 11), put(8, 5, "b2", 12),
		put(1, 20, "total", nil, nil, 8.5), put(2, 22, "indented", "cells"), put(1, 30, "a lonely cell"),
		put(1, 33, "h1", "h2", "h3"), put(1, 34, "v1", "v2", "v3"), f.MergeCell("Sheet1", "B33", "C33"),
		put(1, 40, "Group A", "", "Group B"), f.MergeCell("Sheet1", "A40", "B40"), put(1, 41, "p", "q", "r"), put(1, 42, 1, 2, 3), put(1, 43, 4, 5, 6),
	}
	for _, err := range steps {
		if err != nil {
			return err
		}
	}
	return nil
}
