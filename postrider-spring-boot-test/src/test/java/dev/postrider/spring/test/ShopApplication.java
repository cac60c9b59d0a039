package dev.postrider.spring.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application that is tested. It says of no server where it is. */
@SpringBootApplication
class ShopApplication {}
