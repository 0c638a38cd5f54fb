package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Product is one row of the products table, and the shape of a product in the API's JSON.
type Product struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	// PriceCents is what one costs, in cents of a euro.
	PriceCents int64 `json:"priceCents"`
	// Stock is how many there are. A cart never holds more.
	Stock int64 `json:"stock"`
}

// productColumns is the order in which Product.targets gives the members.
const productColumns = `id, name, category, price_cents, stock`

func (p *Product) targets() []any {
	return []any{&p.ID, &p.Name, &p.Category, &p.PriceCents, &p.Stock}
}

// Products returns the products whose id, name or category has the query in it, ignoring case, ordered by name. An empty
// query admits all; one that is too long gives an *Error.
func (s *Store) Products(ctx context.Context, query string) ([]Product, error) {
	if utf8.RuneCountInString(query) > MaxQuery {
		return nil, refuse(CodeInvalidInput, "q", "The search text may have at most %d characters.", MaxQuery)
	}
	const sel = `SELECT ` + productColumns + ` FROM products
		WHERE ?1 = '' OR instr(lower(id || char(10) || name || char(10) || category), lower(?1)) > 0
		ORDER BY name`
	rows, err := s.db.QueryContext(ctx, sel, query)
	if err != nil {
		return nil, fmt.Errorf("listing products: %w", err)
	}
	defer rows.Close()
	products := []Product{}
	for rows.Next() {
		var product Product
		if err := rows.Scan(product.targets()...); err != nil {
			return nil, fmt.Errorf("reading a product: %w", err)
		}
		products = append(products, product)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("listing products: %w", err)
	}
	return products, nil
}

// getProduct returns one product, or an *Error about the input field.
func getProduct(ctx context.Context, from queryer, id, field string) (Product, error) {
	var product Product
	if id == "" || len(id) > maxID {
		return product, refuse(CodeInvalidInput, field, "A product id has 1 to %d characters.", maxID)
	}
	row := from.QueryRowContext(ctx, `SELECT `+productColumns+` FROM products WHERE id = ?`, id)
	err := row.Scan(product.targets()...)
	if errors.Is(err, sql.ErrNoRows) {
		return product, refuse(CodeNotFound, field, "There is no product %q.", id)
	}
	if err != nil {
		return product, fmt.Errorf("reading product %q: %w", id, err)
	}
	return product, nil
}
