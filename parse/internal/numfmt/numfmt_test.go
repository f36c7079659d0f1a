// SPDX-License-Identifier: Apache-2.0

package numfmt_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/numfmt"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestNumber compares formatted numbers with the output of Excel.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"", 0, "0"},
		{"General", 1234567, "1234567"},
		{"General", 3.14159265358979, "3.14159265358979"},
		{"General", 0.1 + 0.2, "0.3"},
		{"General", -12.5, "-12.5"},
		{"General", 12345678901, "12345678901"},
		{"General", 123456789012, "123456789012"},
		{"General", 5901234123457, "5901234123457"},
		{"General", -5901234123457, "-5901234123457"},
		{"General", 999999999999999, "999999999999999"},
		{"General", 1234567890123456, "1234567890123456"},
		{"General", 123456789012345678901, "123456789012345680000"},
		{"General", 999999999999999999999, "1E+21"},
		{"General", 1e20, "100000000000000000000"},
		{"General", 1e21, "1E+21"},
		{"General", 1.25e21, "1.25E+21"},
		{"General", -1e300, "-1E+300"},
		{"General", 1234567.891234, "1234567.891234"},
		{"General", 1.0 / 3, "0.333333333333333"},
		{"General", 1e-7, "0.0000001"},
		{"General", 0.000000123456789, "0.000000123456789"},
		{"General", 9.9e-8, "9.9E-08"},
		{"General", -9.99999999999999999e-8, "-0.0000001"},
		{"General", 1e-10, "1E-10"},
		{"General", 0.000012345, "0.000012345"},
		{"General", 99999999999.9, "99999999999.9"},
		{`General" kg"`, 2.5, "2.5 kg"},
		{"0", 2.5, "3"},
		{"0", -2.5, "-3"},
		{"0", -0.4, "0"},
		{"0.00", 1.005, "1.01"},
		{"0.00", 1234.5, "1234.50"},
		{"0.00", 999.999, "1000.00"},
		{"#,##0", 1234567.5, "1,234,568"},
		{"#,##0", 0, "0"},
		{"#,##0", 999, "999"},
		{"#,##0.00", -1234.5, "-1,234.50"},
		{"#,###", 0, ""},
		{"#.##", 0.5, ".5"},
		{"0.##", 1.5, "1.5"},
		{"0.##", 1, "1."},
		{"0.?", 1, "1."},
		{"00000", 123, "00123"},
		{"000-00-0000", 123456789, "123-45-6789"},
		{"(000) 000-0000", 5551234567, "(555) 123-4567"},
		{"0,", 12345, "12"},
		{"0.0,,\"M\"", 12345678, "12.3M"},
		{"#,##0,", 12345678, "12,346"},
		{"0%", 0.256, "26%"},
		{"0.00%", 0.12345, "12.35%"},
		{"0.00E+00", 12345, "1.23E+04"},
		{"0.00E+00", 0.00012345, "1.23E-04"},
		{"0.00E-00", 12345, "1.23E04"},
		{"0.0E+0", 99.99, "1.0E+2"},
		{"##0.0E+0", 12345, "12.3E+3"},
		{"##0.0E+0", 999999, "1.0E+6"},
		{"0.00E+00", 0, "0.00E+00"},
		{"# ?/?", 1.5, "1 1/2"},
		{"# ?/?", 0.25, "1/4"},
		{"# ??/??", 3.14159, "3 14/99"},
		{"# ?/8", 2.375, "2 3/8"},
		{"# ?/?", 2, "2"},
		{"# ?/?", 0, "0"},
		{"?/?", 1.5, "3/2"},
		{"# ?/?", 0.999, "1"},
		{"#,##0_);(#,##0)", -1234, "(1,234)"},
		{"#,##0_);(#,##0)", 1234, "1,234"},
		{`_(* #,##0.00_);_(* \(#,##0.00\);_(* "-"??_);_(@_)`, 0, "-"},
		{`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`, 1234.5, "$1,234.50"},
		{"[Red]0;[Blue]-0;[Green]\"zero\"", 0, "zero"},
		{"[Red]0;[Blue]-0;[Green]\"zero\"", -5, "-5"},
		{"[<100]\"low\";[<200]\"mid\";\"high\"", 50, "low"},
		{"[<100]\"low\";[<200]\"mid\";\"high\"", 150, "mid"},
		{"[<100]\"low\";[<200]\"mid\";\"high\"", 250, "high"},
		{"[>=1000]#,##0;0", 12345, "12,345"},
		{"[>=1000]#,##0;0", 5, "5"},
		{"[$€-407] #,##0.00", 1234.5, "€ 1,234.50"},
		{"#,##0.00 [$kr-41D]", 10, "10.00 kr"},
		{`"a;b"0`, 1, "a;b1"},
		{`\x0`, 1, "x1"},
		{"@", 1.5, "1.5"},
		{";;;", 5, ""},
		{"0;;", -5, ""},
		{"#", 0.2, ""},
		{"#", -0.2, ""},
		{"#.##", -0.001, "."},
		{"\"none\"", -5, "-none"},
		{"0 \"items\"", 3, "3 items"},
		{"0", math.NaN(), "#NUM!"},
		{"%", 1e308, "%"},
		{"0", 1e20, "100000000000000000000"},
		{"0.0", 123456789012345678, "123456789012345680.0"},
	} {
		if got := numfmt.Parse(c.code).Number(c.v, false); got != c.want {
			t.Errorf("Parse(%q).Number(%v) = %q, want %q", c.code, c.v, got, c.want)
		}
	}
}

func TestDate(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"m/d/yyyy", 1, "1900-01-01"},
		{"m/d/yyyy", 59, "1900-02-28"},
		{"m/d/yyyy", 60, "1900-02-29"},
		{"m/d/yyyy", 61, "1900-03-01"},
		{"m/d/yyyy", 45000, "2023-03-15"},
		{"yyyy-mm-dd", 45000.99, "2023-03-15"},
		{"d-mmm-yy", 45000, "2023-03-15"},
		{"[$-F800]dddd, mmmm dd, yyyy", 45000, "2023-03-15"},
		{`yyyy"年"m"月"d"日"`, 45000, "2023-03-15"},
		{"m/d/yyyy h:mm", 45000.5, "2023-03-15 12:00"},
		{"yyyy-mm-dd hh:mm:ss", 45000.999988425926, "2023-03-15 23:59:59"},
		{"yyyy-mm-dd hh:mm:ss.000", 45000.5000058, "2023-03-15 12:00:00.501"},
		{"yyyy-mm-dd hh:mm:ss", 45000.9999999, "2023-03-16 00:00:00"},
		{"m/d/yyyy", 2958465, "9999-12-31"},
		{"m/d/yyyy", 2958466, "2958466"},
		{"m/d/yyyy", -1, "-1"},
		{"mmm-yy", 45000, "Mar-23"},
		{"d-mmm", 45000, "15-Mar"},
		{"mmmm", 45000, "March"},
		{"mmmmm", 45000, "M"},
		{"dddd", 45000, "Wednesday"},
		{"ddd", 45000, "Wed"},
		{"yyyy", 45000, "2023"},
		{"h:mm AM/PM", 0.75, "6:00 PM"},
		{"h:mm AM/PM", 0.01, "12:14 AM"},
		{"h:mm:ss", 0.5, "12:00:00"},
		{"hh:mm", 0.0625, "01:30"},
		{"mm:ss", 0.0625, "30:00"},
		{"mm:ss.0", 0.00001, "00:00.9"},
		{"[h]:mm:ss", 1.5, "36:00:00"},
		{"[mm]:ss", 0.5, "720:00"},
		{"[s]", 0.5, "43200"},
		{"h A/P", 0.75, "6 P"},
	} {
		f := numfmt.Parse(c.code)
		if got := f.Number(c.v, false); got != c.want {
			t.Errorf("Parse(%q).Number(%v) = %q, want %q", c.code, c.v, got, c.want)
		}
		if !f.IsDate() {
			t.Errorf("%q is no date", c.code)
		}
	}
	for v, want := range map[float64]string{0: "1904-01-01", 1: "1904-01-02", 43538: "2023-03-15"} {
		if got := numfmt.Parse("m/d/yyyy").Number(v, true); got != want {
			t.Errorf("1904: %v is %q, want %q", v, got, want)
		}
	}
	for _, code := range []string{"0", "General", "#,##0", `"d"0`, "[Red]0", "@", `0\d`} {
		if numfmt.Parse(code).IsDate() {
			t.Errorf("%q is a date", code)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ code, text, want string }{
		{"General", "x", "x"},
		{"0;-0;0;General", "x", "x"},
		{`0;-0;0;General" m"`, "x", "x m"},
		{"@", "x", "x"},
		{`"<"@">"`, "x", "<x>"},
		{`0;0;0;@" !"`, "x", "x !"},
		{";;;", "x", ""},
		{`0;0;0;"no text"`, "x", "no text"},
	} {
		if got := numfmt.Parse(c.code).Text(c.text); got != c.want {
			t.Errorf("Parse(%q).Text(%q) = %q, want %q", c.code, c.text, got, c.want)
		}
	}
}

// TestLanguages formats months and days in the language of the code's
// locale.
func TestLanguages(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"[$-407]mmmm yyyy", "März 2023"},
		{"[$-C07]mmm yy", "Mär 23"},
		{"[$-de-DE]dddd", "Mittwoch"},
		{"[$-40C]d mmmm", "15 mars"},
		{"[$-C0A]dddd", "miércoles"},
		{"[$-416]mmmmm", "m"},
		{"[$-411]mmmm", "3月"},
		{"[$-419]mmmm yyyy", "март 2023"},
		{"[$-409]mmmm yyyy", "March 2023"},
		{"[$-F800]dddd", "Wednesday"},
		{"[$-zz]ddd", "Wed"},
		{"[$-407]d. mmmm yyyy", "2023-03-15"},
		{"[$€-407] 0.00", "€ 45000.00"},
	} {
		if got := numfmt.Parse(c.code).Number(45000, false); got != c.want {
			t.Errorf("Parse(%q).Number(45000) = %q, want %q", c.code, got, c.want)
		}
	}
	for _, code := range []string{"407", "40C", "C0A", "410", "416", "413", "415", "41D", "406", "414", "40B", "405", "40E", "41F", "419", "411", "804", "412", "408", "422", "418", "41B"} {
		for _, form := range []string{"mmmm", "mmm", "dddd", "ddd"} {
			shown, days := map[string]bool{}, 7
			if form[0] == 'm' {
				days = 360
			}
			for day := range days {
				shown[numfmt.Parse("[$-"+code+"]"+form).Number(float64(44927+day), false)] = true
			}
			if want := map[int]int{7: 7, 360: 12}[days]; len(shown) < want-1 || shown[""] {
				t.Errorf("%s in %s: %d names", form, code, len(shown))
			}
		}
	}
}

// TestNegative1904 formats negative times, which only the 1904 system shows.
func TestNegative1904(t *testing.T) {
	for _, c := range []struct {
		code       string
		system1904 bool
		want       string
	}{
		{"h:mm", true, "-6:00"},
		{"[h]:mm:ss", true, "-30:00:00"},
		{"[h]:mm:ss", false, "-1.25"},
		{"m/d/yyyy", true, "-1.25"},
	} {
		if got := numfmt.Parse(c.code).Number(-1.25, c.system1904); got != c.want {
			t.Errorf("Parse(%q).Number(-1.25, %t) = %q, want %q", c.code, c.system1904, got, c.want)
		}
	}
}

// TestSerial checks that Serial is the inverse of formatting a date.
func TestSerial(t *testing.T) {
	days := []float64{2_957_003} // the last day of both systems
	for day := 1.0; day < 50_000; day++ {
		if day != 60 { // 1900-02-29 did not exist
			days = append(days, day)
		}
	}
	for _, day := range days {
		for _, system1904 := range []bool{false, true} {
			shown := numfmt.Parse("yyyy-mm-dd").Number(day, system1904)
			at, err := time.Parse(time.DateOnly, shown)
			if err != nil {
				t.Fatal(err)
			}
			if got := numfmt.Serial(at, system1904); got != day {
				t.Fatalf("Serial(%s, %t) = %v, want %v", shown, system1904, got, day)
			}
		}
	}
}

// TestBuiltin parses all built-in codes.
func TestBuiltin(t *testing.T) {
	dates := 0
	for id := range 100 {
		if numfmt.Parse(numfmt.Builtin(id)).IsDate() {
			dates++
		}
	}
	if dates != 12+19 {
		t.Errorf("%d of the numbered formats are dates", dates)
	}
	if !numfmt.Parse("").IsGeneral() || numfmt.Parse("0").IsGeneral() {
		t.Error("General is not told from others")
	}
}

func FuzzFormat(f *testing.F) {
	for _, code := range []string{"", "#,##0.00", "# ?/8", "##0.0E+0", "[h]:mm:ss.00", "yyyy-mm-dd", `[$€-1]"a"\b_)*x0`, "[<1]0;@", "0.0,,", "/", "E+", ".", "[", "?/0"} {
		f.Add(code, 1234.567)
		f.Add(code, -0.5)
	}
	f.Fuzz(func(t *testing.T, code string, v float64) {
		form := numfmt.Parse(code)
		got := form.Number(v, false)
		if utf8.ValidString(code) && !utf8.ValidString(got) {
			t.Errorf("%q shows %v as %q", code, v, got)
		}
		if len(got) > 2000+2*len(code)+400 {
			t.Errorf("%q shows %v in %d bytes", code, v, len(got))
		}
		if strings.TrimSpace(got) == "" {
			_ = form.Text("x")
		}
	})
}

func BenchmarkNumber(b *testing.B) {
	form := numfmt.Parse("#,##0.00")
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = form.Append(dst[:0], 1234567.891, false)
	}
}
