package dev.postrider.examples.commerce.api;

import jakarta.validation.Valid;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code confirm} and {@code fail} are what the bank calls. */
@RestController
@RequestMapping("/payments")
class PaymentController {
    private final Payments payments;

    PaymentController(Payments payments) {
        this.payments = payments;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Payment create(@Valid @RequestBody Payment.Request request) {
        return payments.create(request.orderId());
    }

    @PostMapping("/{id}/confirm")
    Payment confirm(@PathVariable("id") UUID id) {
        return payments.confirm(id);
    }

    @PostMapping("/{id}/fail")
    Payment fail(@PathVariable("id") UUID id, @Valid @RequestBody Payment.Refusal refusal) {
        return payments.fail(id, refusal.reason());
    }
}
