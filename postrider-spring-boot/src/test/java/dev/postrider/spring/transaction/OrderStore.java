package dev.postrider.spring.transaction;

/** How an application saves its data: by JDBC or by JPA. */
interface OrderStore {
    void save(String id);
}
