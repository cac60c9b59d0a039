package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.inbox.Inboxes;
import dev.postrider.internal.spring.inbox.OnceProxies;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Methods with {@code @HandleOnce}. Also in an application that has no inbox, which then is told so. */
@AutoConfiguration(after = InboxAutoConfiguration.class)
public final class OnceAutoConfiguration {
    OnceAutoConfiguration() {}

    /** Static, so that it is there before the beans are. */
    @Bean
    static OnceProxies postriderOnceProxies(ObjectProvider<Inboxes> inboxes) {
        return new OnceProxies(inboxes);
    }
}
