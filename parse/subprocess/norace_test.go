// SPDX-License-Identifier: Apache-2.0

//go:build !race

package subprocess_test

const raceEnabled = false
