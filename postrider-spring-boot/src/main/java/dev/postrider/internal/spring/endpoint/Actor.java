package dev.postrider.internal.spring.endpoint;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Who asks, for the audit. */
final class Actor {
    /** By name: Spring Security may not be there. */
    private static final String ANONYMOUS = "AnonymousAuthenticationToken";

    private Actor() {}

    /**
     * @throws RefusedException if nobody has logged in
     */
    static String of(SecurityContext security) {
        @Nullable Principal principal = security.getPrincipal();
        String name = principal == null
                        || principal.getClass().getSimpleName().equals(ANONYMOUS)
                        || principal.getName() == null
                ? ""
                : principal.getName();
        if (name.isBlank()) {
            throw RefusedException.forbidden(
                    "The audit table records who did what, and no user is logged in: protect this"
                            + " endpoint, with Spring Security for example, and call it as a user. Nothing was changed.");
        }
        return name;
    }
}
