// SPDX-License-Identifier: Apache-2.0

package font

import (
	"bytes"
	"compress/flate"
	"flag"
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

// TestPack creates data/cmaps.bin if -cmaps names the folder of the
// resources, and checks that the packed data equals the source.
func TestPack(t *testing.T) {
	if *cmapDir == "" {
		return // data/cmaps.bin is not created anew
	}
	var out []byte
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
		base := ""
		m := ParseCMap(data, func(n string) *CMap { base = n; return nil })
		var body []byte
		if strings.HasSuffix(name, "-UCS2") && strings.HasPrefix(name, "Adobe-") {
			texts := make([]string, 0, 30000)
			for cid := range uint32(1 << 16) {
				if s, ok := m.Text(cid); ok && s != "\ufffd" {
					for len(texts) <= int(cid) {
						texts = append(texts, "")
					}
					texts[cid] = s
				}
			}
			body = packTexts(texts)
			if got := unpackTexts(body); !slices.Equal(got, texts) {
				t.Errorf("%s: texts differ", name)
			}
		} else {
			body = packCMap(m, base)
			got := unpackCMap(body, func(string) *CMap { return nil })
			if !slices.Equal(got.cids, m.cids) || !slices.Equal(got.spaces, m.spaces) {
				t.Errorf("%s: ranges differ", name)
			}
		}
		var z bytes.Buffer
		w, _ := flate.NewWriter(&z, flate.BestCompression)
		w.Write(body)
		w.Close()
		out = packText(out, name)
		out = packText(out, z.String())
	}
	if err := os.WriteFile("data/cmaps.bin", out, 0o644); err != nil {
		t.Fatal(err)
	}
}
