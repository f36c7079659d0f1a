// SPDX-License-Identifier: Apache-2.0

package format

// ShownPrice and MachinePrice read one price.
var (
	ShownPrice   = shownPrice
	MachinePrice = machinePrice
)
