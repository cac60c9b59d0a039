package dev.postrider.spring.test;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "orders")
class PurchaseOrder {
    @Id
    private String id;

    private long cents;

    protected PurchaseOrder() {}

    PurchaseOrder(String id, long cents) {
        this.id = id;
        this.cents = cents;
    }
}
