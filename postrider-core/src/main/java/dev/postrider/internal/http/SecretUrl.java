package dev.postrider.internal.http;

import dev.postrider.PostriderException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * The URL of a webhook, which lets whoever has it write to the other side: only its host appears in logs and messages.
 *
 * @param url absolute, http or https
 */
public record SecretUrl(URI url) {
    private static final String ALLOWED = "it must begin with http:// or https:// and have a host";

    public SecretUrl {
        boolean http = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
        if (!http || url.getHost() == null) {
            throw new PostriderException("The URL of a webhook, of "
                    + url.toString().length() + " characters, cannot be used; " + ALLOWED + ".");
        }
    }

    /**
     * @param option what it is set by, for the message
     * @throws PostriderException if it cannot be used; the message says how long it is, not what it says
     */
    public static SecretUrl parse(String option, String text) {
        try {
            return new SecretUrl(new URI(text));
        } catch (URISyntaxException | PostriderException e) {
            throw new PostriderException(
                    option + " is a text of " + text.length() + " characters that is no such URL; " + ALLOWED + ".");
        }
    }

    public String host() {
        return url.getHost();
    }

    /** The text without the URL, its path and its query. */
    public String removeFrom(String text) {
        String cleaned = text.replace(url.toString(), "(its URL)");
        String path = url.getRawPath();
        if (path != null && path.length() > 1) {
            cleaned = cleaned.replace(path, "/…");
        }
        return url.getRawQuery() == null ? cleaned : cleaned.replace(url.getRawQuery(), "…");
    }

    @Override
    public String toString() {
        return "webhook at " + host();
    }
}
