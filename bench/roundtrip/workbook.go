// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/xuri/excelize/v2"

	"example.com/curlew/internal/test/roundtriptest"
)

// workbooks is a route by a library. Texts that look like numbers become
// numbers.
var workbooks = roundtriptest.Route{Name: "excelize", Kind: "xlsx", Form: roundtriptest.Sheets, Write: writeWorkbooks}

func writeWorkbooks(_ context.Context, dir string, docs []*roundtriptest.Document) error {
	for _, d := range docs {
		if err := writeWorkbook(filepath.Join(dir, d.Name+".xlsx"), d); err != nil {
			return err
		}
	}
	return nil
}

func writeWorkbook(path string, d *roundtriptest.Document) (err error) {
	f := excelize.NewFile()
	defer func() { err = errors.Join(err, f.Close()) }()
	sheet := "Sheet1"
	for i, b := range d.Blocks {
		switch b := b.(type) {
		case roundtriptest.Heading:
			if i == 0 {
				err = f.SetSheetName(sheet, b.Text)
			} else {
				_, err = f.NewSheet(b.Text)
			}
			sheet = b.Text
		case roundtriptest.Table:
			err = fill(f, sheet, b)
		}
		if err != nil {
			return err
		}
	}
	return f.SaveAs(path)
}

func fill(f *excelize.File, sheet string, t roundtriptest.Table) error {
	for i, row := range t.Rows {
		for j, c := range row {
			name, err := excelize.CoordinatesToCellName(j+1, i+1)
			if err != nil {
				return err
			}
			var value any = c.Text
			if v, err := strconv.ParseFloat(c.Text, 64); err == nil {
				value = v
			}
			if err := f.SetCellValue(sheet, name, value); err != nil {
				return err
			}
		}
	}
	return nil
}
