package dev.postrider.cli.settings;

import java.util.regex.Pattern;

/** Hides passwords in whatever is about to be shown to somebody: URLs, messages of drivers, stack traces. */
public final class Masking {
    /** {@code password=…}, also {@code sslpassword=…} and {@code ssl.key.password=…}, up to the next separator. */
    private static final Pattern PARAMETER =
            Pattern.compile("(?i)(passw(?:or)?d\\s*=\\s*)(\"[^\"]*\"|'[^']*'|[^&;,\\s\\]]*)");

    /** {@code //user:…@host}. */
    private static final Pattern USER_INFO = Pattern.compile("(//[^/:@\\s]+:)[^@\\s]*@");

    private Masking() {}

    public static String mask(String text) {
        String masked = PARAMETER.matcher(text).replaceAll("$1***");
        return USER_INFO.matcher(masked).replaceAll("$1***@");
    }
}
