// SPDX-License-Identifier: Apache-2.0

package account

// StoreOf returns where keys are stored.
func StoreOf(k *Keys) KeyStore { return k.store() }
