package dev.postrider.spring.test;

import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;

@JdbcTest(properties = "postrider.devservices.database=mariadb")
class MariaDbSliceTest extends WrittenEventsContract {}
