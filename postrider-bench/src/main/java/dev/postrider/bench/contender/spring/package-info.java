/** What peers that live in a Spring Boot application have in common. */
@NullMarked
package dev.postrider.bench.contender.spring;

import org.jspecify.annotations.NullMarked;
