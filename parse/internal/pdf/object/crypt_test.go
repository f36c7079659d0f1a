// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/internal/test/golden"
)

const testID = "0123456789abcdef"

// locked returns a file of one page with the content "secret". It is
// encrypted as described by a handler of the given revision. direct puts the
// encryption dictionary into the trailer.
func locked(t *testing.T, revision int, user string, direct bool) []byte {
	t.Helper()
	h := handler{revision: revision, size: 16, o: bytes.Repeat([]byte("o"), 32), id: []byte(testID), metadata: true, permissions: 0xfffffffc}
	var key []byte
	var entries string
	m := rc4Method
	switch revision {
	case 2, 3, 4:
		if revision == 2 {
			h.size = 5
		}
		key = h.keyOf([]byte(user))
		h.u = append(h.checkOf(key), make([]byte, 16)...)
		entries = fmt.Sprintf("/V %d /Length %d", map[int]int{2: 1, 3: 2, 4: 4}[revision], 8*h.size)
		if revision == 4 {
			m = aes128
			entries += " /CF <</StdCF <</CFM /AESV2 /Length 16>>>> /StmF /StdCF /StrF /StdCF"
		}
	default:
		m = aes256
		key = []byte("a key of thirty-two bytes, really")[:32]
		salts := "validatekey_salt"
		h.u = append(h.hash([]byte(user), []byte(salts[:8]), nil), salts...)
		block, err := aes.NewCipher(h.hash([]byte(user), []byte(salts[8:]), nil))
		if err != nil {
			t.Fatal(err)
		}
		h.ue = make([]byte, 32)
		cipher.NewCBCEncrypter(block, make([]byte, 16)).CryptBlocks(h.ue, key)
		h.o, h.oe = bytes.Repeat([]byte("o"), 48), bytes.Repeat([]byte("o"), 32)
		entries = fmt.Sprintf("/V 5 /Length 256 /OE <%x> /UE <%x> /CF <</StdCF <</CFM /AESV3>>>> /StmF /StdCF /StrF /StdCF", h.oe, h.ue)
	}
	c := crypt{key: key}
	content := encrypt(t, &c, m, 4, []byte("secret"))
	title := encrypt(t, &c, m, 5, []byte("Title"))
	dict := fmt.Sprintf("<</Filter /Standard /R %d /P -4 /O <%x> /U <%x> %s>>", revision, h.o, h.u, entries)
	object := "6 0 R"
	if direct {
		object = dict
	}
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Count 1 /Kids [3 0 R]>> endobj\n"+
		"3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R>> endobj\n4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n"+
		"5 0 obj <</Title <%x>>> endobj\n6 0 obj %s endobj\ntrailer <</Root 1 0 R /Info 5 0 R /ID [<%x> <00>] /Encrypt %s>>\nstartxref\n0\n%%%%EOF\n",
		len(content), content, title, dict, testID, object)
}

// encrypt is the inverse of decrypt.
func encrypt(t *testing.T, c *crypt, m method, num int, data []byte) []byte {
	t.Helper()
	if m == rc4Method {
		return c.decrypt(m, num, 0, data)
	}
	n := 16 - len(data)%16
	data = append(bytes.Clone(data), bytes.Repeat([]byte{byte(n)}, n)...)
	iv := []byte("sixteen bytes iv")
	block, err := aes.NewCipher(c.objectKey(m, num, 0))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, data)
	return append(iv, out...)
}

func TestCrypt(t *testing.T) {
	for _, revision := range []int{2, 3, 4, 5, 6} {
		for _, direct := range []bool{false, true} {
			for _, user := range []string{"", "user"} {
				t.Run(fmt.Sprint(revision, direct, user), func(t *testing.T) {
					data := locked(t, revision, user, direct)
					f, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{Password: user})
					if err != nil {
						t.Fatal(err)
					}
					pages, _ := f.Pages(0)
					got, err := f.Data(f.Stream(pages[0].Dict["Contents"]))
					if title := f.Text(f.Dict(f.Trailer()["Info"])["Title"]); err != nil || string(got) != "secret" || title != "Title" {
						t.Errorf("content %q, title %q, %v", got, title, err)
					}
					if user == "" {
						return
					}
					if _, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{Password: "other"}); !errors.Is(err, ErrEncrypted) {
						t.Errorf("by another password: %v", err)
					}
				})
			}
		}
	}
}

// TestCryptEncodings opens files whose producers encoded the password in PDFDocEncoding or
// in UTF-8. The reader may type a letter and its accent as two characters.
func TestCryptEncodings(t *testing.T) {
	for _, c := range []struct {
		revision    int
		user, typed string
		open        bool
	}{
		{revision: 2, user: "k\xe4se \xa0\x9e", typed: "käse €ž", open: true},
		{revision: 3, user: "k\xe4se", typed: "ka\u0308se", open: true},
		{revision: 4, user: "k\xe4se", typed: "käse", open: true},
		{revision: 4, user: "käse", typed: "käse", open: true},
		{revision: 6, user: "käse", typed: "ka\u0308se", open: true},
		{revision: 3, user: "k\xe4se", typed: "kase"},
		{revision: 3, user: "k\xe4se", typed: "käse日"},
	} {
		data := locked(t, c.revision, c.user, false)
		if _, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{Password: c.typed}); (err == nil) != c.open {
			t.Errorf("revision %d, %q opened by %q: %v", c.revision, c.user, c.typed, err)
		}
	}
}

func TestCryptDictionary(t *testing.T) {
	f := &File{}
	for what, c := range map[string]struct {
		d    Dict
		want error
	}{
		"nothing":       {Dict{}, ErrCorrupt},
		"other handler": {Dict{"Filter": Name("Adobe.PubSec")}, ErrEncrypted},
		"short":         {Dict{"R": 6, "O": String("x"), "U": String("y")}, ErrCorrupt},
		"revision 9":    {Dict{"R": 9, "O": String(strings.Repeat("o", 48)), "U": String(strings.Repeat("u", 48))}, ErrCorrupt},
		"huge length":   {Dict{"R": 3, "Length": 1 << 30, "O": String(strings.Repeat("o", 32)), "U": String(strings.Repeat("u", 32))}, ErrEncrypted},
		"no U":          {Dict{"R": 2, "O": String(strings.Repeat("o", 32)), "U": String(strings.Repeat("u", 11))}, ErrEncrypted},
	} {
		if _, err := newCrypt(f, c.d, nil, "x"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// TestCryptAgrees reads the encrypted files of the development data with
// this package and with pdfcpu.
func TestCryptAgrees(t *testing.T) {
	paths, _ := filepath.Glob(golden.Root("../shared/corpora/pdf-real-dev/pdfs/*.pdf"))
	if len(paths) == 0 {
		t.Skip("../shared is absent")
	}
	compared := 0
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("/Encrypt")) {
			continue
		}
		limits := Limits{}.withDefaults()
		one, err := readTable(t.Context(), data, "", limits)
		if err != nil || one.root["Encrypt"] == nil {
			continue
		}
		other, err := readScanned(t.Context(), data, "", limits)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(p), err)
			continue
		}
		content := func(s source) string {
			f := newFile(t.Context(), s, limits)
			pages, _ := f.Pages(1)
			if len(pages) == 0 {
				return ""
			}
			b, _ := f.Data(f.Stream(pages[0].Dict["Contents"])) // damaged streams are compared too
			return string(b)
		}
		if a, b := content(one), content(other); a != b {
			t.Errorf("%s: content differs: %.60q, %.60q", filepath.Base(p), a, b)
		}
		compared++
	}
	t.Logf("%d files compared", compared)
	if compared == 0 {
		t.Error("no file was compared")
	}
}
