// SPDX-License-Identifier: Apache-2.0

package job

// OpenDisk opens a store on a disk that a test has made.
func OpenDisk(d disk) (*Files, error) { return openFiles(d, FileOptions{}) }
