package demo

import "net/http"

type productList struct {
	Total    int       `json:"total"`
	Products []Product `json:"products"`
}

type oneCart struct {
	Cart Cart `json:"cart"`
}

func (s *server) products(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	for name, values := range query {
		if name != "q" || len(values) != 1 {
			return nil, refuse(CodeInvalidInput, name, "Only q may be given, once.")
		}
	}
	products, err := s.store.Products(r.Context(), query.Get("q"))
	return productList{len(products), products}, err
}

func (s *server) cart(_ http.ResponseWriter, r *http.Request) (any, error) {
	cart, err := s.store.Cart(r.Context())
	return oneCart{cart}, err
}

func (s *server) addToCart(w http.ResponseWriter, r *http.Request) (any, error) {
	var input struct {
		ProductID string `json:"productId"`
		Quantity  int64  `json:"quantity"`
	}
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	cart, err := s.store.AddToCart(r.Context(), input.ProductID, input.Quantity)
	if err == nil {
		s.log.InfoContext(r.Context(), "added to the cart", "product", input.ProductID, "quantity", input.Quantity)
	}
	return oneCart{cart}, err
}

func (s *server) clearCart(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := readJSON(w, r, &struct{}{}); err != nil {
		return nil, err
	}
	cart, err := s.store.ClearCart(r.Context())
	if err == nil {
		s.log.InfoContext(r.Context(), "cart cleared")
	}
	return oneCart{cart}, err
}
