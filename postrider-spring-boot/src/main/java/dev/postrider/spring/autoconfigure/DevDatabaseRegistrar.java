package dev.postrider.spring.autoconfigure;

import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotationMetadata;

/** A definition with a mark that a method could not have. */
final class DevDatabaseRegistrar implements ImportBeanDefinitionRegistrar {
    private static final String NAME = "postriderDevDatabase";

    private final Environment environment;

    DevDatabaseRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        RootBeanDefinition database = new RootBeanDefinition(DevDatabaseDetails.class);
        database.setLazyInit(true);
        // Slices of tests replace a database by one in memory unless it was made for tests, which they know by this
        // mark.
        new ContainerImageMetadata("postrider-devservices").addTo(database);
        registry.registerBeanDefinition(NAME, database);
        makeTables();
    }

    /** Nobody can have made tables in a database that is new, unless the application does. After whatever else is set. */
    private void makeTables() {
        if (environment instanceof ConfigurableEnvironment configurable
                && !configurable.getPropertySources().contains(NAME)) {
            configurable
                    .getPropertySources()
                    .addLast(new MapPropertySource(NAME, Map.of("postrider.schema.initialize", "always")));
        }
    }
}
