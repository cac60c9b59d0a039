package dev.postrider.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaskingTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://h/db?user=u&password=s3cret | jdbc:postgresql://h/db?user=u&password=***",
                "jdbc:postgresql://h/db?password=s3cret&ssl=true | jdbc:postgresql://h/db?password=***&ssl=true",
                "jdbc:postgresql://h/db?sslpassword=s3cret | jdbc:postgresql://h/db?sslpassword=***",
                "jdbc:postgresql://u:s3cret@h/db | jdbc:postgresql://u:***@h/db",
                "x PASSWORD = s3cret y | x PASSWORD = *** y",
                "username=\"u\" password=\"s3 cret\"; | username=\"u\" password=***;",
                "ssl.key.password=s3cret,linger.ms=5 | ssl.key.password=***,linger.ms=5",
                "Connection to localhost:5432 refused | Connection to localhost:5432 refused"
            })
    void passwordsAreHiddenAndNothingElse(String text, String expected) {
        assertThat(Masking.mask(text)).isEqualTo(expected);
    }
}
