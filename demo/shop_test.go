package demo

import (
	"context"
	"database/sql"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

func productIDs(t *testing.T, store *Store, query string) []string {
	t.Helper()
	products, err := store.Products(t.Context(), query)
	if err != nil {
		t.Fatalf("Products(%q): %v", query, err)
	}
	ids := []string{}
	for _, product := range products {
		ids = append(ids, product.ID)
	}
	return ids
}

func cartOf(t *testing.T, store *Store) Cart {
	t.Helper()
	cart, err := store.Cart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return cart
}

func TestProductsAreFound(t *testing.T) {
	store := openStore(t, t.TempDir())
	for query, want := range map[string][]string{
		"battery":            {"part-battery-aa", "part-battery-li"},
		"BATTERY":            {"part-battery-aa", "part-battery-li"},
		"optics":             {"part-lens-wide"},
		"part-sim":           {"part-sim"},
		"%":                  {},
		"' OR 1=1 --":        {},
		"antenna, 9 dbi":     {"part-antenna-9"},
		"power injector\x00": {},
	} {
		if got := productIDs(t, store, query); !slices.Equal(got, want) {
			t.Errorf("Products(%q) = %q, want %q", query, got, want)
		}
	}
	all := productIDs(t, store, "")
	if len(all) != len(seedProducts()) {
		t.Errorf("there are %d products, want %d", len(all), len(seedProducts()))
	}
	_, err := store.Products(t.Context(), strings.Repeat("é", MaxQuery+1))
	wantRefusal(t, err, CodeInvalidInput, "q")
	if got := productIDs(t, store, strings.Repeat("é", MaxQuery)); len(got) != 0 {
		t.Errorf("the longest query found %q", got)
	}
}

func TestCart(t *testing.T) {
	store := openStore(t, t.TempDir())
	if cart := cartOf(t, store); len(cart.Lines) != 0 || cart.Lines == nil || cart.Count != 0 || cart.TotalCents != 0 {
		t.Fatalf("a new cart is %+v", cart)
	}
	if _, err := store.AddToCart(t.Context(), "part-sim", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := store.AddToCart(t.Context(), "part-antenna-5", 1); err != nil {
		t.Fatal(err)
	}
	cart, err := store.AddToCart(t.Context(), "part-sim", 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(cart.Lines) != 2 || cart.Lines[0].Product.ID != "part-antenna-5" || cart.Lines[1].Quantity != 5 {
		t.Errorf("the cart is %+v", cart)
	}
	if cart.Count != 6 || cart.TotalCents != 1290+5*500 {
		t.Errorf("%d pieces for %d cents", cart.Count, cart.TotalCents)
	}
	if stored := cartOf(t, store); !reflect.DeepEqual(stored, cart) {
		t.Errorf("stored is %+v, returned was %+v", stored, cart)
	}
	for range 2 { // an empty cart can be cleared
		if cart, err = store.ClearCart(t.Context()); err != nil || len(cart.Lines) != 0 || cart.Count != 0 {
			t.Fatalf("cleared: %+v, %v", cart, err)
		}
	}
}

func TestCartRefusals(t *testing.T) {
	store := openStore(t, t.TempDir())
	if _, err := store.AddToCart(t.Context(), "part-sensor-hum", 2); err != nil {
		t.Fatal(err)
	}
	before := cartOf(t, store)
	for _, test := range []struct {
		name, id string
		quantity int64
		code     Code
		field    string
	}{
		{"none", "part-sim", 0, CodeInvalidInput, "quantity"},
		{"fewer than none", "part-sim", -1, CodeInvalidInput, "quantity"},
		{"too many", "part-sim", MaxQuantity + 1, CodeInvalidInput, "quantity"},
		{"a product that is not there", "part-none", 1, CodeNotFound, "productId"},
		{"no product", "", 1, CodeInvalidInput, "productId"},
		{"a long id", strings.Repeat("x", maxID+1), 1, CodeInvalidInput, "productId"},
		{"more than there are", "part-lens-wide", 5, CodeOutOfStock, "quantity"},
		{"more than there are, with the cart's", "part-sensor-hum", 2, CodeOutOfStock, "quantity"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := store.AddToCart(t.Context(), test.id, test.quantity)
			wantRefusal(t, err, test.code, test.field)
			if after := cartOf(t, store); !reflect.DeepEqual(after, before) {
				t.Errorf("the cart changed to %+v", after)
			}
		})
	}
	if cart, err := store.AddToCart(t.Context(), "part-sensor-hum", 1); err != nil || cart.Count != 3 {
		t.Errorf("the last one: %+v, %v", cart, err)
	}
}

func TestConcurrentAddsKeepToTheStock(t *testing.T) {
	store := openStore(t, t.TempDir())
	const callers = 8 // for four lenses
	errs := make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() { _, errs[i] = store.AddToCart(t.Context(), "part-lens-wide", 1) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			wantRefusal(t, err, CodeOutOfStock, "quantity")
		}
	}
	if cart := cartOf(t, store); cart.Count != 4 {
		t.Errorf("the cart has %d lenses; there are 4", cart.Count)
	}
}

// TestDatabaseOfVersionOneGetsTheShop: the devices of before stay as they are.
func TestDatabaseOfVersionOneGetsTheShop(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, dir)
	if _, err := store.Rename(t.Context(), "dev-001", "Kept", 0); err != nil {
		t.Fatal(err)
	}
	err := store.inTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DROP TABLE cart; DROP TABLE products; PRAGMA user_version = 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		upgraded := openStore(t, dir)
		if device, err := upgraded.Get(t.Context(), "dev-001"); err != nil || device.Name != "Kept" {
			t.Errorf("dev-001 is %+v, %v", device, err)
		}
		if _, err := upgraded.AddToCart(t.Context(), "part-sim", 1); err != nil {
			t.Error(err)
		}
	}
	if cart := cartOf(t, store); cart.Count != 2 {
		t.Errorf("the cart has %d", cart.Count)
	}
}

func TestShopAPI(t *testing.T) {
	s := serve(t, nil)
	response, content := s.send(t, "GET", "/api/products?q=battery", "", nil)
	if got := decode[productList](t, content); response.StatusCode != 200 || got.Total != 2 || got.Products[0].PriceCents != 890 {
		t.Errorf("products: status %d, %s", response.StatusCode, content)
	}
	if _, content = s.send(t, "GET", "/api/products?q=zzz", "", nil); string(content) != `{"total":0,"products":[]}` {
		t.Errorf("no products are %s", content)
	}
	response, content = s.send(t, "POST", "/api/cart/add", `{"productId":"part-sim","quantity":2}`, nil)
	if got := decode[oneCart](t, content).Cart; response.StatusCode != 200 || got.Count != 2 || got.TotalCents != 1000 {
		t.Errorf("add: status %d, %s", response.StatusCode, content)
	}
	if _, content = s.send(t, "GET", "/api/cart", "", nil); decode[oneCart](t, content).Cart.Count != 2 {
		t.Errorf("the cart is %s", content)
	}
	response, content = s.send(t, "POST", "/api/cart/clear", `{}`, nil)
	if response.StatusCode != 200 || string(content) != `{"cart":{"lines":[],"count":0,"totalCents":0}}` {
		t.Errorf("clear: status %d, %s", response.StatusCode, content)
	}
	for _, line := range []string{"added to the cart", "cart cleared"} {
		if !strings.Contains(s.log.String(), line) {
			t.Errorf("the log does not say %q", line)
		}
	}
}

func TestShopAPIRefusals(t *testing.T) {
	s := serve(t, nil)
	const add, clear = "/api/cart/add", "/api/cart/clear"
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		code                     Code
		field                    string
	}{
		{"unknown parameter", "GET", "/api/products?sort=name", "", 400, CodeInvalidInput, "sort"},
		{"parameter twice", "GET", "/api/products?q=a&q=b", "", 400, CodeInvalidInput, "q"},
		{"adding by a read", "GET", add, "", 405, CodeMethodNotAllowed, ""},
		{"clearing by a read", "GET", clear, "", 405, CodeMethodNotAllowed, ""},
		{"a price of one's own", "POST", add, `{"productId":"part-sim","quantity":1,"priceCents":1}`, 400, CodeInvalidJSON, ""},
		{"half a piece", "POST", add, `{"productId":"part-sim","quantity":0.5}`, 400, CodeInvalidJSON, ""},
		{"more than fit into a number", "POST", add, `{"productId":"part-sim","quantity":99999999999999999999}`, 400, CodeInvalidJSON, ""},
		{"no quantity", "POST", add, `{"productId":"part-sim"}`, 400, CodeInvalidInput, "quantity"},
		{"unknown product", "POST", add, `{"productId":"x","quantity":1}`, 404, CodeNotFound, "productId"},
		{"out of stock", "POST", add, `{"productId":"part-lens-wide","quantity":20}`, 409, CodeOutOfStock, "quantity"},
		{"clearing with something else", "POST", clear, `{"force":true}`, 400, CodeInvalidJSON, ""},
		{"clearing as a form does", "POST", clear, "", 415, CodeUnsupportedMediaType, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, content := s.send(t, test.method, test.path, test.body, nil)
			wantError(t, response, content, test.status, test.code, test.field)
		})
	}
	for _, path := range []string{add, clear} {
		response, content := s.send(t, "POST", path, `{}`, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
		wantError(t, response, content, 403, CodeForbiddenOrigin, "")
	}
	if cart := cartOf(t, s.store); cart.Count != 0 {
		t.Errorf("refused requests left %+v", cart)
	}
}
