package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class LogLinesTest {

    @Test
    void linesBeginWithDateTimeAndZone() throws IOException {
        Properties properties = new Properties();
        try (Reader file = Files.newBufferedReader(Path.of("src", "main", "resources", "simplelogger.properties"))) {
            properties.load(file);
        }
        assertThat(properties.getProperty("org.slf4j.simpleLogger.showDateTime"))
                .isEqualTo("true");
        String format = properties.getProperty("org.slf4j.simpleLogger.dateTimeFormat");
        assertThat(new SimpleDateFormat(format).format(new Date(0)))
                .matches("(1969|1970)-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d)");
    }
}
