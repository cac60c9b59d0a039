package dev.postrider.spring.transaction;

/** How an application saves its data: by JDBC, by jOOQ or by JPA. */
interface OrderStore {
    void save(String id);
}
