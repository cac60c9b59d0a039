/** Ties Postrider to a Spring Boot application: its properties, and the beans that they make. */
@NullMarked
package dev.postrider.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
