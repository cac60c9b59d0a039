package dev.postrider.spring.handler;

import dev.postrider.spring.OutboxHandler;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An application as a process, which dies while it handles its first event. */
final class KilledShop {
    private KilledShop() {}

    /**
     * @param args properties of the application, each as {@code --name=value}
     */
    public static void main(String[] args) {
        HandlingShop.with(Shipping.class).run(args);
    }

    /** What dies is the process, with nothing closed and nobody told. */
    static class Shipping {
        private final JdbcTemplate jdbc;
        private final String dies;

        Shipping(JdbcTemplate jdbc, Environment environment) {
            this.jdbc = jdbc;
            this.dies = environment.getProperty("dies", "never");
        }

        @OutboxHandler(value = "shop.order.paid", once = true)
        public void ship(OrderPaid paid) {
            jdbc.update("insert into shipped (order_id, number) values (?, ?)", paid.order(), paid.number());
            if (dies.equals("before-commit")) {
                Runtime.getRuntime().halt(3);
            }
            if (dies.equals("after-commit")) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        Runtime.getRuntime().halt(4);
                    }
                });
            }
        }
    }
}
