package dev.postrider.examples.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** One more instance of the service, in this process. */
record Instance(ConfigurableApplicationContext context) implements AutoCloseable {

    static Instance start(Map<String, Object> properties, String... profiles) {
        List<String> arguments = new ArrayList<>();
        properties.forEach((key, value) -> arguments.add("--" + key + "=" + value));
        return new Instance(new SpringApplicationBuilder(TransferApplication.class)
                .web(WebApplicationType.NONE)
                .profiles(profiles)
                .run(arguments.toArray(String[]::new)));
    }

    @Override
    public void close() {
        context.close();
    }
}
