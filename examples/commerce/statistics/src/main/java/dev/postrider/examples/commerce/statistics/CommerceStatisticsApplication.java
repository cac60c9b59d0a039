package dev.postrider.examples.commerce.statistics;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class CommerceStatisticsApplication {

    public static void main(String[] args) {
        SpringApplication.run(CommerceStatisticsApplication.class, args);
    }
}
