package demo

import (
	"context"
	"database/sql"
	"fmt"
)

// MaxQuantity is how many of a product may be put into the cart at once.
const MaxQuantity = 20

// CartLine is one product in the cart.
type CartLine struct {
	Product  Product `json:"product"`
	Quantity int64   `json:"quantity"`
}

// Cart is what will be ordered. There is one, for everybody who looks after the devices.
type Cart struct {
	// Lines are ordered by the product's name.
	Lines []CartLine `json:"lines"`
	// Count is the sum of the quantities.
	Count int64 `json:"count"`
	// TotalCents is what all of it costs, in cents of a euro.
	TotalCents int64 `json:"totalCents"`
}

// Cart returns what is in the cart now.
func (s *Store) Cart(ctx context.Context) (Cart, error) { return readCart(ctx, s.db) }

// AddToCart puts 1 to MaxQuantity of a product into the cart and returns the cart as it is afterwards. More than are in
// stock, with those that are in the cart already, is CodeOutOfStock, and nothing is added.
func (s *Store) AddToCart(ctx context.Context, productID string, quantity int64) (Cart, error) {
	if quantity < 1 || quantity > MaxQuantity {
		return Cart{}, refuse(CodeInvalidInput, "quantity", "A quantity is a whole number from 1 to %d.", MaxQuantity)
	}
	return s.changeCart(ctx, func(ctx context.Context, tx *sql.Tx) error {
		product, err := getProduct(ctx, tx, productID, "productId")
		if err != nil {
			return err
		}
		const add = `INSERT INTO cart (product_id, quantity) VALUES (?1, ?2)
			ON CONFLICT (product_id) DO UPDATE SET quantity = quantity + ?2 RETURNING quantity`
		var held int64
		if err := tx.QueryRowContext(ctx, add, productID, quantity).Scan(&held); err != nil {
			return fmt.Errorf("adding %s to the cart: %w", productID, err)
		}
		if held > product.Stock {
			return refuse(CodeOutOfStock, "quantity", "There are %d of %s, and %d in the cart.", product.Stock, product.Name, held-quantity)
		}
		return nil
	})
}

// ClearCart takes everything out of the cart and returns it empty. One that is empty already stays so.
func (s *Store) ClearCart(ctx context.Context) (Cart, error) {
	return s.changeCart(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM cart`); err != nil {
			return fmt.Errorf("clearing the cart: %w", err)
		}
		return nil
	})
}

// changeCart makes a change and reads the cart in one transaction.
func (s *Store) changeCart(ctx context.Context, change func(context.Context, *sql.Tx) error) (Cart, error) {
	var cart Cart
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		var err error
		cart, err = readCart(ctx, tx)
		return err
	})
	if err != nil {
		return Cart{}, err
	}
	return cart, nil
}

func readCart(ctx context.Context, from queryer) (Cart, error) {
	const sel = `SELECT ` + productColumns + `, quantity FROM cart JOIN products ON id = product_id ORDER BY name`
	rows, err := from.QueryContext(ctx, sel)
	if err != nil {
		return Cart{}, fmt.Errorf("reading the cart: %w", err)
	}
	defer rows.Close()
	cart := Cart{Lines: []CartLine{}}
	for rows.Next() {
		var line CartLine
		if err := rows.Scan(append(line.Product.targets(), &line.Quantity)...); err != nil {
			return Cart{}, fmt.Errorf("reading a line of the cart: %w", err)
		}
		cart.Lines = append(cart.Lines, line)
		cart.Count += line.Quantity
		cart.TotalCents += line.Quantity * line.Product.PriceCents
	}
	if err := rows.Err(); err != nil {
		return Cart{}, fmt.Errorf("reading the cart: %w", err)
	}
	return cart, nil
}
