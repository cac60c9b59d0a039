package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignaturesTest {
    /** The example by which libraries for Standard Webhooks check themselves. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long TIME = 1_614_265_330;
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @Test
    void signatureIsThatOfTheKnownExample() {
        assertThat(Signatures.by(List.of(SECRET)).headers(ID, TIME, BODY))
                .isEqualTo(Map.of(
                        "webhook-id", ID, "webhook-timestamp", Long.toString(TIME), "webhook-signature", SIGNATURE));
    }

    @Test
    void everySecretSigns() {
        String other = "whsec_" + Base64.getEncoder().encodeToString(new byte[32]);

        String both =
                Signatures.by(List.of(other, SECRET)).headers(ID, TIME, BODY).get("webhook-signature");

        assertThat(both.split(" ")).hasSize(2).contains(SIGNATURE).doesNotHaveDuplicates();
    }

    @Test
    void withoutSecretsNothingIsSigned() {
        assertThat(Signatures.by(List.of()).headers(ID, TIME, BODY)).isEmpty();
    }

    @Test
    void whatIsNoSecretIsRefusedAndNotShown() {
        String tooShort = "whsec_" + Base64.getEncoder().encodeToString(new byte[23]);
        String tooLong = "whsec_" + Base64.getEncoder().encodeToString(new byte[65]);
        for (String wrong : List.of("", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_hey!hey!", tooShort, tooLong)) {
            assertThatThrownBy(() -> Signatures.by(List.of(SECRET, wrong)))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("webhook.secret, number 2 of 2")
                    .hasMessageContaining("whsec_ followed by 24 to 64 bytes in Base64")
                    .message()
                    .satisfies(message -> assertThat(wrong.isEmpty() || !message.contains(wrong))
                            .isTrue());
        }
    }
}
