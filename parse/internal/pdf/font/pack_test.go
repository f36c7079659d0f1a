// SPDX-License-Identifier: Apache-2.0

package font

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var cmapDir = flag.String("cmaps", "", "folder of Adobe's CMap resources; rewrites data/cmaps.bin")

// predefinedNames are the CMaps of ISO 32000-1, table 118, the CMaps that
// they are based on, and later ones that producers use.
var predefinedNames = strings.Fields(`
	GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V
	UniGB-UCS2-H UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V GB-H GB-V
	B5pc-H B5pc-V HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V CNS-EUC-H CNS-EUC-V
	UniCNS-UCS2-H UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V
	83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V 90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V
	EUC-H EUC-V Ext-RKSJ-H Ext-RKSJ-V H V RKSJ-H RKSJ-V 78-H 78-V
	UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V UniJIS-UTF16-H UniJIS-UTF16-V
	UniJIS2004-UTF16-H UniJIS2004-UTF16-V UniJIS-UTF8-H UniJIS-UTF8-V
	KSC-EUC-H KSC-EUC-V KSC-H KSC-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H
	UniKS-UCS2-H UniKS-UCS2-V UniKS-UTF16-H UniKS-UTF16-V UniAKR-UTF16-H
	Adobe-GB1-UCS2 Adobe-CNS1-UCS2 Adobe-Japan1-UCS2 Adobe-Korea1-UCS2 Adobe-KR-UCS2`)

// textsFrom names the CMap whose characters predict the texts of a collection.
var textsFrom = map[string]string{
	"Adobe-GB1-UCS2": "UniGB-UTF16-H", "Adobe-CNS1-UCS2": "UniCNS-UTF16-H", "Adobe-Japan1-UCS2": "UniJIS-UTF16-H",
	"Adobe-Korea1-UCS2": "UniKS-UTF16-H", "Adobe-KR-UCS2": "UniAKR-UTF16-H",
}

// TestPack creates data/cmaps.bin if -cmaps names the folder of the resources.
func TestPack(t *testing.T) {
	if *cmapDir == "" {
		return // data/cmaps.bin is not created anew
	}
	p := packer{t: t, done: map[string]*CMap{}}
	for _, name := range predefinedNames {
		found, err := filepath.Glob(filepath.Join(*cmapDir, "*", name))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: not there", name)
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("Redistribution and use in source and binary forms")) {
			t.Fatalf("%s: not under Adobe's BSD licence", name)
		}
		m := ParseCMap(data, func(n string) *CMap { return &CMap{Name: n} })
		if textsFrom[name] == "" {
			p.cmap(name, m)
			continue
		}
		var texts []string
		for cid := range uint32(1 << 16) {
			if s, ok := m.Text(cid); ok && s != "\ufffd" {
				texts = append(texts, make([]string, int(cid)-len(texts))...)
				texts = append(texts, s)
			}
		}
		p.texts(name, texts)
	}
	if err := os.WriteFile("data/cmaps.bin", p.out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPacked checks all of the packed data against a sum that was made of the data
// as they were before only the differences between the CMaps were kept.
func TestPacked(t *testing.T) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(directory())) {
		if textsFrom[name] != "" {
			fmt.Fprintf(h, "%s %q\n", name, listed(unpackTexts(entry(name), predefined)))
			continue
		}
		m, base := predefined(name), ""
		if m.base != nil {
			base = m.base.Name
		}
		fmt.Fprintln(h, name, base, m.Vertical, m.spaces, m.cids)
	}
	if got, want := fmt.Sprintf("%x", h.Sum(nil)), "606ce159b96279f4a1b96464b9b9c643e94ccddd53b5ba015436046aaa06c4bf"; got != want {
		t.Errorf("the sum of the CMaps is %s, not %s", got, want)
	}
}

// listed returns the list of texts.
func listed(t *texts) []string {
	var out []string
	for i := range t.ends {
		out = append(out, t.at(i))
	}
	return out
}

// packer writes the packed CMaps.
type packer struct {
	t    *testing.T
	out  []byte
	done map[string]*CMap // what has been written
}

// cmap writes a CMap by its differences to the one before which gives the smallest entry.
func (p *packer) cmap(name string, m *CMap) {
	use := func(n string) *CMap { return p.done[n] }
	best := deflated(p.t, packCMap(m, "", nil, 0))
	for _, like := range predefinedNames {
		other, flags := p.done[like], byte(0)
		if other == nil {
			continue
		}
		if strings.Contains(name, "UTF8") && strings.Contains(like, "UTF16") {
			flags, other = packedUTF8, &CMap{cids: inUTF8(other.cids)}
		}
		body := packCMap(m, like, other.cids, flags)
		if got := unpackCMap(body, use); !slices.Equal(got.cids, m.cids) || !slices.Equal(got.spaces, m.spaces) {
			p.t.Errorf("%s: ranges differ", name)
		}
		if z := deflated(p.t, body); len(z) < len(best) {
			best = z
		}
	}
	p.done[name] = m
	p.write(name, best)
}

func (p *packer) texts(name string, texts []string) {
	body := packTexts(texts, textsFrom[name], p.done[textsFrom[name]])
	if got := unpackTexts(body, func(n string) *CMap { return p.done[n] }); !slices.Equal(listed(got), texts) {
		p.t.Errorf("%s: texts differ", name)
	}
	p.write(name, deflated(p.t, body))
}

func (p *packer) write(name string, z []byte) {
	p.out = packText(p.out, name)
	p.out = packText(p.out, string(z))
	p.t.Log(name, len(z))
}

func deflated(t *testing.T, b []byte) []byte {
	var z bytes.Buffer
	w, err := flate.NewWriter(&z, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Bytes()
}

// packCMap encodes m for unpackCMap, as its differences to other, which has the
// name like.
func packCMap(m *CMap, like string, other []cidRange, flags byte) []byte {
	base := ""
	if m.base != nil {
		base = m.base.Name
	}
	if m.Vertical {
		flags |= packedVertical
	}
	b := packText([]byte{flags}, base)
	b = packText(b, like)
	b = binary.AppendUvarint(b, uint64(len(m.spaces)))
	for _, s := range m.spaces {
		b = append(b, byte(s.n))
		b = binary.AppendUvarint(b, uint64(s.lo))
		b = binary.AppendUvarint(b, uint64(s.hi))
	}
	steps, own := difference(other, m.cids)
	b = binary.AppendUvarint(b, uint64(len(steps)))
	for _, s := range steps {
		b = binary.AppendUvarint(b, uint64(s.kept))
		b = binary.AppendUvarint(b, uint64(s.dropped))
		b = binary.AppendUvarint(b, uint64(s.added))
	}
	// Like values are next to each other, because that compresses better.
	for _, i := range own {
		b = binary.AppendUvarint(b, uint64(m.cids[i].hi-m.cids[i].lo))
	}
	for _, i := range own {
		b = binary.AppendVarint(b, int64(m.cids[i].lo)-int64(following(m.cids[:i])))
	}
	for _, i := range own {
		b = append(b, byte(m.cids[i].cid>>8))
	}
	for _, i := range own {
		b = append(b, byte(m.cids[i].cid))
	}
	return b
}

// difference returns the steps from one list of ranges to another, and the
// indexes of the ranges that only the other has.
func difference(from, to []cidRange) (steps []step, own []int) {
	var s step
	for i := 0; i < len(to) || len(from) > 0; {
		switch {
		case i < len(to) && len(from) > 0 && from[0] == to[i]:
			if s.dropped+s.added > 0 {
				steps, s = append(steps, s), step{}
			}
			s.kept++
			i, from = i+1, from[1:]
		case i == len(to) || len(from) > 0 && from[0].lo < to[i].lo:
			s.dropped++
			from = from[1:]
		default:
			s.added++
			own = append(own, i)
			i++
		}
	}
	return append(steps, s), own
}

// packTexts encodes texts for unpackTexts: 0 for the character that m has for
// the CID, 1 and a text, or the difference to the character before.
func packTexts(texts []string, like string, m *CMap) []byte {
	from := characters(m)
	b := packText(nil, like)
	b = binary.AppendUvarint(b, uint64(len(texts)))
	var last rune
	for cid, t := range texts {
		runes := []rune(t)
		switch {
		case len(runes) == 0 && from[cid] == 0:
			b = append(b, 0)
		case len(runes) == 1 && from[cid] == runes[0]:
			b = append(b, 0)
			last = runes[0]
		case len(runes) == 1:
			d := int64(runes[0] - last)
			b = binary.AppendUvarint(b, uint64(d<<1^d>>63)+2)
			last = runes[0]
		default:
			b = append(b, 1)
			b = packText(b, t)
		}
	}
	return b
}

func packText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
