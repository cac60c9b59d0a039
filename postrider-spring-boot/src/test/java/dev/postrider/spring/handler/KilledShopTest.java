package dev.postrider.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.spring.ChildProcess;
import dev.postrider.spring.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Work and mark are one transaction: a process that dies between any two steps leaves both or neither. */
class KilledShopTest {
    @TempDir
    private Path directory;

    @Test
    void effectHappensOnceWhereverTheProcessDies() throws Exception {
        String url = TestDatabase.create();
        // Written by an application that delivers nothing.
        try (ConfigurableApplicationContext writer = HandlingShop.with()
                .properties(TestDatabase.properties(url))
                .properties("postrider.relay.enabled=false")
                .run()) {
            writer.getBean(JdbcTemplate.class).execute("create table shipped (order_id text, number integer)");
            HandlingShop.pay(writer, "a", 1, 2, 3);
        }

        assertThat(exitOf(url, "before-commit")).isEqualTo(3);
        assertThat(exitOf(url, "after-commit")).isEqualTo(4);

        try (ConfigurableApplicationContext shop = HandlingShop.with(KilledShop.Shipping.class)
                .properties(TestDatabase.properties(url))
                .run()) {
            OutboxAdmin admin = shop.getBean(OutboxAdmin.class);
            await().atMost(Duration.ofSeconds(180)).until(() -> shipped(shop).size() >= 3 && isDelivered(admin));
            assertThat(shipped(shop)).containsExactly(1, 2, 3);
        }
    }

    private static boolean isDelivered(OutboxAdmin admin) {
        return admin.status().oldestUnsent() == null;
    }

    private static List<Integer> shipped(ConfigurableApplicationContext shop) {
        return shop.getBean(JdbcTemplate.class)
                .queryForList("select number from shipped order by number", Integer.class);
    }

    private int exitOf(String url, String dies) throws InterruptedException {
        Process process = ChildProcess.start(
                KilledShop.class,
                directory.resolve("shop.log"),
                Stream.concat(Stream.of("dies=" + dies), Arrays.stream(TestDatabase.properties(url)))
                        .map(property -> "--" + property)
                        .toArray(String[]::new));
        try {
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
