package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.postrider.testing.InMemoryOutbox;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PaymentsTest {
    @Test
    void transferWritesItsEvent() throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();

        new Payments(memory.dataSource()).transfer(1, 2, 30);

        assertEquals("acme.transfer.completed.v1", memory.events().get(0).type());
    }
}
