package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevServicesTest {

    @Test
    void startsAndClosesBoth() {
        DevServices services = DevServices.start();
        try (services) {
            assertThat(services.postgres().isRunning()).isTrue();
            assertThat(services.kafka().isRunning(1)).isTrue();
        }
        assertThat(services.postgres().isRunning()).isFalse();
        assertThat(services.kafka().isRunning(1)).isFalse();
    }

    @Test
    void closesTheOneWhenTheOtherFails(@TempDir Path directory) {
        DevPostgres.Builder postgres = DevPostgres.builder().dataDirectory(directory);
        DevKafka.Builder kafka = DevKafka.builder().setting("num.partitions", "many");

        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() -> DevServices.start(postgres, kafka))
                .withMessageContaining("num.partitions");

        assertThat(directory.resolve("data")).isDirectory();
        assertThat(directory.resolve("data/postmaster.pid")).doesNotExist();
    }

    @Test
    void sharedPairConsistsOfTheSharedServers() {
        DevServices services = DevServices.shared();
        services.close();
        assertThat(services.postgres()).isSameAs(DevPostgres.shared());
        assertThat(services.kafka()).isSameAs(DevKafka.shared());
        assertThat(services.postgres().isRunning()).isTrue();
        assertThat(services.kafka().isRunning(1)).isTrue();
    }
}
