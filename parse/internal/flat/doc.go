// SPDX-License-Identifier: Apache-2.0

// Package flat turns documents that Office writes as one XML file into packages, which
// the readers of Office Open XML read: Flat OPC, which holds the parts of a package
// ([OPC]), and the documents of Word 2003 in XML ([Word]).
//
// The package is a ZIP container whose parts are stored without compression, in memory.
//
// # Security
//
// The XML is read within the limits of [example.com/curlew/internal/zipxml]. A package is
// at most twice as large as its file and 1 MiB more. No number in the file determines the
// size of an allocation, and nothing is fetched.
package flat
