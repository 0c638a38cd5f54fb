package predict

import "github.com/pagewarden/pagewarden/registry"

// ReceiptOf is the receipt of a result of which nothing else is known.
func ReceiptOf(r registry.Result) Receipt { return receiptOf(r, trace{}, DefaultReceiptBytes) }
