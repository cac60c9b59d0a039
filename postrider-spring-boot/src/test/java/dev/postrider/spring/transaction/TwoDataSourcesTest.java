package dev.postrider.spring.transaction;

import dev.postrider.spring.TestDatabase;
import java.util.IdentityHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

class TwoDataSourcesTest {

    @Nested
    class JdbcOnPostgres extends TwoDataSourcesContract {
        JdbcOnPostgres() {
            super(TestDatabase.create(), TestDatabase.createOnMariaDb());
        }

        @Override
        AbstractPlatformTransactionManager managerOf(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Nested
    class JdbcOnMariaDb extends TwoDataSourcesContract {
        JdbcOnMariaDb() {
            super(TestDatabase.createOnMariaDb(), TestDatabase.create());
        }

        @Override
        AbstractPlatformTransactionManager managerOf(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Nested
    class JpaOnPostgres extends Jpa {
        JpaOnPostgres() {
            super(TestDatabase.create(), TestDatabase.createOnMariaDb());
        }
    }

    @Nested
    class JpaOnMariaDb extends Jpa {
        JpaOnMariaDb() {
            super(TestDatabase.createOnMariaDb(), TestDatabase.create());
        }
    }

    abstract static class Jpa extends TwoDataSourcesContract {
        private final Map<DataSource, LocalContainerEntityManagerFactoryBean> units = new IdentityHashMap<>();

        Jpa(String shop, String archive) {
            super(shop, archive);
        }

        @Override
        AbstractPlatformTransactionManager managerOf(DataSource dataSource) {
            JpaTransactionManager manager = new JpaTransactionManager(
                    units.computeIfAbsent(dataSource, Jpa::unit).getObject());
            manager.afterPropertiesSet();
            return manager;
        }

        private static LocalContainerEntityManagerFactoryBean unit(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
            unit.setDataSource(dataSource);
            unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            unit.setManagedTypes(PersistenceManagedTypes.of());
            unit.afterPropertiesSet();
            return unit;
        }

        @AfterAll
        void closeUnits() {
            units.values().forEach(LocalContainerEntityManagerFactoryBean::destroy);
        }
    }
}
