package dev.postrider.examples.logistics.demo;

import java.util.List;
import java.util.UUID;

/** Where orders are placed: the service in Node, or its stand-in. */
interface OrderDesk {
    /** Whether it takes orders now. */
    boolean isOpen() throws Exception;

    UUID place(String destination) throws Exception;

    /** Packed, shipped, delivered. */
    void take(UUID order, String step) throws Exception;

    default List<UUID> place(int orders) throws Exception {
        UUID[] placed = new UUID[orders];
        for (int i = 0; i < orders; i++) {
            placed[i] = place("12 St James's Square, London");
        }
        return List.of(placed);
    }
}
