package dev.postrider.examples.orders;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping
    ResponseEntity<Order> place(@Valid @RequestBody OrderRequest request) {
        Order order = orders.place(request);
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }

    @PutMapping("/{id}")
    Order change(@PathVariable("id") UUID id, @Valid @RequestBody OrderRequest request) {
        return orders.change(id, request);
    }

    @GetMapping("/{id}")
    Order get(@PathVariable("id") UUID id) {
        return orders.get(id);
    }
}
