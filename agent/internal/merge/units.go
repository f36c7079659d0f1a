// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/value"
)

// Units makes the numbers of a column comparable if its field names no unit and pages
// state different ones, such as 800 m and 1.2 km. It knows the units of one table. The
// zero Units is ready to use.
type Units struct {
	columns map[string]*column
}

// column is what is known of one field.
type column struct {
	asked  value.Unit         // as the question states it; zero if it does not
	stated map[value.Unit]int // how many cells have a unit
	cells  map[int]measured   // by the number of the sighting
	maybe  map[int]measured   // cells whose lines have the number without a unit, too
}

// measured is a number with its unit.
type measured struct {
	value   float64
	unit    value.Unit
	printed float64
}

func (u *Units) column(field string) *column {
	if u.columns == nil {
		u.columns = map[string]*column{}
	}
	if u.columns[field] == nil {
		u.columns[field] = &column{stated: map[value.Unit]int{}, cells: map[int]measured{}, maybe: map[int]measured{}}
	}
	return u.columns[field]
}

// Ask sets the unit in which a question speaks about a field, and returns it. If another
// one was set before, that one is kept and returned.
func (u *Units) Ask(field string, unit value.Unit) value.Unit {
	c := u.column(field)
	if c.asked == (value.Unit{}) {
		c.asked = unit
	}
	return c.asked
}

// See adds the unit that a page states for a field of sighting n. The number v in that
// unit differs from the printed one if the page uses two units, as in 1 h 25 min. If sure is
// false, the unit may belong to another number, as in "2 h 10 min, serves 2". Such a cell
// counts only if other cells of the column surely have a unit of that quantity.
func (u *Units) See(field string, n int, printed, v float64, unit value.Unit, sure bool) {
	c := u.column(field)
	if !sure {
		c.maybe[n] = measured{v, unit, printed}
	} else if _, known := c.cells[n]; !known {
		c.cells[n] = measured{v, unit, printed}
		c.stated[unit]++
	}
}

// settle adds the doubtful cells for which other cells speak.
func (c *column) settle() {
	for n, m := range c.maybe {
		if _, known := c.cells[n]; known || c.quantity(m.unit) == 0 {
			continue
		}
		c.cells[n] = m
		c.stated[m.unit]++
		delete(c.maybe, n)
	}
}

// chosen returns the unit for a column: the one of the question, or else the one that
// most cells have, or the smaller of two. Cells of another quantity do not count. If all
// cells have that unit already, it returns false.
func (c *column) chosen() (value.Unit, bool) {
	best := c.asked
	if best == (value.Unit{}) {
		quantity := value.Unit{}
		for _, unit := range c.sorted() {
			if n, most := c.quantity(unit), c.quantity(quantity); n > most {
				quantity = unit
			}
		}
		for _, unit := range c.sorted() {
			if unit.Same(quantity) && (best == (value.Unit{}) || c.stated[unit] > c.stated[best]) {
				best = unit
			}
		}
	}
	for unit := range c.stated {
		if unit != best && unit.Same(best) {
			return best, true
		}
	}
	for _, m := range c.cells {
		if m.unit.Same(best) && m.value != m.printed {
			return best, true
		}
	}
	return best, false
}

// sorted returns the stated units, the smallest first.
func (c *column) sorted() []value.Unit {
	units := slices.Collect(maps.Keys(c.stated))
	sort.Slice(units, func(i, j int) bool { return units[i].Less(units[j]) })
	return units
}

// quantity returns how many cells have a unit of the same quantity.
func (c *column) quantity(of value.Unit) (n int) {
	for unit, k := range c.stated {
		if unit.Same(of) {
			n += k
		}
	}
	return n
}

// Even returns the sightings of the table with all numbers of a column in one unit.
// Numbers without a unit are unchanged.
func (u *Units) Even(seen []Sighting) []Sighting {
	var out []Sighting
	for field, c := range u.columns {
		c.settle()
		to, mixed := c.chosen()
		if !mixed {
			continue
		}
		if out == nil {
			out = slices.Clone(seen)
		}
		for n, m := range c.cells {
			if n >= len(out) {
				continue
			}
			cell, ok := out[n].Row[field]
			v, same := m.unit.In(m.value, to)
			if !ok || !same || cell.Value == v {
				continue
			}
			row := maps.Clone(out[n].Row)
			cell.Value, cell.Grade = v, grounding.Worst(cell.Grade, finding.GradeNormalized)
			row[field] = cell
			out[n].Row = row
		}
	}
	if out == nil {
		return seen
	}
	return out
}

// Notes says for each column with several units in which unit its numbers are now, and
// how many of them name no unit or one of another quantity. rows returns the number of
// cells of a field.
func (u *Units) Notes(rows func(field string) int) []string {
	var out []string
	for _, field := range slices.Sorted(maps.Keys(u.columns)) {
		c := u.columns[field]
		c.settle()
		to, mixed := c.chosen()
		if !mixed {
			continue
		}
		var from []string
		for _, unit := range c.sorted() {
			if unit.Same(to) {
				from = append(from, fmt.Sprintf("%d in %v", c.stated[unit], unit))
			}
		}
		text := fmt.Sprintf("pages state %s in different units (%s), so all of its values are given in %v", field, strings.Join(from, ", "), to)
		if left := rows(field) - c.quantity(to); left > 0 {
			text += fmt.Sprintf("; %d without such a unit are given as they are printed", left)
		}
		out = append(out, text)
	}
	return out
}
