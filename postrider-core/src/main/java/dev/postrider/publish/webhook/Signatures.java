package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.PostriderException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs messages as Standard Webhooks has it: id, time and body, by HMAC-SHA256, once for each secret, so that a
 * receiver who knows any of them can check it while they are being changed. Any thread.
 */
final class Signatures {
    private static final String PREFIX = "whsec_";
    private static final int SHORTEST = 24;
    private static final int LONGEST = 64;
    private static final String ALGORITHM = "HmacSHA256";

    private final List<SecretKeySpec> keys;

    private Signatures(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /**
     * @throws PostriderException if one is none; the message does not show it
     */
    static Signatures by(List<String> secrets) {
        List<SecretKeySpec> keys = new ArrayList<>();
        for (String secret : secrets) {
            keys.add(key(secret, keys.size() + 1, secrets.size()));
        }
        return new Signatures(List.copyOf(keys));
    }

    private static SecretKeySpec key(String secret, int number, int of) {
        byte[] bytes = {};
        try {
            bytes = secret.startsWith(PREFIX) ? Base64.getDecoder().decode(secret.substring(PREFIX.length())) : bytes;
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        if (bytes.length < SHORTEST || bytes.length > LONGEST) {
            throw new PostriderException("webhook.secret, number " + number + " of " + of + " and " + secret.length()
                    + " characters long, is not usable; it must be " + PREFIX + " followed by " + SHORTEST + " to "
                    + LONGEST + " bytes in Base64.");
        }
        return new SecretKeySpec(bytes, ALGORITHM);
    }

    /**
     * The headers of a signed message; none without a secret.
     *
     * @param id stays the same when it is sent again
     * @param seconds since 1970
     */
    Map<String, String> headers(String id, long seconds, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (!keys.isEmpty()) {
            headers.put("webhook-id", id);
            headers.put("webhook-timestamp", Long.toString(seconds));
            headers.put(
                    "webhook-signature",
                    keys.stream().map(key -> sign(key, id, seconds, body)).collect(Collectors.joining(" ")));
        }
        return headers;
    }

    private static String sign(SecretKeySpec key, String id, long seconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((id + "." + seconds + ".").getBytes(UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has " + ALGORITHM, e);
        }
    }
}
