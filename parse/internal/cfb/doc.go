// SPDX-License-Identifier: Apache-2.0

// Package cfb opens OLE containers ([MS-CFB]) and reads their storages and
// streams.
//
// # Security
//
// Any input gives a container or an error, in linear time and memory. A
// chain is followed for at most as many steps as the file has sectors. A
// directory entry belongs to only one storage. All streams together have at
// most a few times the size of the file.
package cfb
