package dev.postrider.examples.commerce.api;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/products")
class ProductController {
    private final Catalog catalog;

    ProductController(Catalog catalog) {
        this.catalog = catalog;
    }

    @PostMapping
    ResponseEntity<Product> add(@Valid @RequestBody Product.Offer offer) {
        Product product = catalog.add(offer);
        return ResponseEntity.created(URI.create("/products/" + product.id())).body(product);
    }

    @GetMapping("/{id}")
    Product get(@PathVariable("id") long id) {
        return catalog.get(id);
    }

    @PostMapping("/{id}/views/{user}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void view(@PathVariable("id") long id, @PathVariable("user") String user) {
        catalog.view(id, user);
    }

    @PutMapping("/{id}/likes/{user}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void like(@PathVariable("id") long id, @PathVariable("user") String user) {
        catalog.like(id, user);
    }

    @DeleteMapping("/{id}/likes/{user}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void unlike(@PathVariable("id") long id, @PathVariable("user") String user) {
        catalog.unlike(id, user);
    }
}
