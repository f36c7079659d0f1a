// SPDX-License-Identifier: Apache-2.0

// Package cfb opens OLE containers ([MS-CFB]): bytes -> storages and streams.
//
// # Security
//
// Any bytes give a container or an error, in time and memory linear in their
// number. A chain is followed for as many steps as the file has sectors, an
// entry of the directory belongs to one storage only, and all that [File]
// gives out is at most a few times the size of the file.
package cfb
